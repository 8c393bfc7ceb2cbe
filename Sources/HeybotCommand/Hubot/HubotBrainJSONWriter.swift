import Heybot

/// Writes a store's entries as the JSON text of a Hubot's brain, which ``HubotBrainReader`` reads.
///
/// `{"users":{…},"_private":{…},"karma":{…}}`: JSON in UTF-8 without added line breaks. Values keep their exact bytes.
/// `users` and `_private` always exist.
struct HubotBrainJSONWriter {
    /// The approximate size of a chunk in bytes.
    private static let chunk = 1 << 16

    private let store: any Store
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
        var writer = HubotBrainJSONWriter(store: store, sink: sink)
        try await writer.write()
    }

    private init(store: any Store, sink: @escaping ([UInt8]) throws -> Void) {
        self.store = store
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
        try await putCollection(users, as: users)
        try begin("_private")
        try put("{")
        try await putMembers { if case .ofPrivate(let member) = $0 { member } else { nil } }
        try end()
        try await putMembers { if case .ofData(let member) = $0 { member } else { nil } }
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

    private mutating func putCollection(_ collection: String, as member: String) async throws {
        try begin(member)
        try put("{")
        try await store.eachEntry(of: collection) { name, value in
            let problem = Self.problem(value, StoreKey(collection: collection, name: name))
            if let problem { throw HubotBrainJSONWriterError(problem) }
            try put(value, as: name)
        }
        try end()
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
