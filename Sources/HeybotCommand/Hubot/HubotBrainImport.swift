import Heybot

/// Imports a Hubot's brain into a store.
///
/// Entries with the same names are replaced, others stay, so an import can be repeated. An empty object and an empty
/// collection are the same to Hubot: a collection is kept, and replaces an empty object of the same name.
struct HubotBrainImport {
    private let store: any Store
    private var batch: BatchWriter
    /// The name of the last entry's collection, in bytes.
    ///
    /// The entries of a collection follow each other.
    private var collection: [UInt8]?
    private var mapping: HubotScriptDataMapping

    /// The result of an import.
    struct Result {
        /// The number of Hubot's entries.
        var count: Int
        /// What was converted for Heybot's scripts and what wasn't, a line each.
        var notes: [String]
    }

    /// Imports a text.
    ///
    /// Data of well-known scripts is imported twice: unchanged, and in the form that Heybot's scripts use
    /// (``HubotScriptDataMapping``).
    ///
    /// - Parameters:
    ///   - next: Returns the next chunk of the text, nil at the end.
    ///   - network: The network of Hubot's users; nil if it is unknown.
    /// - Throws: ``IncompleteImportError`` if the text isn't a Hubot's brain, and errors of the store and `next`. The entries
    ///   before the error are kept, unless the store fails.
    static func run(
        from next: () async throws -> [UInt8]?, into store: any Store, network: Network? = nil
    ) async throws -> Result {
        var importer = HubotBrainImport(into: store, network: network)
        var reader = HubotBrainReader()
        var count = 0
        do {
            while let piece = try await next() {
                for (key, value) in try reader.read(piece) where try await importer.importEntry(value, for: key) {
                    count += 1
                }
            }
            try reader.finish()
        } catch let error where !(error is StoreError) {
            try await importer.batch.write()
            if let error = error as? HubotBrainReaderError { throw IncompleteImportError(reason: error) }
            throw error
        }
        try await importer.batch.write()
        try await importer.mapping.giveRoles(in: store)
        return Result(count: count, notes: importer.mapping.lines)
    }

    private init(into store: any Store, network: Network?) {
        self.store = store
        mapping = HubotScriptDataMapping(network: network)
        batch = BatchWriter(into: store)
    }

    /// Imports an entry.
    ///
    /// - Returns: False if there was nothing to import.
    private mutating func importEntry(_ value: [UInt8], for key: StoreKey) async throws -> Bool {
        if let name = key.collection {
            if collection != Array(name.utf8) {
                collection = Array(name.utf8)
                try await removeEmptyObject(StoreKey(name: name))
            }
        } else if JSONStringEscaping.isEmptyObject(value), try await store.hasEntries(in: key.name) {
            return false
        }
        try await batch.add(value, for: key)
        for entry in mapping.entries(for: key, value) { try await batch.add(entry.value, for: entry.key) }
        return true
    }

    private func removeEmptyObject(_ key: StoreKey) async throws {
        guard let value = try await store.value(for: key), JSONStringEscaping.isEmptyObject(value) else { return }
        // Unless it was changed in the meantime.
        _ = try await store.compareAndSet(nil, for: key, expecting: value)
    }
}

/// The reason why a Hubot's brain was imported only in part.
struct IncompleteImportError: Error, Hashable, CustomStringConvertible {
    let reason: HubotBrainReaderError

    var description: String {
        // Heybot's own export has several JSON values.
        let isOurs = reason.problem == .expected(JSONScanner.nothingMore)
        return
            "\(reason); the entries before this point were imported"
            + (isOurs ? "; if this is Heybot's own export, import it without --hubot" : "")
    }
}
