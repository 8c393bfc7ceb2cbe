package import FoundationEssentials
package import Heybot
package import HeybotSockets
import Logging

/// One network's part of a ``SessionDriver``: creates the sessions, performs their actions, and keeps what outlives them.
///
/// The driver calls it under its lock.
package protocol SessionDelegate: Sendable {
    associatedtype Session: ProtocolSession
    associatedtype LogEntry: SessionLogEntry
    /// Splits the connection's byte stream into what a session receives.
    associatedtype Decoder
    /// A room that the robot has joined on request, as stored in the brain.
    associatedtype SavedRoom: Codable & Hashable & Sendable

    /// The state common to all delegates.
    var state: DelegateState<Session, LogEntry> { get set }
    /// The rooms to rejoin after a restart, except those in the configuration.
    var savedRooms: [SavedRoom] { get }
    /// Adds rooms to join, from the first connection on.
    mutating func restore(_ rooms: [SavedRoom])

    /// Uses the robot's name, unless the configuration sets another.
    ///
    /// - Throws: An error that makes running pointless.
    mutating func setRobotName(_ robotName: String) throws
    /// Creates the decoder of a new connection.
    static func makeDecoder() -> Decoder
    /// The names of the options in errors and warnings.
    associatedtype OptionNamesInHints: SessionOptionNamesInHints<LogEntry>
    var optionNames: OptionNamesInHints { get }
    /// Creates the session of a new connection in ``state``.
    ///
    /// - Parameters:
    ///   - isSecure: Whether the connection is encrypted.
    ///   - nonce: Random text, for login and for unguessable ids.
    ///   - waiting: The messages to send.
    /// - Returns: The session's first actions.
    mutating func open(isSecure: Bool, nonce: String, waiting: [Session.OutgoingMessage], at now: Duration) -> [Session
        .Action]
    /// Handles bytes from the connection.
    ///
    /// - Parameter messages: Received messages are appended, in order.
    mutating func receive(
        _ bytes: ArraySlice<UInt8>, _ decoder: inout Decoder, at now: Duration, into messages: inout [Message])
    /// Handles that the connection has been encrypted, as the session requested.
    mutating func secured(at now: Duration)
    /// The session's deadline, and whether the connection is congested; nil without a session.
    ///
    /// A requirement, because generic code would copy the session to read them.
    var sessionTimes: (due: Duration?, isCongested: Bool)? { get }
    /// Performs a session's actions.
    mutating func perform(_ actions: [Session.Action], at now: Duration, into messages: inout [Message])
    /// Keeps what outlives a session; nil if none was created.
    mutating func close(_ session: Session?)
}

/// The state that each ``SessionDelegate`` has.
package struct DelegateState<Session: ProtocolSession, LogEntry: SessionLogEntry>: Sendable {
    /// What the connection's reader does next.
    package enum NextAction: Sendable {
        case read
        /// Encrypts the connection.
        case startTLS(TLS)
        /// Stops for this reason, after waiting for sent data to arrive.
        case stop(ConnectionFailure, after: Duration = .zero)
    }

    /// The session, while there is a connection.
    package var session: Session?
    package private(set) var connection: Connection?
    package var status: ConnectionStatus
    /// Whether the robot has quit.
    package private(set) var hasQuit = false
    package var next = NextAction.read
    private var offlineQueue: OfflineQueue<Session.OutgoingMessage>
    private var entries: [LogEntry] = []
    /// The entries logged once whose condition isn't over.
    private var loggedEntries: Set<LogEntry> = []
    private var trace: [String] = []
    private let isTracing: Bool
    fileprivate var wakeup: ScheduledWakeup?
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
        status = ConnectionStatus(date: date)
        offlineQueue = OfflineQueue(limit: queueLimit, since: since)
        self.farewell = farewell
        self.isTracing = isTracing
    }

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

    /// Writes to the connection.
    package func send(_ bytes: [UInt8]) { connection?.send(bytes) }

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

    fileprivate mutating func begin(_ connection: Connection, at now: Duration) -> [Session.OutgoingMessage] {
        self.connection = connection
        next = .read
        let (messages, expired) = offlineQueue.take(at: now)
        if expired > 0 { entries.append(.expired(expired)) }
        return messages
    }

    fileprivate mutating func end() -> Session? {
        offlineQueue.putBack(session?.unsent ?? [])
        if let dropped = session?.dropped, dropped > 0 { entries.append(.dropped(dropped)) }
        connection = nil
        return session.take()
    }

    fileprivate mutating func quit() -> [Session.Action] {
        hasQuit = true
        let farewell = farewell
        return session?.quit(farewell) ?? []
    }

    /// Removes and returns what is to be logged.
    fileprivate mutating func takeLog() -> SessionLog<LogEntry> {
        if entries.isEmpty, trace.isEmpty { return SessionLog() }
        defer { (entries, trace) = ([], []) }
        let leveled = entries.map { entry in
            let isRepeated =
                entry.isLoggedOnce && loggedEntries.count < Self.maxLoggedEntries
                && !loggedEntries.insert(entry).inserted
            return (entry: entry, level: isRepeated ? Logger.Level.debug : entry.level, text: "")
        }
        return SessionLog(entries: leveled, trace: trace)
    }
}

/// What a session has to log.
struct SessionLog<LogEntry: SessionLogEntry>: Sendable {
    var entries: [(entry: LogEntry, level: Logger.Level, text: String)] = []
    /// The traffic, each line with a leading `>` or `<`, without secrets.
    var trace: [String] = []
}

extension SessionDelegate {
    package mutating func secured(at now: Duration) {}

    /// Performs actions that don't include received messages.
    package mutating func perform(_ actions: [Session.Action], at now: Duration) {
        var messages: [Message] = []
        perform(actions, at: now, into: &messages)
    }

    mutating func begin(_ connection: Connection, isSecure: Bool, nonce: String, at now: Duration) {
        let waiting = state.begin(connection, at: now)
        let actions = open(isSecure: isSecure, nonce: nonce, waiting: waiting, at: now)
        perform(actions, at: now)
    }

    /// Quits.
    mutating func quit() {
        let actions = state.quit()
        perform(actions, at: .zero)
    }

    /// Handles the end of the connection.
    mutating func end() { close(state.end()) }

    mutating func tick(at now: Duration) {
        state.updateCongestion()
        guard let actions = state.session?.tick(at: now) else { return }
        perform(actions, at: now)
    }

    /// Sends messages, or queues them until there is a session.
    package mutating func say(_ messages: [Session.OutgoingMessage], at now: Duration) {
        state.updateCongestion()
        if let actions = state.session?.say(messages, at: now) {
            perform(actions, at: now)
        } else {
            state.keep(messages, at: now)
        }
    }
}

/// When a delegate is woken, and the token to cancel that.
struct ScheduledWakeup: Sendable {
    let due: Duration
    let token: TimerQueue.Token
}

extension SessionDelegate {
    /// Schedules the next wakeup, unless an earlier one is scheduled.
    mutating func scheduleWakeup(at now: Duration, _ timers: TimerQueue, _ wake: @escaping @Sendable () -> Void) {
        guard let times = sessionTimes else { return }
        // A congested connection may accept data again soon.
        let due = times.isCongested ? min(times.due ?? .seconds(Int.max), now + .milliseconds(50)) : times.due
        guard let due else { return }
        if let wakeup = state.wakeup, wakeup.due <= due { return }
        if let wakeup = state.wakeup { timers.cancel(wakeup.token) }
        state.wakeup = ScheduledWakeup(due: due, token: timers.after(due - now, wake))
    }

    mutating func wake(at now: Duration) {
        state.wakeup = nil
        tick(at: now)
    }

    mutating func takeLog() -> SessionLog<LogEntry> {
        var log = state.takeLog()
        for index in log.entries.indices {
            let entry = log.entries[index].entry
            log.entries[index].text = optionNames.fix(entry).map { "\(entry): \($0)" } ?? "\(entry)"
        }
        return log
    }
}
