import FoundationEssentials
import Heybot

/// Converts data of well-known Hubot scripts to the names and formats of Heybot's scripts.
///
/// | in Hubot's brain | of | in Heybot's |
/// |---|---|---|
/// | `plusPlus`: `scores`, `reasons` | hubot-plusplus | `plusplus.scores`, `plusplus.reasons` |
/// | `scores` | plusplus.coffee of hubot-scripts | `plusplus.scores` |
/// | `karma` | hubot-karma | `plusplus.scores` |
/// | `users`: `roles` | hubot-auth | `heybot.standings` |
///
/// The role `admin` isn't imported: admins are set in the settings. If the text comes from Heybot's own export, Heybot's
/// entries take precedence.
struct HubotScriptDataMapping {
    private static let scores = "plusplus.scores"
    private static let reasons = "plusplus.reasons"
    private static let standings = "heybot.standings"
    /// The maximum number of listed names.
    private static let maxListed = 20
    /// The maximum length of PlusPlus' names in characters.
    private static let maxNameLength = 100

    /// The network of Hubot's users; nil if it is unknown.
    private let network: Network?
    private var own: Set<String> = []
    private var scoreCount = 0
    private var roles: [User.ID: (user: User, roles: Set<String>)] = [:]
    private var hasRoles = false
    private var hasPartialAddresses = false
    /// Entries that no standard script reads.
    private var others: [String] = []

    init(network: Network?) {
        self.network = network
    }

    /// Returns the entries to store in addition to an entry of Hubot's.
    mutating func entries(for key: StoreKey, _ value: [UInt8]) -> [HubotBrainReader.Entry] {
        let name = key.collection ?? key.name
        if [Self.scores, Self.reasons, Self.standings].contains(name) || name.hasPrefix("heybot.") {
            own.insert(name)
            return []
        }
        // These scripts wrote to `robot.brain.data`. Data set with `robot.brain.set` belongs to other scripts.
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
                // Who gave the last point, and when.
                return []
            }
        default:
            if others.last != kind, others.count <= Self.maxListed { others.append(kind) }
            return []
        }
    }

    /// Stores the users' roles.
    ///
    /// The store must be open.
    func giveRoles(in store: any Store) async throws {
        guard !roles.isEmpty, !own.contains(Self.standings) else { return }
        try await Robot.give(roles.values.map { ($0.user, $0.roles) }, in: Brain(store: store))
    }

    /// What was converted and what was only imported, a line each.
    var lines: [String] {
        var lines: [String] = []
        if scoreCount > 0 { lines.append("\(scoreCount) \(scoreCount == 1 ? "score" : "scores") for PlusPlus") }
        if !roles.isEmpty, !own.contains(Self.standings) {
            let ids = roles.keys.map(\.description).sorted().prefix(Self.maxListed).joined(separator: ", ")
            lines.append(
                "the roles of \(roles.count) \(roles.count == 1 ? "person" : "people"), stored for \(ids)"
                    + (roles.count > Self.maxListed ? ", …" : ""))
        }
        if hasPartialAddresses {
            lines.append("roles of people without a full address weren't converted: assign these roles in chat")
        }
        if hasRoles, network == nil {
            lines.append(
                "roles weren't converted: name Hubot's network, as in heybot --adapter irc brain import "
                    + "--hubot")
        }
        if !others.isEmpty {
            lines.append(
                "imported, but not used by standard scripts: \(others.prefix(Self.maxListed).joined(separator: ", "))"
                    + (others.count > Self.maxListed ? ", …" : ""))
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
        // Hubot stores points without a reason as "none" or "undefined".
        let known = reasons.filter { !$0.key.isEmpty && $0.key != "none" && $0.key != "undefined" }
            .compactMapValues { $0.flatMap { Int(exactly: $0) } }.filter { $0.value != 0 }
        guard !own.contains(Self.reasons), !known.isEmpty, let name = Self.name(name),
            let value = try? JSONEncoder().encode(known)
        else { return [] }
        return [(StoreKey(collection: Self.reasons, name: name), Array(value))]
    }

    /// The name in PlusPlus' format; nil if it isn't valid.
    private static func name(_ name: String) -> String? {
        let name = name.drop { $0 == "@" || $0.isWhitespace }.lowercased()
        return name.isEmpty || name.count > maxNameLength ? nil : name
    }

    // MARK: Roles

    private struct HubotUser: Decodable {
        var id: String?
        var name: String?
        var roles: [String]?

        init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: CodingKeys.self)
            // With some adapters ids are numbers.
            id =
                (try? container.decode(String.self, forKey: .id))
                ?? (try? container.decode(Int.self, forKey: .id)).map(String.init)
            name = try? container.decode(String.self, forKey: .name)
            roles = try? container.decode([String].self, forKey: .roles)
        }

        private enum CodingKeys: String, CodingKey { case id, name, roles }
    }

    private mutating func readRoles(of key: String, _ value: [UInt8]) {
        guard let person = decode(HubotUser.self, value) else { return }
        // Roles with spaces are descriptions by roles.coffee.
        let roles = Set((person.roles ?? []).map { $0.lowercased() }).filter {
            !$0.isEmpty && $0 != Robot.adminRole && !$0.contains(where: \.isWhitespace)
        }
        guard !roles.isEmpty else { return }
        hasRoles = true
        guard let network else { return }
        // On IRC Hubot's ids are nicks, which ignore case; on XMPP they are local parts of addresses.
        let value = (person.id ?? key).lowercased()
        // Heybot's ids on XMPP are full addresses, but the domain is unknown here.
        let hasAddresses = ["xmpp", "gtalk"].contains(network.kind.rawValue)
        guard !hasAddresses || value.contains("@") else { return hasPartialAddresses = true }
        let user = User(id: User.ID(adapter: network.name, value: value), name: person.name ?? value)
        self.roles[user.id, default: (user, [])].roles.formUnion(roles)
    }

    private func decode<Value: Decodable>(_ type: Value.Type, _ value: [UInt8]) -> Value? {
        try? JSONDecoder().decode(type, from: Data(value))
    }
}
