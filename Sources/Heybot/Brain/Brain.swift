import FoundationEssentials

/// What a robot remembers, kept in a ``Store``.
///
/// Every change is one small write of one entry. When a call returns, its change is in the store: not even `kill -9`
/// takes it back. Updates of one entry are atomic, across tasks and across processes that share the store.
///
/// All calls throw ``StoreError`` if the store can't, and ``BrainError`` if what is stored isn't of the memory's
/// type; then the value is left as it is.
///
/// The closures of `update` run where its caller does, so they may use what is the caller's.
public final class Brain: Sendable {
    let store: any Store
    private let locks = KeyLocks()

    /// Makes a brain that is opened with ``open()``.
    public init(store: any Store) {
        self.store = store
    }

    /// Opens the store.
    ///
    /// The robot does it, before any script runs.
    public func open() async throws {
        try await store.open()
    }

    /// Closes the store, after all that was begun is done.
    public func close() async {
        await store.close()
    }

    /// Asks the store for something, to know whether it answers.
    func check() async throws {
        _ = try await store.value(for: StoreKey(name: "heybot.health"))
    }

    // MARK: One value

    /// The value; nil if nothing is remembered.
    public func recall<Value>(_ memory: Memory<Value>) async throws -> Value? {
        try await recall(StoreKey(memory))
    }

    /// Sets the value.
    public func remember<Value>(_ memory: Memory<Value>, _ value: Value) async throws {
        try await set(value, StoreKey(memory))
    }

    /// Takes the value away.
    public func forget<Value>(_ memory: Memory<Value>) async throws {
        try await store.set(nil, for: StoreKey(memory))
    }

    /// Changes the value in place, from `initial` if there is none, and returns what `change` returns.
    ///
    /// If another process changes it at the same time, `change` runs again on the newer value.
    public nonisolated(nonsending) func update<Value, Result>(
        _ memory: Memory<Value>, default initial: @autoclosure () -> Value,
        _ change: (inout Value) throws -> Result
    ) async throws -> Result {
        try await update(StoreKey(memory), default: initial(), change)
    }

    /// Changes the value in place, nil standing for none, before and after.
    public nonisolated(nonsending) func update<Value, Result>(
        _ memory: Memory<Value>, _ change: (inout Value?) throws -> Result
    ) async throws -> Result {
        try await update(StoreKey(memory), change)
    }

    // MARK: A collection

    /// One entry; nil if there is none at that key.
    public func recall<Value>(_ memories: Memories<Value>, _ key: String) async throws -> Value? {
        try await recall(StoreKey(memories, key))
    }

    /// Sets one entry.
    public func remember<Value>(_ memories: Memories<Value>, _ key: String, _ value: Value) async throws {
        try await set(value, StoreKey(memories, key))
    }

    /// Takes one entry away.
    public func forget<Value>(_ memories: Memories<Value>, _ key: String) async throws {
        try await store.set(nil, for: StoreKey(memories, key))
    }

    /// Changes one entry in place, from `initial` if there is none, and returns what `change` returns.
    ///
    /// If another process changes it at the same time, `change` runs again on the newer value.
    public nonisolated(nonsending) func update<Value, Result>(
        _ memories: Memories<Value>, _ key: String, default initial: @autoclosure () -> Value,
        _ change: (inout Value) throws -> Result
    ) async throws -> Result {
        try await update(StoreKey(memories, key), default: initial(), change)
    }

    /// Changes one entry in place, nil standing for none, before and after.
    public nonisolated(nonsending) func update<Value, Result>(
        _ memories: Memories<Value>, _ key: String, _ change: (inout Value?) throws -> Result
    ) async throws -> Result {
        try await update(StoreKey(memories, key), change)
    }

    /// All entries of a collection, read a page at a time and in no order that means anything.
    ///
    /// An entry that is there all the while comes at least once; one that comes or goes meanwhile may or may not.
    public func entries<Value>(_ memories: Memories<Value>) -> Entries<Value> {
        Entries(store: store, collection: memories.name)
    }

    // MARK: How

    private func recall<Value: Decodable>(_ key: StoreKey) async throws -> Value? {
        try await store.value(for: key).map { try decode($0, key) }
    }

    private func set<Value: Encodable>(_ value: Value, _ key: StoreKey) async throws {
        try await store.set(encode(value, key), for: key)
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
        // Within this process one at a time, so that only another process can make the store refuse.
        try await locks.lock(key)
        defer { locks.unlock(key) }
        while true {
            let before = try await store.value(for: key)
            var value: Value? = try before.map { try decode($0, key) }
            let result = try change(&value)
            let after = try value.map { try encode($0, key) }
            try Task.checkCancellation()
            if after == before { return result }
            if try await store.compareAndSet(after, for: key, expecting: before) { return result }
        }
    }
}

extension Brain {
    /// The entries of a collection, as they come from the store.
    public struct Entries<Value: Codable & Sendable>: AsyncSequence, Sendable {
        public typealias Element = (key: String, value: Value)

        fileprivate let store: any Store
        fileprivate let collection: String

        public func makeAsyncIterator() -> Iterator {
            Iterator(store: store, collection: collection)
        }

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
                return (entry.key, try decode(entry.value, StoreKey(collection: collection, name: entry.key)))
            }
        }
    }
}

/// A value in the brain that doesn't fit the type its name says, or the other way round.
public enum BrainError: Error, Hashable, CustomStringConvertible {
    /// What is stored there isn't of that type. It was left as it is.
    case unreadable(StoreKey, expected: String)
    /// The value can't be written as JSON (a number that isn't finite, say).
    case unwritable(StoreKey, type: String)

    public var description: String {
        switch self {
        case .unreadable(let key, let expected):
            "what the brain holds at \(key) isn't \(expected); it was left as it is: mend it or take it away by hand"
        case .unwritable(let key, let type):
            "this \(type) for \(key) can't be written as JSON, so the brain keeps what it had"
        }
    }
}

extension StoreKey {
    fileprivate init<Value>(_ memory: Memory<Value>) {
        self.init(name: memory.name)
    }

    fileprivate init<Value>(_ memories: Memories<Value>, _ key: String) {
        self.init(collection: memories.name, name: key)
    }
}

private func decode<Value: Decodable>(_ bytes: [UInt8], _ key: StoreKey) throws -> Value {
    do {
        let decoder = JSONDecoder()
        decoder.dateDecodingStrategy = .custom(StoredDate.read)
        return try decoder.decode(Value.self, from: Data(bytes))
    } catch {
        throw BrainError.unreadable(key, expected: "\(Value.self)")
    }
}

private func encode<Value: Encodable>(_ value: Value, _ key: StoreKey) throws -> [UInt8] {
    // Sorted, so that the same value is the same bytes.
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    encoder.dateEncodingStrategy = .custom(StoredDate.write)
    guard let data = try? encoder.encode(value) else { throw BrainError.unwritable(key, type: "\(Value.self)") }
    let value = Array(data)
    try BrainLimits.check(value, for: key)
    return value
}
