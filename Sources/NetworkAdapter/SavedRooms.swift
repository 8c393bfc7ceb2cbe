package import Heybot
package import Logging
import Synchronization

/// Stores the rooms that an adapter has joined by invitation or command in the brain, so that it rejoins them after a restart.
package final class SavedRooms<Kept: Codable & Hashable & Sendable>: Sendable {
    private let brain: Brain?
    private let memory: BrainKey<[Kept]>
    private let logger: Logger
    private let saved = Mutex<[Kept]>([])
    private let changes: AsyncStream<Void>
    private let continuation: AsyncStream<Void>.Continuation

    /// - Parameters:
    ///   - adapter: The adapter's name.
    ///   - brain: Stores the rooms; nil to forget them at the end.
    package init(of adapter: String, in brain: Brain?, logger: Logger) {
        self.brain = brain
        self.logger = logger
        memory = BrainKey("\(adapter).rooms")
        (changes, continuation) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
    }

    /// Reads the rooms from the brain.
    package func recall() async -> [Kept] {
        guard let brain else { return [] }
        do {
            let rooms = try await brain.recall(memory) ?? []
            saved.withLock { $0 = rooms }
            return rooms
        } catch {
            logger.warning("can't load the list of rooms that I was asked to join: \(error)")
            return []
        }
    }

    /// Schedules a save, because the rooms may have changed.
    package func change() { continuation.yield() }

    /// Saves the rooms whenever they have changed while `run` runs, and when it ends.
    ///
    /// - Parameter rooms: Returns the current rooms.
    package func save(_ rooms: @escaping @Sendable () -> [Kept], while run: () async -> Void) async {
        let saving = Task { for await _ in changes { await save(rooms) } }
        await run()
        saving.cancel()
        await saving.value
        await save(rooms)
    }

    /// Saves the rooms if they have changed.
    ///
    /// - Parameter rooms: Returns the current rooms.
    package func save(_ rooms: @Sendable () -> [Kept]) async {
        guard let brain else { return }
        do {
            // A concurrent call may write an older list after this one, so repeat until the brain has the current one.
            while true {
                let rooms = rooms()
                guard saved.withLock({ $0 != rooms }) else { return }
                if rooms.isEmpty { try await brain.forget(memory) } else { try await brain.remember(memory, rooms) }
                saved.withLock { $0 = rooms }
            }
        } catch {
            logger.warning("can't save the list of rooms that I was asked to join: \(error)")
        }
    }
}
