package import Heybot
package import Logging
import Synchronization

/// The rooms that an adapter was brought into by invitation or command, kept in the brain, so that it is back there after a
/// restart.
package final class KeptRooms<Kept: Codable & Hashable & Sendable>: Sendable {
    private let brain: Brain?
    private let memory: Memory<[Kept]>
    private let logger: Logger
    private let saved = Mutex<[Kept]>([])
    private let changes: AsyncStream<Void>
    private let continuation: AsyncStream<Void>.Continuation

    /// - Parameters:
    ///   - adapter: The name of the adapter.
    ///   - brain: What keeps the rooms; without one they are forgotten at the end.
    package init(of adapter: String, in brain: Brain?, logger: Logger) {
        self.brain = brain
        self.logger = logger
        memory = Memory("\(adapter).rooms")
        (changes, continuation) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
    }

    /// The rooms that the brain knows.
    package func recall() async -> [Kept] {
        guard let brain else { return [] }
        do {
            let rooms = try await brain.recall(memory) ?? []
            saved.withLock { $0 = rooms }
            return rooms
        } catch {
            logger.warning("the rooms joined by invitation or command aren't known: \(error)")
            return []
        }
    }

    /// Has the rooms saved soon: the rooms may have changed.
    package func change() { continuation.yield() }

    /// Saves the rooms whenever they have changed, for as long as something runs, and at its end.
    ///
    /// - Parameter rooms: Gives those of this moment.
    package func save(_ rooms: @escaping @Sendable () -> [Kept], while run: () async -> Void) async {
        let saving = Task { for await _ in changes { await save(rooms) } }
        await run()
        saving.cancel()
        await saving.value
        await save(rooms)
    }

    /// Saves the rooms if they have changed.
    ///
    /// - Parameter rooms: Gives those of this moment.
    package func save(_ rooms: @Sendable () -> [Kept]) async {
        guard let brain else { return }
        do {
            // Another call may write an older list after this one: until the brain has the present one.
            while true {
                let rooms = rooms()
                guard saved.withLock({ $0 != rooms }) else { return }
                if rooms.isEmpty { try await brain.forget(memory) } else { try await brain.remember(memory, rooms) }
                saved.withLock { $0 = rooms }
            }
        } catch {
            logger.warning("the rooms joined by invitation or command can't be kept: \(error)")
        }
    }
}
