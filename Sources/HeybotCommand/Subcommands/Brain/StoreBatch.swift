import Heybot

/// Entries on their way into a store, written some at a time, since the store shares its waits for the disk.
struct StoreBatch {
    /// How many entries are written at once, and after how many bytes of values.
    private static let limit = (entries: 256, bytes: 4 << 20)

    private let store: any Store
    /// What is to be written next, by the bytes of its name: of two with the same name, the later counts.
    private var waiting: [[UInt8]: (key: StoreKey, value: [UInt8])] = [:]
    private var waitingBytes = 0

    init(into store: any Store) {
        self.store = store
    }

    /// Adds an entry, once there is room for it.
    mutating func add(_ value: [UInt8], for key: StoreKey) async throws {
        if waiting.count >= Self.limit.entries || waitingBytes >= Self.limit.bytes { try await write() }
        waiting[Self.bytes(key)] = (key, value)
        waitingBytes += value.count
    }

    /// Writes what waits; if that fails, some of it may have been written.
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
