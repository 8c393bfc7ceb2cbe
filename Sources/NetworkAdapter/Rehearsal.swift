package import Heybot
package import HeybotSockets

/// A visit to a server that is over once we are where we want to be, or can't be.
package struct Rehearsal<Note: Sendable>: Sendable {
    /// What happens meanwhile.
    package enum Event: Sendable {
        case connected(Connection)
        case noted(Note)
        /// It was over by itself.
        case ended(Trouble)
        /// It takes too long.
        case late
    }

    /// What came of it.
    package struct Outcome<Look: Sendable>: Sendable {
        /// The last connection there was.
        package let connection: Connection?
        package let encryption: Encryption?
        package let notes: [Note]
        /// How it looked before we left.
        package let look: Look
        /// Why it was over by itself; nil if we left, or had no time left.
        package let trouble: Trouble?
    }

    private let events: AsyncStream<Event>
    private let continuation: AsyncStream<Event>.Continuation

    package init() {
        (events, continuation) = AsyncStream.makeStream()
    }

    /// To be told what happens.
    package var watch: @Sendable (Event) -> Void { { [continuation] in continuation.yield($0) } }

    /// Makes the visit, once.
    ///
    /// - Parameters:
    ///   - limit: How long it may take.
    ///   - isSettled: Whether we are where we want to be.
    ///   - look: Looks at what was reached.
    ///   - visit: Is at the server until that is over, and leaves if its task is cancelled.
    package func hold<Look: Sendable>(
        within limit: Duration, _ timeline: Timeline, until isSettled: (Note) -> Bool, look: () -> Look,
        visit: @escaping @Sendable () async -> Trouble
    ) async -> Outcome<Look> {
        let visiting = Task { watch(.ended(await visit())) }
        let waiting = Task {
            try await timeline.sleep(limit)
            watch(.late)
        }
        var connection: Connection?
        var notes: [Note] = []
        var trouble: Trouble?
        loop: for await event in events {
            switch event {
            case .connected(let new): connection = new
            case .noted(let note):
                notes.append(note)
                if isSettled(note) { break loop }
            case .ended(let why):
                trouble = why
                break loop
            case .late: break loop
            }
        }
        let look = look()
        waiting.cancel()
        visiting.cancel()
        await visiting.value
        return Outcome(
            connection: connection, encryption: await connection?.encryption(), notes: notes, look: look,
            trouble: trouble)
    }
}
