package import Heybot
package import HeybotSockets

/// A connection for a preflight check.
///
/// It ends when the session is ready, has failed, or has timed out.
package struct PreflightProbe<LogEntry: Sendable>: Sendable {
    /// An event during the check.
    package enum Event: Sendable {
        case connected(Connection)
        case logged(LogEntry)
        /// The connection ended by itself.
        case ended(ConnectionFailure)
        /// The time is up.
        case timedOut
    }

    /// What the probe observed.
    package struct Observations<Snapshot: Sendable>: Sendable {
        /// The last connection that was opened.
        package let connection: Connection?
        package let encryption: TLSConnectionSummary?
        package let entries: [LogEntry]
        /// The state before the robot disconnected.
        package let snapshot: Snapshot
        /// Why the connection ended by itself; nil if the robot disconnected.
        package let failure: ConnectionFailure?
    }

    private let events: AsyncStream<Event>
    private let continuation: AsyncStream<Event>.Continuation

    package init() {
        (events, continuation) = AsyncStream.makeStream()
    }

    /// Pass this to the session driver, which calls it with each event.
    package var watch: @Sendable (Event) -> Void { { [continuation] in continuation.yield($0) } }

    /// Runs the check.
    ///
    /// May only be called once.
    ///
    /// - Parameters:
    ///   - limit: How long it may take.
    ///   - isDone: Whether the session is ready, judging by a log entry.
    ///   - snapshot: Captures the state before disconnecting.
    ///   - whenReady: Finds out more, once the session is ready.
    ///   - connect: Connects to the server, and returns when the connection has ended; disconnects if its task is canceled.
    package func run<Snapshot: Sendable>(
        within limit: Duration, _ timeSource: TimeSource, until isDone: (LogEntry) -> Bool, snapshot: () -> Snapshot,
        whenReady: @Sendable () async -> Void = {},
        connect: @escaping @Sendable () async -> ConnectionFailure
    ) async -> Observations<Snapshot> {
        let connecting = Task { watch(.ended(await connect())) }
        let waiting = Task {
            try await timeSource.sleep(limit)
            watch(.timedOut)
        }
        var connection: Connection?
        var entries: [LogEntry] = []
        var failure: ConnectionFailure?
        loop: for await event in events {
            switch event {
            case .connected(let new): connection = new
            case .logged(let entry):
                entries.append(entry)
                if isDone(entry) {
                    await whenReady()
                    break loop
                }
            case .ended(let why):
                failure = why
                break loop
            case .timedOut: break loop
            }
        }
        let snapshot = snapshot()
        waiting.cancel()
        connecting.cancel()
        await connecting.value
        return Observations(
            connection: connection, encryption: await connection?.encryption(), entries: entries, snapshot: snapshot,
            failure: failure)
    }
}
