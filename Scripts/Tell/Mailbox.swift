import FoundationEssentials
import Heybot

/// The user who gets messages: an account, or anyone with a name on a network if the robot can't verify who that is.
struct MessageRecipient: Codable, Hashable, Sendable {
    /// The account; or the network and the name, as its users are compared.
    let id: User.ID
    /// The name as it was typed or is shown.
    let name: String
    let isAccount: Bool

    /// The key of the mailbox in the brain.
    var key: String { isAccount ? id.description : "name \(id)" }

    private init(_ id: User.ID, _ name: String, isAccount: Bool) {
        (self.id, self.name, self.isAccount) = (id, name, isAccount)
    }

    /// Creates a recipient; one that is anonymous is known by name only.
    init(_ user: User, _ robot: Robot) {
        if user.isAnonymous {
            self.init(named: user.name, on: user.id.adapter, robot)
        } else {
            self.init(user.id, String(oneLine: user.name, limit: 100), isAccount: true)
        }
    }

    /// Creates a recipient whom the robot knows by name only.
    init(named name: String, on adapter: String, _ robot: Robot) {
        let shown = String(oneLine: name, limit: 100)
        self.init(Self.folded(shown, on: adapter, robot), shown, isAccount: false)
    }

    /// Whether a user, on one of their accounts, is meant.
    func isMeant(_ user: User, accounts: [User], _ robot: Robot) -> Bool {
        guard isAccount else { return id == Self.folded(user.name, on: user.id.adapter, robot) }
        return accounts.contains { $0.id == id && !$0.isAnonymous }
    }

    /// Returns the keys of the mailboxes that are for a user, without those for other accounts of the same person.
    static func keys(for user: User, _ robot: Robot) -> [String] {
        let byName = "name \(folded(user.name, on: user.id.adapter, robot))"
        return user.isAnonymous ? [byName] : [user.id.description, byName]
    }

    /// The name in the form in which the network compares names.
    static func folded(_ name: String, on adapter: String, _ robot: Robot) -> User.ID {
        let folded = robot.foldedID(of: Room.ID(adapter: adapter, value: name)).value
        return User.ID(adapter: adapter, value: folded.lowercased())
    }
}

/// The messages that wait for a user.
struct Mailbox: Codable, Hashable, Sendable {
    /// A message that somebody has left.
    struct Letter: Codable, Hashable, Sendable {
        /// The number of the letter, unique in the mailbox.
        var number: Int
        let author: User.ID
        let authorName: String
        /// What the network tells of an anonymous author, or else their id; nil for an authenticated one.
        var origin: String?
        /// The room in which it was left; nil for a direct message to the robot.
        let room: Room.ID?
        let text: String
        let date: Date
        /// A robot delivers the letter, and no other one may before this time.
        var leaseEnd: Date?

        /// The author, with the name of that time.
        var user: User { User(id: author, name: authorName, isAnonymous: origin != nil) }

        /// Whether it is by one of these users: an anonymous one isn't the authenticated one with the same id.
        func isBy(_ users: [User]) -> Bool { users.contains { $0.proves(toBe: user) } }

        /// Identifies the author for limits: an anonymous one can have many ids.
        var sender: User.ID { origin.map { User.ID(adapter: author.adapter, value: $0) } ?? author }
    }

    /// The maximum number of letters in a mailbox, and of one author.
    static let most = (inAll: 20, perAuthor: 5)
    /// The time in seconds in which a robot must have delivered a letter; if its process ends before, another robot may.
    private static let lease = 120.0
    /// How long letters wait, in seconds: the next user with a name may be somebody else.
    private static let longestAge = (forAccount: 400.0 * 86_400, forName: 14.0 * 86_400)

    let recipient: MessageRecipient
    private(set) var letters: [Letter] = []
    private var lastNumber = 0

    init(for recipient: MessageRecipient) { self.recipient = recipient }

    var isEmpty: Bool { letters.isEmpty }

    /// Adds a letter.
    ///
    /// - Throws: A ``Refusal`` if there are too many.
    mutating func add(_ letter: Letter) throws(Refusal) {
        removeOldLetters(at: letter.date)
        guard letters.count < Self.most.inAll else {
            throw Refusal("Too many messages are waiting for \(recipient.name) already.")
        }
        guard letters.count(where: { $0.sender == letter.sender }) < Self.most.perAuthor else {
            throw Refusal("\(Self.most.perAuthor) messages from you are waiting for \(recipient.name) already.")
        }
        lastNumber &+= 1
        var letter = letter
        letter.number = lastNumber
        letters.append(letter)
    }

    /// Takes letters to deliver them, unless another robot is delivering them.
    mutating func take(at now: Date, _ isMeant: (Letter) -> Bool) -> [Letter] {
        var taken: [Letter] = []
        for index in letters.indices where isMeant(letters[index]) {
            if let end = letters[index].leaseEnd, end > now { continue }
            letters[index].leaseEnd = now.addingTimeInterval(Self.lease)
            taken.append(letters[index])
        }
        return taken
    }

    /// Removes letters that were delivered.
    mutating func remove(_ delivered: [Letter]) {
        let numbers = Set(delivered.map(\.number))
        letters.removeAll { numbers.contains($0.number) }
    }

    /// Puts letters back that couldn't be delivered.
    mutating func putBack(_ taken: [Letter]) {
        let numbers = Set(taken.map(\.number))
        for index in letters.indices where numbers.contains(letters[index].number) { letters[index].leaseEnd = nil }
    }

    /// Removes an author's letters that nobody is delivering; returns how many.
    ///
    /// - Parameter authors: The accounts of the author.
    mutating func withdraw(by authors: [User], at now: Date) -> Int {
        removeAll { letter in
            letter.isBy(authors) && (letter.leaseEnd.map { $0 <= now } ?? true)
        }
    }

    /// Removes letters; returns how many.
    @discardableResult
    mutating func removeAll(where isMeant: (Letter) -> Bool) -> Int {
        let before = letters.count
        letters.removeAll(where: isMeant)
        return before - letters.count
    }

    /// Returns the letters that haven't waited for too long.
    func lettersToKeep(at now: Date) -> [Letter] {
        let longest = recipient.isAccount ? Self.longestAge.forAccount : Self.longestAge.forName
        return letters.filter { now.timeIntervalSince($0.date) <= longest }
    }

    func hasOldLetters(at now: Date) -> Bool { lettersToKeep(at: now).count < letters.count }

    /// Removes letters that have waited for too long.
    mutating func removeOldLetters(at now: Date) { letters = lettersToKeep(at: now) }
}
