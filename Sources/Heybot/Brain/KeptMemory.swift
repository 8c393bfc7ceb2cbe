import Synchronization

/// A value of the brain that is kept at hand too, so that it can be looked at without waiting.
final class KeptMemory<Value: Codable & Sendable>: Sendable {
    private let memory: Memory<Value>
    private let empty: Value
    private let adding: @Sendable (Value) -> Value
    private let present: Mutex<Present>
    private let turns = KeyLocks()

    private struct Present {
        var remembered: Value
        /// The same with what holds besides.
        var all: Value
    }

    /// - Parameters:
    ///   - empty: What is remembered if nothing is.
    ///   - adding: Adds what holds besides, and isn't remembered.
    init(_ memory: Memory<Value>, empty: Value, adding: @escaping @Sendable (Value) -> Value = { $0 }) {
        self.memory = memory
        self.empty = empty
        self.adding = adding
        present = Mutex(Present(remembered: empty, all: adding(empty)))
    }

    /// As it was when it was read or changed last, with what holds besides.
    var value: Value { present.withLock { $0.all } }

    /// Adds again what holds besides, after that has changed.
    func refresh() {
        present.withLock { $0.all = adding($0.remembered) }
    }

    /// Reads it again: another robot with the same brain may have changed it.
    func load(from brain: Brain) async throws {
        try await set { (try await brain.recall(memory) ?? empty, ()) }
    }

    /// Changes it, in the brain first.
    func update<Result: Sendable>(
        in brain: Brain, _ change: @Sendable (inout Value) throws -> Result
    ) async throws -> Result {
        try await set {
            try await brain.update(memory, default: empty) { value in
                let result = try change(&value)
                return (value, result)
            }
        }
    }

    /// One at a time: what was read first must not undo what was written after.
    private func set<Result>(_ body: () async throws -> (Value, Result)) async throws -> Result {
        let key = StoreKey(name: memory.name)
        try await turns.lock(key)
        defer { turns.unlock(key) }
        let (value, result) = try await body()
        present.withLock { $0 = Present(remembered: value, all: adding(value)) }
        return result
    }
}
