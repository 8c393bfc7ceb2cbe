// What is in a brain, whatever its types are: for people who look at it.

extension Brain {
    /// A value or a collection.
    public struct Content: Hashable, Sendable, CustomStringConvertible {
        /// What it is remembered under.
        public let name: String
        /// How many entries the collection has; nil for a value.
        public let entries: Int?

        public var description: String {
            entries.map { "\(name) (\($0) \($0 == 1 ? "entry" : "entries"))" } ?? name
        }
    }

    /// What it holds, in the order of the names, values first.
    ///
    /// Every entry is read for that, which takes its time if there are very many.
    public func contents() async throws -> [Content] {
        let values = try await keys(of: nil, atMost: .max).map { Content(name: $0, entries: nil) }
        var collections: [Content] = []
        var cursor: String?
        repeat {
            let page = try await store.collections(after: cursor, limit: 200)
            for name in page.names {
                collections.append(Content(name: name, entries: try await keys(of: name, atMost: .max).count))
            }
            cursor = page.next
        } while cursor != nil
        return values + collections.sorted { $0.name < $1.name }
    }

    /// The keys of a collection, sorted.
    ///
    /// - Parameters:
    ///   - collection: Its name; nil for the names of the values on their own.
    ///   - limit: How many are enough; which ones those are means nothing.
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

    /// A value as its JSON, or an entry of a collection if a key is given; nil if there is none.
    public func json(_ name: String, _ key: String? = nil) async throws -> String? {
        let place = key.map { StoreKey(collection: name, name: $0) } ?? StoreKey(name: name)
        return try await store.value(for: place).map { String(decoding: $0, as: UTF8.self) }
    }
}
