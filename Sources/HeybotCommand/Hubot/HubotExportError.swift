import Heybot

/// What a store holds that a Hubot's brain has no place for.
struct HubotExportError: Error, Hashable, CustomStringConvertible {
    enum Problem: Hashable {
        /// The value isn't JSON, at that byte, from 0.
        case notJSON(StoreKey, offset: Int, expected: String)
        /// There is both a value on its own and a collection of that name, which Hubot can't tell apart.
        case valueAndCollection(String)
        /// The users are a value on their own, where Hubot has a collection.
        case notUsers
        /// A name that stands for nothing in Hubot's brain.
        case noPlace(String)
    }

    /// More aren't named.
    private static let most = 10

    /// The first of them.
    private(set) var problems: [Problem] = []
    /// How many there are in all.
    private(set) var count = 0

    init() {}

    init(_ problem: Problem) {
        add(problem)
    }

    mutating func add(_ problem: Problem?) {
        guard let problem else { return }
        count += 1
        if problems.count < Self.most { problems.append(problem) }
    }

    var description: String {
        let more = count > problems.count ? ["and \(count - problems.count) more"] : []
        let all = (problems.map(Self.reason) + more).joined(separator: "; ")
        return "Hubot's brain has no place for what ours holds: \(all); rename or remove it with heybot brain"
    }

    private static func reason(_ problem: Problem) -> String {
        switch problem {
        case .notJSON(let key, let offset, let expected):
            "\(HubotBrainNames.shown(key)) isn't JSON (at byte \(offset): \(expected))"
        case .valueAndCollection(let name): "\(HubotBrainNames.shown(name)) is both a value and a collection"
        case .notUsers: "users is a value and not a collection"
        case .noPlace(let name): "\(HubotBrainNames.shown(name)) is a name Hubot has nothing for"
        }
    }
}
