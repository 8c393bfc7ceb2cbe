package import Heybot
import HeybotSockets

/// One network's part of a ``SessionDriver``: creates the sessions, performs their actions, and keeps what outlives them.
///
/// The driver calls it under its lock.
package protocol SessionManager: Sendable {
    associatedtype Session: ProtocolSession
    associatedtype LogEntry: SessionLogEntry
    /// Splits the connection's byte stream into what a session receives.
    associatedtype Decoder
    /// A room that the robot has joined on request, as stored in the brain.
    associatedtype SavedRoom: Codable & Hashable & Sendable

    /// The state common to all managers.
    var state: SessionManagerState<Session, LogEntry> { get set }
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
    /// Handles that the robot is stopping: the messages that it receives from now on are ignored.
    mutating func stopHearing()
    /// Handles that the connection has been encrypted, as the session requested.
    mutating func secured(at now: Duration)
    /// The session's deadline, and whether the connection is congested; nil without a session.
    ///
    /// A requirement, because generic code would copy the session to read them; `mutating`, because ``ProtocolSession/due`` is.
    var sessionTimes: (due: Duration?, isCongested: Bool)? { mutating get }
    /// Performs a session's actions.
    mutating func perform(_ actions: [Session.Action], at now: Duration, into messages: inout [Message])
    /// Keeps what outlives a session; nil if none was created.
    mutating func close(_ session: Session?)
}

extension SessionManager {
    package mutating func secured(at now: Duration) {}
    package mutating func stopHearing() {}

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

/// When a manager is woken, and the token to cancel that.
struct ScheduledWakeup: Sendable {
    let due: Duration
    let token: TimerQueue.Token
}

extension SessionManager {
    /// When the next wakeup is to be scheduled; nil if an earlier one is scheduled, or none is needed.
    mutating func wakeupToSchedule(at now: Duration) -> Duration? {
        guard let times = sessionTimes else { return nil }
        // A congested connection may accept data again soon.
        let due = times.isCongested ? min(times.due ?? .seconds(Int.max), now + .milliseconds(50)) : times.due
        guard let due, !state.wakesUp(by: due) else { return nil }
        return due
    }

    /// Schedules the next wakeup, in place of a later one.
    mutating func scheduleWakeup(
        _ due: Duration, at now: Duration, _ timers: TimerQueue, _ wake: @escaping @Sendable () -> Void
    ) {
        if let wakeup = state.takeWakeup() { timers.cancel(wakeup.token) }
        state.wakeup = ScheduledWakeup(due: due, token: timers.after(due - now, wake))
    }

    mutating func wake(at now: Duration) {
        state.wakeup = nil
        tick(at: now)
    }

    mutating func takeLog() -> PendingLog<LogEntry>? {
        guard let log = state.takeLog() else { return nil }
        let entries = log.entries.map { entry, level, _ in
            (entry: entry, level: level, text: optionNames.fix(entry).map { "\(entry): \($0)" } ?? "\(entry)")
        }
        return PendingLog(entries: entries, trace: log.trace)
    }
}
