// The contents of a brain, independent of types: for `heybot brain` and for the script Storage.

extension Brain {
    /// A value or a collection in the brain.
    public struct ItemSummary: Hashable, Sendable, CustomStringConvertible {
        /// The name of the value or collection.
        public let name: String
        /// The number of entries of a collection; nil for a value.
        public let entries: Int?

        public var description: String {
            entries.map { "\(name) (\($0) \($0 == 1 ? "entry" : "entries"))" } ?? name
        }
    }

    /// Lists the values and then the collections, each sorted by name.
    ///
    /// This reads every entry, and is slow if there are very many.
    public func contents() async throws -> [ItemSummary] {
        let values = try await keys(of: nil, atMost: .max).map { ItemSummary(name: $0, entries: nil) }
        var collections: [ItemSummary] = []
        var cursor: String?
        repeat {
            let page = try await store.collections(after: cursor, limit: 200)
            for name in page.names {
                collections.append(ItemSummary(name: name, entries: try await keys(of: name, atMost: .max).count))
            }
            cursor = page.next
        } while cursor != nil
        return values + collections.sorted { $0.name < $1.name }
    }

    /// Returns the sorted keys of a collection.
    ///
    /// - Parameters:
    ///   - collection: The collection's name; nil for the names of the single values.
    ///   - limit: The maximum number of keys; which ones are left out is unspecified.
    public func keys(of collection: String?, atMost limit: Int) async throws -> [String] {
        var keys: Set<String> = []
        var cursor: String?
        repeat {
            let page = try await store.page(of: collection, after: cursor, limit: 200)
            keys.formUnion(page.entries.map(\.key))
            cursor = page.next
        } while cursor != nil && keys.count < limit
        return Array(keys.sorted().prefix(limit))
    }

    /// Returns the JSON of a value, or of an entry of a collection if a key is given; nil if there is none.
    public func json(_ name: String, _ key: String? = nil) async throws -> String? {
        let place = key.map { StoreKey(collection: name, name: $0) } ?? StoreKey(name: name)
        return try await store.value(for: place).map { String(decoding: $0, as: UTF8.self) }
    }
}
