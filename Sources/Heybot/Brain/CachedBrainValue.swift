import Synchronization

/// A value of the brain with a copy in memory, so that reading it doesn't wait for the store.
final class CachedBrainValue<Value: Codable & Sendable>: Sendable {
    private let brainKey: BrainKey<Value>
    private let empty: Value
    private let adding: @Sendable (Value) -> Value
    private let current: Mutex<StoredAndEffectiveValue>
    private let turns = KeyLocks()

    private struct StoredAndEffectiveValue {
        var remembered: Value
        /// The remembered value combined with what isn't remembered, such as settings.
        var all: Value
    }

    /// - Parameters:
    ///   - empty: The value if the brain has none.
    ///   - adding: Combines the remembered value with what isn't remembered, such as settings.
    init(_ brainKey: BrainKey<Value>, empty: Value, adding: @escaping @Sendable (Value) -> Value = { $0 }) {
        self.brainKey = brainKey
        self.empty = empty
        self.adding = adding
        current = Mutex(StoredAndEffectiveValue(remembered: empty, all: adding(empty)))
    }

    /// The combined value, as of the last read or change.
    var value: Value { current.withLock { $0.all } }

    /// Combines the values again, after what isn't remembered has changed.
    func refresh() {
        current.withLock { $0.all = adding($0.remembered) }
    }

    /// Reads the value again: another robot with the same brain may have changed it.
    func load(from brain: Brain) async throws {
        try await set { (try await brain.recall(brainKey) ?? empty, ()) }
    }

    /// Changes the value, in the brain first.
    func update<Result: Sendable>(
        in brain: Brain, _ change: @Sendable (inout Value) throws -> Result
    ) async throws -> Result {
        try await set {
            try await brain.update(brainKey, default: empty) { value in
                let result = try change(&value)
                return (value, result)
            }
        }
    }

    /// Runs one body at a time: an older read must not overwrite a newer write.
    private func set<Result>(_ body: () async throws -> (Value, Result)) async throws -> Result {
        let key = StoreKey(name: brainKey.name)
        try await turns.lock(key)
        defer { turns.unlock(key) }
        let (value, result) = try await body()
        current.withLock { $0 = StoredAndEffectiveValue(remembered: value, all: adding(value)) }
        return result
    }
}
