import HeybotTesting
import Synchronization
import Testing

@testable import Heybot

@Suite(.timeLimit(.minutes(1))) struct SwitchboardTests {
    /// A store whose next read waits until it is let go, with what it found before.
    private final class SlowStore: Store {
        let store = MemoryStore()
        let hasRead = Signal()
        let goOn = Signal()
        let isSlow = Atomic(false)

        func open() async throws { try await store.open() }
        func close() async { await store.close() }

        func value(for key: StoreKey) async throws -> [UInt8]? {
            let value = try await store.value(for: key)
            if isSlow.exchange(false, ordering: .relaxed) {
                hasRead.set()
                await goOn.wait()
            }
            return value
        }

        func set(_ value: [UInt8]?, for key: StoreKey) async throws { try await store.set(value, for: key) }

        func compareAndSet(_ value: [UInt8]?, for key: StoreKey, expecting: [UInt8]?) async throws -> Bool {
            try await store.compareAndSet(value, for: key, expecting: expecting)
        }

        func page(of collection: String?, after cursor: String?, limit: Int) async throws -> StorePage {
            try await store.page(of: collection, after: cursor, limit: limit)
        }

        func collections(after cursor: String?, limit: Int) async throws -> (names: [String], next: String?) {
            try await store.collections(after: cursor, limit: limit)
        }
    }

    @Test func `what was read before a switch doesn't undo it`() async throws {
        let store = SlowStore()
        let robot = Robot(
            adapters: [HandAdapter()], brain: Brain(store: store), scripts: [Inline("Thing") { $0.hear(/x/) { _ in } }])
        try await robot.brain.open()
        store.isSlow.store(true, ordering: .relaxed)
        async let loading: Void = robot.loadSwitches()
        await store.hasRead.wait()
        async let turning: Void = robot.turn("Thing", on: false)
        store.goOn.set()
        try await loading
        try await turning
        #expect(robot.switches.off == ["Thing"])
        try await robot.turn("Thing", on: true)
        #expect(robot.switches.off == [])
        await robot.brain.close()
    }
}
