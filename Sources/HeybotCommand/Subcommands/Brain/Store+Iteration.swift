import Heybot

extension Store {
    /// Calls a closure with each entry of a collection, or with each single value if the collection is nil.
    ///
    /// An entry may occur more than once if the store changes meanwhile.
    func eachEntry(of collection: String?, _ body: (String, [UInt8]) async throws -> Void) async throws {
        try await eachPage(of: collection) { entries in
            for (name, value) in entries { try await body(name, value) }
        }
    }

    /// Calls a closure with each page of entries; otherwise the same as ``eachEntry(of:_:)``.
    func eachPage(
        of collection: String?, _ body: ([(key: String, value: [UInt8])]) async throws -> Void
    ) async throws {
        var cursor: String?
        repeat {
            let page = try await page(of: collection, after: cursor, limit: 200)
            try await body(page.entries)
            cursor = page.next
        } while cursor != nil
    }

    /// Calls a closure with the name of each collection.
    func eachCollection(_ body: (String) async throws -> Void) async throws {
        var cursor: String?
        repeat {
            let (names, next) = try await collections(after: cursor, limit: 200)
            for name in names { try await body(name) }
            cursor = next
        } while cursor != nil
    }

    /// Whether the collection has any entry.
    func hasEntries(in collection: String) async throws -> Bool {
        try await !page(of: collection, after: nil, limit: 1).entries.isEmpty
    }
}
