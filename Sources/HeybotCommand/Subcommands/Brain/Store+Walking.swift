import Heybot

extension Store {
    /// Goes over a collection's entries, or the values on their own if it is nil, a page at a time.
    ///
    /// As with the pages, an entry may come more than once if the store changes meanwhile.
    func eachEntry(of collection: String?, _ body: (String, [UInt8]) async throws -> Void) async throws {
        try await eachPage(of: collection) { entries in
            for (name, value) in entries { try await body(name, value) }
        }
    }

    /// The same, with the entries of a page at once.
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

    /// Goes over the names of the collections.
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
