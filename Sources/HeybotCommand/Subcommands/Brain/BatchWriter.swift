import Heybot

/// Writes entries in batches, so that a store can sync them to the disk together.
struct BatchWriter {
    /// The maximum size of a batch.
    ///
    /// The limit of bytes is exceeded by one value at most.
    private static let limit = (entries: 256, bytes: 4 << 20)

    private let store: any Store
    /// The next batch, by the bytes of the names.
    ///
    /// A later entry replaces one with the same name.
    private var waiting: [[UInt8]: (key: StoreKey, value: [UInt8])] = [:]
    private var waitingBytes = 0

    init(into store: any Store) {
        self.store = store
    }

    /// Adds an entry.
    ///
    /// Writes the batch first if it is full.
    mutating func add(_ value: [UInt8], for key: StoreKey) async throws {
        if waiting.count >= Self.limit.entries || waitingBytes >= Self.limit.bytes { try await write() }
        waiting[Self.bytes(key)] = (key, value)
        waitingBytes += value.count
    }

    /// Writes the batch.
    ///
    /// If that fails, a part may have been written.
    mutating func write() async throws {
        let entries = waiting.values
        (waiting, waitingBytes) = ([:], 0)
        try await withThrowingTaskGroup(of: Void.self) { [store] group in
            for (key, value) in entries {
                group.addTask { try await store.set(value, for: key) }
            }
            try await group.waitForAll()
        }
    }

    private static func bytes(_ key: StoreKey) -> [UInt8] {
        key.collection.map { [1] + Array($0.utf8) + [0xff] + Array(key.name.utf8) } ?? [0] + Array(key.name.utf8)
    }
}
