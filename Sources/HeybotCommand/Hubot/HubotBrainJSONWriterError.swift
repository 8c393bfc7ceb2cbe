import Heybot

/// Entries of a store that can't be stored in a Hubot's brain.
struct HubotBrainJSONWriterError: Error, Hashable, CustomStringConvertible {
    enum UnwritableEntry: Hashable {
        /// The value isn't JSON. The offset is in bytes, from 0.
        case notJSON(StoreKey, offset: Int, expected: String)
        /// There are a single value and a collection with that name, which are the same to Hubot.
        case valueAndCollection(String)
        /// `users` is a single value, but Hubot has a collection.
        case notUsers
        /// The name has no equivalent in Hubot's brain.
        case noPlace(String)
    }

    /// The maximum number of problems to keep.
    private static let limit = 10

    /// The first problems.
    private(set) var problems: [UnwritableEntry] = []
    /// The number of all problems.
    private(set) var count = 0

    init() {}

    init(_ problem: UnwritableEntry) {
        add(problem)
    }

    mutating func add(_ problem: UnwritableEntry?) {
        guard let problem else { return }
        count += 1
        if problems.count < Self.limit { problems.append(problem) }
    }

    var description: String {
        let more = count > problems.count ? ["and \(count - problems.count) more"] : []
        let all = (problems.map(Self.reason) + more).joined(separator: "; ")
        return "these entries can't be stored in Hubot's brain: \(all); rename or remove them with heybot brain"
    }

    private static func reason(_ problem: UnwritableEntry) -> String {
        switch problem {
        case .notJSON(let key, let offset, let expected):
            "\(BrainKeyFormatter.display(key)) isn't JSON (at byte \(offset): \(expected))"
        case .valueAndCollection(let name): "\(BrainKeyFormatter.display(name)) is both a value and a collection"
        case .notUsers: "the entry users is a value, not a collection"
        case .noPlace(let name): "Hubot's brain can't contain the name \(BrainKeyFormatter.display(name))"
        }
    }
}
