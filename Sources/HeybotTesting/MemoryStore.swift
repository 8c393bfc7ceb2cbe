public import Heybot
import Synchronization

/// A store in memory, for tests.
///
/// Its content isn't persistent.
public final class MemoryStore: Store {
    private struct State {
        var content = Content()
        var isOpen = false
    }

    private struct Content {
        private(set) var values: [Key: [UInt8]] = [:]
        private var times: [Key: Int64] = [:]
        /// The entries that are due at a time, by collection.
        private(set) var due: [[UInt8]: DueList] = [:]

        mutating func set(_ value: [UInt8]?, for storeKey: StoreKey) {
            let key = Key(storeKey)
            values[key] = value
            guard DueTime.covers(storeKey.collection), let collection = key.collection else { return }
            if let time = times.removeValue(forKey: key) {
                due[collection]?.remove(DueList.Element(time: time, name: key.name))
            }
            if let time = DueTime.of(value, for: storeKey) {
                times[key] = time
                due[collection, default: DueList()].insert(DueList.Element(time: time, name: key.name))
            }
        }
    }

    /// The entries of a collection that are due at a time, sorted.
    private struct DueList {
        struct Element: Comparable {
            let time: Int64
            let name: [UInt8]

            static func < (one: Self, other: Self) -> Bool {
                one.time == other.time ? one.name.lexicographicallyPrecedes(other.name) : one.time < other.time
            }
        }

        private(set) var elements: [Element] = []

        mutating func insert(_ element: Element) { elements.insert(element, at: place(of: element)) }

        mutating func remove(_ element: Element) {
            let index = place(of: element)
            if index < elements.count, elements[index] == element { elements.remove(at: index) }
        }

        /// The index of the first element that isn't smaller.
        private func place(of element: Element) -> Int {
            var range = 0..<elements.count
            while !range.isEmpty {
                let middle = (range.lowerBound + range.upperBound) / 2
                range = elements[middle] < element ? middle + 1..<range.upperBound : range.lowerBound..<middle
            }
            return range.lowerBound
        }
    }

    /// A key as bytes, because equal strings may have different bytes.
    private struct Key: Hashable {
        let collection: [UInt8]?
        let name: [UInt8]

        init(_ key: StoreKey) {
            collection = key.collection.map { Array($0.utf8) }
            name = Array(key.name.utf8)
        }
    }

    private let state = Mutex(State())

    /// Creates an empty store.
    public init() {}

    public func open() async throws {
        state.withLock { $0.isOpen = true }
    }

    public func close() async {
        state.withLock { $0.isOpen = false }
    }

    public func value(for key: StoreKey) async throws -> [UInt8]? {
        try use { $0.values[Key(key)] }
    }

    public func set(_ value: [UInt8]?, for key: StoreKey) async throws {
        try BrainLimits.check(value, for: key)
        try use { $0.set(value, for: key) }
    }

    public func compareAndSet(
        _ value: [UInt8]?, for key: StoreKey, expecting expected: [UInt8]?
    ) async throws -> Bool {
        try BrainLimits.check(value, for: key)
        return try use {
            guard $0.values[Key(key)] == expected else { return false }
            $0.set(value, for: key)
            return true
        }
    }

    public func page(of collection: String?, after cursor: String?, limit: Int) async throws -> StorePage {
        let (collection, cursor) = (collection.map { Array($0.utf8) }, cursor.map { Array($0.utf8) })
        return try use { content in
            let entries =
                content.values
                .filter { key, _ in
                    key.collection == collection && (cursor.map { $0.lexicographicallyPrecedes(key.name) } ?? true)
                }
                .sorted { $0.key.name.lexicographicallyPrecedes($1.key.name) }
            let page = entries.prefix(max(limit, 1)).map { (String(decoding: $0.key.name, as: UTF8.self), $0.value) }
            return StorePage(entries: page, next: entries.count > page.count ? page.last?.0 : nil)
        }
    }

    public func collections(after cursor: String?, limit: Int) async throws -> (names: [String], next: String?) {
        try use { content in
            let names = Set(content.values.keys.compactMap(\.collection))
                .filter { name in cursor.map { Array($0.utf8).lexicographicallyPrecedes(name) } ?? true }
                .sorted { $0.lexicographicallyPrecedes($1) }
            let page = names.prefix(max(limit, 1)).map { String(decoding: $0, as: UTF8.self) }
            return (page, names.count > page.count ? page.last : nil)
        }
    }

    public func firstDue(in collection: String, limit: Int) async throws -> [DueEntry] {
        try use { content in
            let elements = content.due[Array(collection.utf8)]?.elements ?? []
            return elements.prefix(max(limit, 1)).map {
                DueEntry(key: String(decoding: $0.name, as: UTF8.self), time: $0.time)
            }
        }
    }

    private func use<Result>(_ body: (inout Content) -> Result) throws -> Result {
        try state.withLock { state in
            guard state.isOpen else { throw StoreError(.closed, "the store in memory isn't open") }
            return body(&state.content)
        }
    }
}
