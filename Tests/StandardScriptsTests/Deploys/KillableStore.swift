import Heybot
import HeybotTesting
import Synchronization

/// The store of a robot whose process can be killed: after that it changes nothing any more.
///
/// Several robots share what is stored.
final class KillableStore: Store {
    private let base: MemoryStore
    private let isDead = Mutex(false)

    init(_ base: MemoryStore) { self.base = base }

    func kill() { isDead.withLock { $0 = true } }

    private func check() throws {
        if isDead.withLock({ $0 }) { throw StoreError(.closed, "the process was killed") }
    }

    func open() async throws { try await base.open() }

    // Other robots still use it.
    func close() async {}

    func value(for key: StoreKey) async throws -> [UInt8]? {
        try check()
        return try await base.value(for: key)
    }

    func set(_ value: [UInt8]?, for key: StoreKey) async throws {
        try check()
        try await base.set(value, for: key)
    }

    func compareAndSet(_ value: [UInt8]?, for key: StoreKey, expecting expected: [UInt8]?) async throws -> Bool {
        try check()
        return try await base.compareAndSet(value, for: key, expecting: expected)
    }

    func page(of collection: String?, after cursor: String?, limit: Int) async throws -> StorePage {
        try check()
        return try await base.page(of: collection, after: cursor, limit: limit)
    }

    func collections(after cursor: String?, limit: Int) async throws -> (names: [String], next: String?) {
        try check()
        return try await base.collections(after: cursor, limit: limit)
    }
}
