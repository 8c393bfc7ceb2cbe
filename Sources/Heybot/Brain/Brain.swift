/// The robot's persistent memory, kept in a ``Store``.
///
/// Every change is one small write of one entry. When a call returns, its change is durable: not even `kill -9` can
/// revert it. Updates of one entry are atomic across tasks and across processes that share the store.
///
/// All calls throw ``StoreError`` if the store fails, and ``BrainCodingError`` if the stored value doesn't have the key's
/// type; the stored value is then left unchanged.
///
/// The closures of `update` run in the caller's isolation, so they may use the caller's state.
public final class Brain: Sendable {
    let store: any Store
    private let locks = KeyLocks()

    /// Creates a brain.
    ///
    /// Call ``open()`` before using it.
    public init(store: any Store) {
        self.store = store
    }

    /// Opens the store.
    ///
    /// The robot calls this before any script runs.
    public func open() async throws {
        try await store.open()
    }

    /// Closes the store once all calls that were started have finished.
    public func close() async {
        await store.close()
    }

    /// Reads from the store, to check that it answers.
    func check() async throws {
        _ = try await store.value(for: StoreKey(name: "heybot.health"))
    }

    // MARK: One value

    /// Returns the value; nil if there is none.
    public func recall<Value>(_ key: BrainKey<Value>) async throws -> Value? {
        try await recall(StoreKey(key))
    }

    /// Sets the value.
    public func remember<Value>(_ key: BrainKey<Value>, _ value: Value) async throws {
        try await set(value, StoreKey(key))
    }

    /// Deletes the value.
    public func forget<Value>(_ key: BrainKey<Value>) async throws {
        try await store.set(nil, for: StoreKey(key))
    }

    /// Changes the value in place, starting from `initial` if there is none, and returns the result of `change`.
    ///
    /// If another process changes it at the same time, `change` runs again on the newer value.
    public nonisolated(nonsending) func update<Value, Result>(
        _ key: BrainKey<Value>, default initial: @autoclosure () -> Value,
        _ change: (inout Value) throws -> Result
    ) async throws -> Result {
        try await update(StoreKey(key), default: initial(), change)
    }

    /// Changes the value in place.
    ///
    /// Nil means no value, both before and after.
    public nonisolated(nonsending) func update<Value, Result>(
        _ key: BrainKey<Value>, _ change: (inout Value?) throws -> Result
    ) async throws -> Result {
        try await update(StoreKey(key), change)
    }

    // MARK: A collection

    /// Returns the entry at a key; nil if there is none.
    public func recall<Value>(_ collection: BrainCollection<Value>, _ key: String) async throws -> Value? {
        try await recall(StoreKey(collection, key))
    }

    /// Sets one entry.
    public func remember<Value>(_ collection: BrainCollection<Value>, _ key: String, _ value: Value) async throws {
        try await set(value, StoreKey(collection, key))
    }

    /// Deletes one entry.
    public func forget<Value>(_ collection: BrainCollection<Value>, _ key: String) async throws {
        try await store.set(nil, for: StoreKey(collection, key))
    }

    /// Changes one entry in place, starting from `initial` if there is none, and returns the result of `change`.
    ///
    /// If another process changes it at the same time, `change` runs again on the newer value.
    public nonisolated(nonsending) func update<Value, Result>(
        _ collection: BrainCollection<Value>, _ key: String, default initial: @autoclosure () -> Value,
        _ change: (inout Value) throws -> Result
    ) async throws -> Result {
        try await update(StoreKey(collection, key), default: initial(), change)
    }

    /// Changes one entry in place.
    ///
    /// Nil means no entry, both before and after.
    public nonisolated(nonsending) func update<Value, Result>(
        _ collection: BrainCollection<Value>, _ key: String, _ change: (inout Value?) throws -> Result
    ) async throws -> Result {
        try await update(StoreKey(collection, key), change)
    }

    /// Returns all entries of a collection in unspecified order, read a page at a time.
    ///
    /// An entry that exists throughout the iteration occurs at least once. One that is added or deleted meanwhile may be
    /// missing.
    public func entries<Value>(_ collection: BrainCollection<Value>) -> Entries<Value> {
        Entries(store: store, collection: collection.name)
    }

    // MARK: Implementation

    private func recall<Value: Decodable>(_ key: StoreKey) async throws -> Value? {
        try await store.value(for: key).map { try BrainCoder.decode($0, key) }
    }

    private func set<Value: Encodable>(_ value: Value, _ key: StoreKey) async throws {
        try await store.set(BrainCoder.encode(value, key), for: key)
    }

    private nonisolated(nonsending) func update<Value: Codable, Result>(
        _ key: StoreKey, default initial: @autoclosure () -> Value, _ change: (inout Value) throws -> Result
    ) async throws -> Result {
        try await update(key) { (value: inout Value?) in
            var present = value ?? initial()
            let result = try change(&present)
            value = present
            return result
        }
    }

    private nonisolated(nonsending) func update<Value: Codable, Result>(
        _ key: StoreKey, _ change: (inout Value?) throws -> Result
    ) async throws -> Result {
        // One at a time within this process, so that the compare-and-set fails only if another process was faster.
        try await locks.lock(key)
        defer { locks.unlock(key) }
        while true {
            let before = try await store.value(for: key)
            var value: Value? = try before.map { try BrainCoder.decode($0, key) }
            let result = try change(&value)
            let after = try value.map { try BrainCoder.encode($0, key) }
            try Task.checkCancellation()
            if after == before { return result }
            if try await store.compareAndSet(after, for: key, expecting: before) { return result }
        }
    }
}

extension Brain {
    /// The entries of a collection, in the order of the store.
    public struct Entries<Value: Codable & Sendable>: AsyncSequence, Sendable {
        public typealias Element = (key: String, value: Value)

        fileprivate let store: any Store
        fileprivate let collection: String

        public func makeAsyncIterator() -> Iterator {
            Iterator(store: store, collection: collection)
        }

        /// The iterator over the entries, which reads a page at a time.
        public struct Iterator: AsyncIteratorProtocol {
            fileprivate let store: any Store
            fileprivate let collection: String
            private var page: ArraySlice<(key: String, value: [UInt8])> = []
            private var cursor: String?
            private var isLastPage = false

            fileprivate init(store: any Store, collection: String) {
                self.store = store
                self.collection = collection
            }

            public mutating func next() async throws -> Element? {
                while page.isEmpty {
                    if isLastPage { return nil }
                    let next = try await store.page(of: collection, after: cursor, limit: 200)
                    page = next.entries[...]
                    cursor = next.next
                    isLastPage = next.next == nil
                }
                let entry = page.removeFirst()
                let key = StoreKey(collection: collection, name: entry.key)
                return (entry.key, try BrainCoder.decode(entry.value, key))
            }
        }
    }
}

extension StoreKey {
    fileprivate init<Value>(_ key: BrainKey<Value>) {
        self.init(name: key.name)
    }

    fileprivate init<Value>(_ collection: BrainCollection<Value>, _ key: String) {
        self.init(collection: collection.name, name: key)
    }
}
