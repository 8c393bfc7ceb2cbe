import Heybot
import Metrics

/// A store that records the duration and errors of its calls.
struct InstrumentedStore: Store {
    private let store: any Store
    private let reads: Metrics.Timer
    private let writes: Metrics.Timer
    private let walks: Metrics.Timer
    private let errors: Counter

    init(_ store: any Store, factory: any MetricsFactory) {
        func timer(_ call: String) -> Metrics.Timer {
            Metrics.Timer(label: "heybot_brain_seconds", dimensions: [("call", call)], factory: factory)
        }
        self.store = store
        reads = timer("read")
        writes = timer("write")
        walks = timer("walk")
        errors = Counter(label: "heybot_brain_errors_total", dimensions: [], factory: factory)
    }

    func open() async throws { try await store.open() }

    func close() async { await store.close() }

    func value(for key: StoreKey) async throws -> [UInt8]? {
        try await count(reads) { try await store.value(for: key) }
    }

    func set(_ value: [UInt8]?, for key: StoreKey) async throws {
        try await count(writes) { try await store.set(value, for: key) }
    }

    func compareAndSet(_ value: [UInt8]?, for key: StoreKey, expecting expected: [UInt8]?) async throws -> Bool {
        try await count(writes) { try await store.compareAndSet(value, for: key, expecting: expected) }
    }

    func page(of collection: String?, after cursor: String?, limit: Int) async throws -> StorePage {
        try await count(walks) { try await store.page(of: collection, after: cursor, limit: limit) }
    }

    func collections(after cursor: String?, limit: Int) async throws -> (names: [String], next: String?) {
        try await count(walks) { try await store.collections(after: cursor, limit: limit) }
    }

    func firstDue(in collection: String, limit: Int) async throws -> [DueEntry] {
        try await count(reads) { try await store.firstDue(in: collection, limit: limit) }
    }

    private nonisolated(nonsending) func count<Result>(
        _ timer: Metrics.Timer, _ call: () async throws -> Result
    ) async throws -> Result {
        let began = ContinuousClock.now
        do {
            let result = try await call()
            timer.record(duration: ContinuousClock.now - began)
            return result
        } catch {
            errors.increment()
            throw error
        }
    }
}
