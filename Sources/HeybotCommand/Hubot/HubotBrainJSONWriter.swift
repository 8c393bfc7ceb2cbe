import Heybot

/// Writes a store's entries as the JSON text of a Hubot's brain, which ``HubotBrainReader`` reads.
///
/// `{"users":{…},"_private":{…},"karma":{…}}`: JSON in UTF-8 without added line breaks. Values keep their exact bytes.
/// `users` and `_private` always exist. Data of Hubot scripts that run on this robot is written as they have it; of other entries
/// with the same names, none is written.
struct HubotBrainJSONWriter {
    /// The approximate size of a chunk in bytes.
    private static let chunk = 1 << 16

    private let store: any Store
    /// The brain of Hubot scripts.
    private let scriptBrain: [String: StoredHubotBrain.Node]
    private let sink: ([UInt8]) throws -> Void
    private var waiting: [UInt8] = []
    /// Whether the open object has a member already.
    private var followsMember = false

    /// Writes all entries.
    ///
    /// It reads the store twice: first to find entries that Hubot's brain can't have.
    ///
    /// - Throws: ``HubotBrainJSONWriterError``, before anything is written unless another process changes the store meanwhile;
    ///   and errors of the store and `sink`.
    static func write(_ store: any Store, to sink: @escaping ([UInt8]) throws -> Void) async throws {
        try await check(store)
        var writer = HubotBrainJSONWriter(
            store: store, scriptBrain: try await StoredHubotBrain(from: store).members, sink: sink)
        try await writer.write()
    }

    private init(
        store: any Store, scriptBrain: [String: StoredHubotBrain.Node], sink: @escaping ([UInt8]) throws -> Void
    ) {
        self.store = store
        self.scriptBrain = scriptBrain
        self.sink = sink
    }

    // MARK: Checking

    private static func check(_ store: any Store) async throws {
        var found = HubotBrainJSONWriterError()
        try await store.eachEntry(of: nil) { name, value in
            found.add(try await problem(name, value, store))
        }
        try await store.eachCollection { collection in
            found.add(problem(collection))
            try await store.eachEntry(of: collection) { name, value in
                found.add(problem(value, StoreKey(collection: collection, name: name)))
            }
        }
        if found.count > 0 { throw found }
    }

    /// The problem with a single value.
    private static func problem(
        _ name: String, _ value: [UInt8], _ store: any Store
    ) async throws -> HubotBrainJSONWriterError.UnwritableEntry? {
        if let problem = problem(name) ?? problem(value, StoreKey(name: name)) { return problem }
        if JSONStringEscaping.isEmptyObject(value) { return nil }
        if HubotBrainMember(name: name) == .users { return .notUsers }
        return try await store.hasEntries(in: name) ? .valueAndCollection(name) : nil
    }

    /// The problem with the name of a value or collection.
    private static func problem(_ name: String) -> HubotBrainJSONWriterError.UnwritableEntry? {
        HubotBrainMember(name: name) == nil ? .noPlace(name) : nil
    }

    private static func problem(_ value: [UInt8], _ key: StoreKey) -> HubotBrainJSONWriterError.UnwritableEntry? {
        JSONScanner.syntaxError(in: value).map { .notJSON(key, offset: $0.offset, expected: $0.syntaxError.expected) }
    }

    // MARK: Writing

    private mutating func write() async throws {
        try put("{")
        let users = HubotBrainMember.users.name
        try begin(users)
        try put("{")
        let known = try putScriptMembers(of: users)
        try await putEntries(of: users) { !known.contains($0) }
        try end()
        try begin("_private")
        try put("{")
        let privateMembers = try putScriptMembers(of: "_private").union(Self.ownNames)
        try await putMembers { member in
            guard case .ofPrivate(let name) = member, !privateMembers.contains(name) else { return nil }
            return name
        }
        try end()
        for (name, node) in Self.sorted(scriptBrain) where name != users && name != "_private" {
            try put(node, as: name)
        }
        let scriptBrain = scriptBrain
        try await putMembers { member in
            guard case .ofData(let name) = member, scriptBrain[name] == nil else { return nil }
            return name
        }
        try end()
        try sink(waiting)
    }

    /// Writes the values and collections for which `member` returns a name in the open object.
    ///
    /// An entry that the store returns twice is written twice. The later member counts.
    private mutating func putMembers(_ member: (HubotBrainMember) -> String?) async throws {
        let store = store
        try await store.eachEntry(of: nil) { name, value in
            if let problem = try await Self.problem(name, value, store) { throw HubotBrainJSONWriterError(problem) }
            guard let member = HubotBrainMember(name: name).flatMap(member) else { return }
            if JSONStringEscaping.isEmptyObject(value), try await store.hasEntries(in: name) { return }
            try put(value, as: member)
        }
        try await store.eachCollection { name in
            if let problem = Self.problem(name) { throw HubotBrainJSONWriterError(problem) }
            guard let member = HubotBrainMember(name: name).flatMap(member) else { return }
            try await putCollection(name, as: member)
        }
    }

    /// Where Hubot scripts' data is, which is written in another way.
    private static let ownNames: Set<String> = [StoredHubotBrain.collection, "hubot.datastore", "hubot.import"]

    /// Writes the members of an object of the Hubot scripts' brain.
    ///
    /// - Returns: Their names.
    private mutating func putScriptMembers(of name: String) throws -> Set<String> {
        guard case .object(let members) = scriptBrain[name] else { return [] }
        for (name, node) in Self.sorted(members) { try put(node, as: name) }
        return Set(members.keys)
    }

    private static func sorted(
        _ members: [String: StoredHubotBrain.Node]
    ) -> [(key: String, value: StoredHubotBrain.Node)] {
        members.sorted { $0.key < $1.key }
    }

    private mutating func put(_ node: StoredHubotBrain.Node, as member: String) throws {
        switch node {
        case .value(let value): try put(value, as: member)
        case .object(let members):
            try begin(member)
            try put("{")
            for (name, node) in Self.sorted(members) { try put(node, as: name) }
            try end()
        }
    }

    private mutating func putCollection(_ collection: String, as member: String) async throws {
        try begin(member)
        try put("{")
        try await putEntries(of: collection) { _ in true }
        try end()
    }

    private mutating func putEntries(of collection: String, where isIncluded: (String) -> Bool) async throws {
        try await store.eachEntry(of: collection) { name, value in
            guard isIncluded(name) else { return }
            let problem = Self.problem(value, StoreKey(collection: collection, name: name))
            if let problem { throw HubotBrainJSONWriterError(problem) }
            try put(value, as: name)
        }
    }

    private mutating func put(_ value: [UInt8], as member: String) throws {
        try begin(member)
        try put(value)
        followsMember = true
    }

    private mutating func begin(_ member: String) throws {
        if followsMember { try put(",") }
        try put(JSONStringEscaping.escaped(member))
        try put(":")
        followsMember = false
    }

    private mutating func end() throws {
        try put("}")
        followsMember = true
    }

    private mutating func put(_ text: StaticString) throws {
        try put(text.withUTF8Buffer { Array($0) })
    }

    private mutating func put(_ bytes: [UInt8]) throws {
        waiting += bytes
        guard waiting.count >= Self.chunk else { return }
        try sink(waiting)
        waiting = []
    }
}
