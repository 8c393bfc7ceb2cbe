public import Heybot
import Synchronization

/// A store in memory, for tests.
///
/// Its content isn't persistent.
public final class MemoryStore: Store {
    private struct State {
        var values: [Key: [UInt8]] = [:]
        var isOpen = false
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
        try use { $0[Key(key)] }
    }

    public func set(_ value: [UInt8]?, for key: StoreKey) async throws {
        try BrainLimits.check(value, for: key)
        try use { $0[Key(key)] = value }
    }

    public func compareAndSet(
        _ value: [UInt8]?, for key: StoreKey, expecting expected: [UInt8]?
    ) async throws -> Bool {
        try BrainLimits.check(value, for: key)
        return try use {
            guard $0[Key(key)] == expected else { return false }
            $0[Key(key)] = value
            return true
        }
    }

    public func page(of collection: String?, after cursor: String?, limit: Int) async throws -> StorePage {
        let (collection, cursor) = (collection.map { Array($0.utf8) }, cursor.map { Array($0.utf8) })
        return try use { values in
            let entries =
                values
                .filter { key, _ in
                    key.collection == collection && (cursor.map { $0.lexicographicallyPrecedes(key.name) } ?? true)
                }
                .sorted { $0.key.name.lexicographicallyPrecedes($1.key.name) }
            let page = entries.prefix(max(limit, 1)).map { (String(decoding: $0.key.name, as: UTF8.self), $0.value) }
            return StorePage(entries: page, next: entries.count > page.count ? page.last?.0 : nil)
        }
    }

    public func collections(after cursor: String?, limit: Int) async throws -> (names: [String], next: String?) {
        try use { values in
            let names = Set(values.keys.compactMap(\.collection))
                .filter { name in cursor.map { Array($0.utf8).lexicographicallyPrecedes(name) } ?? true }
                .sorted { $0.lexicographicallyPrecedes($1) }
            let page = names.prefix(max(limit, 1)).map { String(decoding: $0, as: UTF8.self) }
            return (page, names.count > page.count ? page.last : nil)
        }
    }

    private func use<Result>(_ body: (inout [Key: [UInt8]]) -> Result) throws -> Result {
        try state.withLock { state in
            guard state.isOpen else { throw StoreError(.closed, "the store in memory isn't open") }
            return body(&state.values)
        }
    }
}
