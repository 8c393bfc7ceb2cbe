package import FoundationEssentials
package import HeybotSockets
import Logging

/// The state that each ``SessionManager`` has.
package struct SessionManagerState<Session: ProtocolSession, LogEntry: SessionLogEntry>: Sendable {
    /// What the loop that reads the connection does next.
    package enum ReadLoopAction: Sendable {
        case read
        /// Encrypts the connection.
        case startTLS(TLSOptions)
        /// Stops for this reason, after waiting for sent data to arrive.
        case stop(ConnectionFailure, after: Duration = .zero)
    }

    /// The session, while there is a connection.
    package var session: Session?
    package private(set) var connection: Connection?
    private var hasUnflushed = false
    /// The values of the encrypted connection that a login can be bound to.
    package internal(set) var channelBindings = TLSChannelBindings()
    package var status: ConnectionStatusTracker
    /// Whether the robot has quit.
    package private(set) var hasQuit = false
    package var next = ReadLoopAction.read
    private var offlineQueue: OfflineQueue<Session.OutgoingMessage>
    private var entries: [LogEntry] = []
    /// The entries logged once whose condition isn't over.
    private var loggedEntries: Set<LogEntry> = []
    private var trace: [String] = []
    private let isTracing: Bool
    var wakeup: ScheduledWakeup?
    /// The robot's name, whatever its nick is; empty before the adapter runs.
    package internal(set) var robotName = ""
    /// The message to quit with.
    private let farewell: String

    /// If the connection has this many unsent bytes, it counts as congested.
    private static var maxUnsent: Int { 262_144 }
    /// The most traffic lines that are kept for the log at once.
    private static var maxTraced: Int { 1_000 }
    private static var maxLoggedEntries: Int { 1_000 }

    /// - Parameters:
    ///   - queueLimit: The number of messages that are kept while there is no connection.
    ///   - farewell: The message to quit with.
    ///   - isTracing: Whether all traffic is logged.
    ///   - since: When a message was queued.
    package init(
        date: @escaping @Sendable () -> Date, queueLimit: Int, farewell: String,
        isTracing: Bool,
        since: @escaping @Sendable (Session.OutgoingMessage) -> Duration
    ) {
        status = ConnectionStatusTracker(date: date)
        offlineQueue = OfflineQueue(limit: queueLimit, since: since)
        self.farewell = farewell
        self.isTracing = isTracing
    }

    // These three are mutating because a caller that is generic copies the whole state, with the session, to read a property.

    /// What the loop that reads the connection does next.
    mutating func nextAction() -> ReadLoopAction { next }

    /// Whether a wakeup is scheduled for this time or an earlier one.
    mutating func wakesUp(by due: Duration) -> Bool { wakeup.map { $0.due <= due } ?? false }

    /// Removes and returns the scheduled wakeup.
    mutating func takeWakeup() -> ScheduledWakeup? { wakeup.take() }

    /// Why the session has ended; nil while it hasn't.
    package var failure: ConnectionFailure? { if case .stop(let failure, _) = next { failure } else { nil } }

    /// The number of messages that aren't sent yet.
    var unsent: Int { session?.unsentCount ?? offlineQueue.items.count }
    /// How many of them only wait for the rate limit.
    package var waiting: Int { session.map { $0.isOnline ? $0.unsentCount : 0 } ?? 0 }

    /// Ends the session.
    package mutating func stop(_ failure: ConnectionFailure) {
        next = .stop(failure)
        connection?.close()
    }

    /// Writes to the connection, when the driver has released its lock.
    package mutating func send(_ bytes: [UInt8]) {
        connection?.enqueue(bytes)
        hasUnflushed = true
    }

    /// Returns the connection if what was written to it is to be flushed.
    mutating func takeUnflushed() -> Connection? {
        guard hasUnflushed else { return nil }
        hasUnflushed = false
        return connection
    }

    /// Updates the session's congestion state.
    package mutating func updateCongestion() {
        guard let connection else { return }
        session?.isCongested = connection.isClosed || connection.unsent > Self.maxUnsent
    }

    /// Keeps a line of traffic for the log.
    package mutating func record(_ line: @autoclosure () -> String) {
        guard isTracing, trace.count < Self.maxTraced else { return }
        trace.append(line())
    }

    /// Queues messages until there is a session.
    package mutating func keep(_ messages: [Session.OutgoingMessage], at now: Duration) {
        let (dropped, expired) = offlineQueue.keep(messages, at: now)
        if dropped > 0 { entries.append(.dropped(dropped)) }
        if expired > 0 { entries.append(.expired(expired)) }
    }

    package mutating func log(_ entry: LogEntry) {
        entries.append(entry)
        if !loggedEntries.isEmpty { loggedEntries = loggedEntries.filter { !entry.ends($0) } }
    }

    mutating func begin(_ connection: Connection, at now: Duration) -> [Session.OutgoingMessage] {
        self.connection = connection
        next = .read
        let (messages, expired) = offlineQueue.take(at: now)
        if expired > 0 { entries.append(.expired(expired)) }
        return messages
    }

    mutating func end() -> Session? {
        offlineQueue.putBack(session?.unsent ?? [])
        if let dropped = session?.dropped, dropped > 0 { entries.append(.dropped(dropped)) }
        connection = nil
        return session.take()
    }

    mutating func quit() -> [Session.Action] {
        hasQuit = true
        let farewell = farewell
        return session?.quit(farewell) ?? []
    }

    /// Removes and returns what is to be logged.
    mutating func takeLog() -> PendingLog<LogEntry>? {
        if entries.isEmpty, trace.isEmpty { return nil }
        defer { (entries, trace) = ([], []) }
        let leveled = entries.map { entry in
            let isRepeated =
                entry.isLoggedOnce && loggedEntries.count < Self.maxLoggedEntries
                && !loggedEntries.insert(entry).inserted
            return (entry: entry, level: isRepeated ? Logger.Level.debug : entry.level, text: "")
        }
        return PendingLog(entries: leveled, trace: trace)
    }
}

/// What a session has logged and the driver has yet to write.
///
/// It is a class because there is rarely one, and a reference costs a generic caller less than a value.
final class PendingLog<LogEntry: SessionLogEntry>: Sendable {
    let entries: [(entry: LogEntry, level: Logger.Level, text: String)]
    /// The traffic, each line with a leading `>` or `<`, without secrets.
    let trace: [String]

    init(entries: [(entry: LogEntry, level: Logger.Level, text: String)], trace: [String]) {
        (self.entries, self.trace) = (entries, trace)
    }
}
