import FoundationEssentials
import Heybot

/// The brain of Hubot scripts, `robot.brain.data`, as Hubot scripts on this robot have it.
///
/// Heybot stores it in the collection `hubot`: an entry's key is a path in `data`, such as `["karma","tea"]`. An entry at
/// `["karma"]` that is an object is completed by entries below it; any other value at `["karma"]` hides them.
struct StoredHubotBrain {
    /// The collection.
    static let collection = "hubot"

    /// A part of the brain: a value's JSON, or an object's members by name.
    enum Node: Equatable {
        case value([UInt8])
        case object([String: Node])
    }

    /// The members of `data`.
    private(set) var members: [String: Node] = [:]

    /// Reads the brain from a store.
    init(from store: any Store) async throws {
        var entries: [(path: [String], value: [UInt8])] = []
        try await store.eachEntry(of: Self.collection) { key, value in
            guard let path = Self.path(key), !path.isEmpty else { return }
            entries.append((path, value))
        }
        // What is stored in parts is newer than what is stored as a whole.
        for (path, value) in entries.sorted(by: { $0.path.count < $1.path.count }) {
            Self.set(value, at: path[...], in: &members)
        }
    }

    /// The path of a key; nil if it isn't a list of texts.
    static func path(_ key: String) -> [String]? { try? JSONDecoder().decode([String].self, from: Data(key.utf8)) }

    /// The key of a path.
    static func key(_ path: [String]) -> String {
        "[\(path.map { String(decoding: JSONStringEscaping.escaped($0), as: UTF8.self) }.joined(separator: ","))]"
    }

    private static func set(_ value: [UInt8], at path: ArraySlice<String>, in members: inout [String: Node]) {
        guard let name = path.first else { return }
        guard path.count > 1 else { return members[name] = .value(value) }
        // Without a second reference, the members aren't copied.
        switch members.removeValue(forKey: name) {
        case nil:
            var below: [String: Node] = [:]
            set(value, at: path.dropFirst(), in: &below)
            members[name] = .object(below)
        case .object(var below):
            set(value, at: path.dropFirst(), in: &below)
            members[name] = .object(below)
        case .value(let whole):
            guard var below = object(whole) else { return members[name] = .value(whole) }
            set(value, at: path.dropFirst(), in: &below)
            members[name] = .object(below)
        }
    }

    /// The members of a value; nil if it isn't an object.
    private static func object(_ json: [UInt8]) -> [String: Node]? {
        let outline = JSONSourceMap(json)
        guard json.first(where: { !" \t\r\n".utf8.contains($0) }) == UInt8(ascii: "{"), outline.problem == nil else {
            return nil
        }
        let members = outline.members.filter { $0.depth == 0 }
        return Dictionary(members.map { ($0.key, .value(Array(json[$0.value]))) }, uniquingKeysWith: { $1 })
    }
}
