import FoundationEssentials
import Heybot

/// The codes by which people prove that two accounts are theirs, until they expire.
struct LinkCodes: Codable, Hashable, Sendable {
    /// A code that an account has asked for, to be said from another one.
    struct Code: Codable, Hashable, Sendable {
        let text: String
        /// The account that has asked for it.
        let owner: User
        /// The only account that may say it.
        let other: User.ID
        let end: Date
        /// How often a wrong code was said.
        var failures = 0
    }

    /// The codes in the brain.
    static let key = BrainKey<LinkCodes>("accounts.codes")
    /// In seconds.
    static let lifetime = 600.0
    private static let mostCodes = 200
    private static let mostFailures = 4

    private var codes: [Code] = []

    /// Creates a list without codes.
    init() {}

    /// Adds a code in place of an earlier one of the same owner.
    ///
    /// - Throws: A ``Refusal`` if too many codes are valid.
    mutating func add(_ code: Code, at now: Date) throws(Refusal) {
        codes.removeAll { $0.end <= now || $0.owner.id == code.owner.id }
        guard codes.count < Self.mostCodes else {
            throw Refusal("Too many people are linking accounts now. Try again in a few minutes.")
        }
        codes.append(code)
    }

    /// Returns the owner of a code, and counts a wrong attempt: after a few, the code is no longer valid.
    ///
    /// - Parameters:
    ///   - typed: The code as it was said.
    ///   - owner: The account that has asked for it, as the user says.
    ///   - speaker: The account that says it.
    ///   - isUsed: Whether the code is used up if it is right.
    /// - Returns: Nil if there is no such code for the speaker.
    mutating func check(
        _ typed: String, of owner: User.ID, saidBy speaker: User.ID, isUsed: Bool, at now: Date
    ) -> User? {
        codes.removeAll { $0.end <= now }
        guard let place = codes.firstIndex(where: { $0.owner.id == owner && $0.other == speaker }) else { return nil }
        guard codes[place].text == typed.uppercased() else {
            codes[place].failures += 1
            if codes[place].failures >= Self.mostFailures { codes.remove(at: place) }
            return nil
        }
        let found = codes[place].owner
        if isUsed { codes.remove(at: place) }
        return found
    }
}
