import FoundationEssentials
import Heybot

/// Finds what well-known Hubot scripts kept that a script of Heybot's keeps too, under another name or in another form.
///
/// | in Hubot's brain | of | in Heybot's |
/// |---|---|---|
/// | `plusPlus`: `scores`, `reasons` | hubot-plusplus | `plusplus.scores`, `plusplus.reasons` |
/// | `scores` | plusplus.coffee of hubot-scripts | `plusplus.scores` |
/// | `karma` | hubot-karma | `plusplus.scores` |
/// | `users`: `roles` | hubot-auth | `heybot.standings` |
///
/// The role `admin` isn't taken: the settings name the admins. In a text that has been Heybot's before, Heybot's own
/// entries count.
struct HubotMapping {
    private static let scores = "plusplus.scores"
    private static let reasons = "plusplus.reasons"
    private static let standings = "heybot.standings"
    /// So many names of what nothing reads are listed.
    private static let mostListed = 20
    /// A longer name is none that PlusPlus keeps, in characters.
    private static let longestName = 100

    /// The adapter that Hubot's users came through; nil if that isn't known.
    private let adapter: String?
    private var own: Set<String> = []
    private var scoreCount = 0
    private var roles: [User.ID: (user: User, roles: Set<String>)] = [:]
    private var hasRoles = false
    private var hasPartialAddresses = false
    /// What nothing of Heybot's reads.
    private var others: [String] = []

    init(adapter: String?) {
        self.adapter = adapter
    }

    /// What else is to be remembered because of an entry of Hubot's.
    mutating func entries(for key: StoreKey, _ value: [UInt8]) -> [HubotBrainReader.Entry] {
        let name = key.collection ?? key.name
        if [Self.scores, Self.reasons, Self.standings].contains(name) || name.hasPrefix("heybot.") {
            own.insert(name)
            return []
        }
        // All of them wrote to `robot.brain.data`; what was set by `robot.brain.set` is other scripts'.
        let isData = name.hasPrefix("data.")
        let kind = isData ? String(name.dropFirst("data.".count)) : name
        switch (isData || kind == "users" ? kind : "", key.collection == nil) {
        case ("users", false):
            readRoles(of: key.name, value)
            return []
        case ("scores", false), ("karma", false):
            return score(key.name, decode(Double.self, value))
        case ("plusPlus", false):
            switch key.name {
            case "scores":
                return (decode([String: Double?].self, value) ?? [:]).flatMap { score($0.key, $0.value) }
            case "reasons":
                return (decode([String: [String: Double?]].self, value) ?? [:]).flatMap {
                    points($0.key, for: $0.value)
                }
            default:
                // When somebody was last praised, and by whom.
                return []
            }
        default:
            if others.last != kind, others.count <= Self.mostListed { others.append(kind) }
            return []
        }
    }

    /// Gives people the roles they had; the store is open.
    func giveRoles(in store: any Store) async throws {
        guard !roles.isEmpty, !own.contains(Self.standings) else { return }
        try await Robot.give(roles.values.map { ($0.user, $0.roles) }, in: Brain(store: store))
    }

    /// What was mapped and what was only taken over, a line each.
    var lines: [String] {
        var lines: [String] = []
        if scoreCount > 0 { lines.append("\(scoreCount) \(scoreCount == 1 ? "score" : "scores") for PlusPlus") }
        if !roles.isEmpty, !own.contains(Self.standings) {
            let ids = roles.keys.map(\.description).sorted().prefix(Self.mostListed).joined(separator: ", ")
            lines.append(
                "roles of \(roles.count) \(roles.count == 1 ? "person" : "people"), who are told apart as \(ids)"
                    + (roles.count > Self.mostListed ? ", …" : ""))
        }
        if hasPartialAddresses {
            lines.append("roles of people without a whole address were left as they are: give them in chat")
        }
        if hasRoles, adapter == nil {
            lines.append(
                "roles were left as they are: name the one network they are for, as in heybot --adapter irc brain import "
                    + "--hubot")
        }
        if !others.isEmpty {
            lines.append(
                "taken over, but read by no standard script: \(others.prefix(Self.mostListed).joined(separator: ", "))"
                    + (others.count > Self.mostListed ? ", …" : ""))
        }
        return lines
    }

    // MARK: Scores

    private mutating func score(_ name: String, _ score: Double??) -> [HubotBrainReader.Entry] {
        guard !own.contains(Self.scores), let score = score ?? nil, let points = Int(exactly: score),
            let name = Self.name(name)
        else { return [] }
        scoreCount += 1
        return [(StoreKey(collection: Self.scores, name: name), Array("\(points)".utf8))]
    }

    private func points(_ name: String, for reasons: [String: Double?]) -> [HubotBrainReader.Entry] {
        // Hubot notes points without a reason as "none" or "undefined".
        let known = reasons.filter { !$0.key.isEmpty && $0.key != "none" && $0.key != "undefined" }
            .compactMapValues { $0.flatMap { Int(exactly: $0) } }.filter { $0.value != 0 }
        guard !own.contains(Self.reasons), !known.isEmpty, let name = Self.name(name),
            let value = try? JSONEncoder().encode(known)
        else { return [] }
        return [(StoreKey(collection: Self.reasons, name: name), Array(value))]
    }

    /// A name as PlusPlus keeps it; nil if it can't be one.
    private static func name(_ name: String) -> String? {
        let name = name.drop { $0 == "@" || $0.isWhitespace }.lowercased()
        return name.isEmpty || name.count > longestName ? nil : name
    }

    // MARK: Roles

    private struct Person: Decodable {
        var id: String?
        var name: String?
        var roles: [String]?

        init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: CodingKeys.self)
            // Some adapters number their users.
            id =
                (try? container.decode(String.self, forKey: .id))
                ?? (try? container.decode(Int.self, forKey: .id)).map(String.init)
            name = try? container.decode(String.self, forKey: .name)
            roles = try? container.decode([String].self, forKey: .roles)
        }

        private enum CodingKeys: String, CodingKey { case id, name, roles }
    }

    private mutating func readRoles(of key: String, _ value: [UInt8]) {
        guard let person = decode(Person.self, value) else { return }
        // With spaces it is a description by roles.coffee.
        let roles = Set((person.roles ?? []).map { $0.lowercased() }).filter {
            !$0.isEmpty && $0 != Robot.adminRole && !$0.contains(where: \.isWhitespace)
        }
        guard !roles.isEmpty else { return }
        hasRoles = true
        guard let adapter else { return }
        // On IRC Hubot's ids are nicks, which are told apart without case; on XMPP the local part of the address.
        let value = (person.id ?? key).lowercased()
        // Here people are told apart by whole addresses, and whose server that was isn't known.
        guard !["xmpp", "gtalk"].contains(adapter) || value.contains("@") else { return hasPartialAddresses = true }
        let user = User(id: User.ID(adapter: adapter, value: value), name: person.name ?? value)
        self.roles[user.id, default: (user, [])].roles.formUnion(roles)
    }

    private func decode<Value: Decodable>(_ type: Value.Type, _ value: [UInt8]) -> Value? {
        try? JSONDecoder().decode(type, from: Data(value))
    }
}
