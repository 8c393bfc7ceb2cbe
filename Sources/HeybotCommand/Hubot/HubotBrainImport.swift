import Heybot

/// Takes a Hubot's brain into a store.
///
/// What has the same name is replaced, everything else stays; so it can be run again without harm. An empty object
/// and a collection of the same name are the same to Hubot: the collection stays, or takes the empty object's place.
struct HubotBrainImport {
    private let store: any Store
    private var batch: StoreBatch
    /// The collection the last entry was in, by its bytes; the entries of one come together.
    private var collection: [UInt8]?
    private var mapping: HubotMapping

    /// What an import took in.
    struct Result {
        /// How many entries of Hubot's there were.
        var count: Int
        /// What was made of them for scripts of ours, and what wasn't, a line each.
        var notes: [String]
    }

    /// Reads the text in pieces of any size until `next` gives nil.
    ///
    /// What well-known scripts kept is taken in twice: as it stands, and as scripts of Heybot's keep it (``HubotMapping``).
    ///
    /// `adapter` names the network whose users Hubot's are, nil if that isn't known.
    ///
    /// Throws ``HubotImportError`` if the text is no Hubot's brain, and else what the store or `next` throws. What
    /// came before is in, unless it is the store that fails.
    static func run(
        from next: () async throws -> [UInt8]?, into store: any Store, adapter: String? = nil
    ) async throws -> Result {
        var taking = HubotBrainImport(into: store, adapter: adapter)
        var reader = HubotBrainReader()
        var count = 0
        do {
            while let piece = try await next() {
                for (key, value) in try reader.read(piece) where try await taking.take(value, for: key) { count += 1 }
            }
            try reader.finish()
        } catch let error where !(error is StoreError) {
            try await taking.batch.write()
            if let error = error as? HubotBrainError { throw HubotImportError(reason: error) }
            throw error
        }
        try await taking.batch.write()
        try await taking.mapping.giveRoles(in: store)
        return Result(count: count, notes: taking.mapping.lines)
    }

    private init(into store: any Store, adapter: String?) {
        self.store = store
        mapping = HubotMapping(adapter: adapter)
        batch = StoreBatch(into: store)
    }

    /// Tells whether there was anything to take in.
    private mutating func take(_ value: [UInt8], for key: StoreKey) async throws -> Bool {
        if let name = key.collection {
            if collection != Array(name.utf8) {
                collection = Array(name.utf8)
                try await removeEmptyObject(StoreKey(name: name))
            }
        } else if JSONText.isEmptyObject(value), try await store.hasEntries(in: key.name) {
            return false
        }
        try await batch.add(value, for: key)
        for entry in mapping.entries(for: key, value) { try await batch.add(entry.value, for: entry.key) }
        return true
    }

    private func removeEmptyObject(_ key: StoreKey) async throws {
        guard let value = try await store.value(for: key), JSONText.isEmptyObject(value) else { return }
        // Unless it has become something else in the meantime.
        _ = try await store.compareAndSet(nil, for: key, expecting: value)
    }
}

/// Why a Hubot's brain was taken in only in part.
struct HubotImportError: Error, Hashable, CustomStringConvertible {
    let reason: HubotBrainError

    var description: String {
        // Ours has one after the other.
        let isOurs = reason.problem == .expected(JSONScanner.nothingMore)
        return "\(reason); what came before it is in\(isOurs ? " (Heybot's own export goes without --hubot)" : "")"
    }
}
