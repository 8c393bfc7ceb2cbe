package import FoundationEssentials
package import Heybot
package import HeybotSockets
import Logging

/// One network's part in a ``SessionDriver``: it makes the sessions, does what they want, and keeps what outlives them.
///
/// The driver calls it under its lock.
package protocol SessionController: Sendable {
    associatedtype Session: ProtocolSession
    associatedtype Note: SessionNote
    /// Cuts what comes from a connection into what a session receives.
    associatedtype Decoder
    /// A room that the robot was brought into, as the brain keeps it.
    associatedtype KeptRoom: Codable & Hashable & Sendable

    /// The state that each controller has.
    var state: ControllerState<Session, Note> { get set }
    /// The rooms to be back in after a restart, besides those of the configuration.
    var keptRooms: [KeptRoom] { get }
    /// Wants to be in these rooms too, from the first connection on.
    mutating func keep(_ rooms: [KeptRoom])

    /// Takes the robot's name for its own, unless it was given another.
    ///
    /// - Throws: What makes it of no use to run.
    mutating func takeName(_ robotName: String) throws
    /// Makes the decoder of a new connection.
    static func makeDecoder() -> Decoder
    /// What to call the options that errors and warnings say to change.
    associatedtype OptionNames: SessionOptionNames<Note>
    var optionNames: OptionNames { get }
    /// Makes ``state``'s session, on a connection that has just been opened.
    ///
    /// - Parameters:
    ///   - isSecure: Whether the connection is encrypted.
    ///   - nonce: Random text, for logging in and for what nobody should guess.
    ///   - waiting: What is to be said.
    /// - Returns: The session's first actions.
    mutating func open(isSecure: Bool, nonce: String, waiting: [Session.Chat], at now: Duration) -> [Session.Action]
    /// Handles bytes from the connection.
    ///
    /// - Parameter messages: Gets what was said, in order.
    mutating func receive(
        _ bytes: ArraySlice<UInt8>, _ decoder: inout Decoder, at now: Duration, into messages: inout [Message])
    /// Takes note that the connection is encrypted now, as the session wanted it.
    mutating func secured(at now: Duration)
    /// When the session wants its time, and whether the connection takes no more for now; nil without a session.
    ///
    /// Not for the driver to find out: in generic code, to look into a session is to copy it.
    var sessionTimes: (due: Duration?, isClogged: Bool)? { get }
    /// Does what a session wants.
    mutating func perform(_ actions: [Session.Action], at now: Duration, into messages: inout [Message])
    /// Takes what outlives a session from it; nil if there never was one.
    mutating func close(_ session: Session?)
}

/// What each ``SessionController`` keeps.
package struct ControllerState<Session: ProtocolSession, Note: SessionNote>: Sendable {
    /// What the reader of a connection does next.
    package enum Step: Sendable {
        case read
        /// It has the connection encrypted.
        case startTLS(TLS)
        /// It stops, for this reason. What was sent gets that long to arrive.
        case stop(Trouble, after: Duration = .zero)
    }

    /// The session, while there is a connection.
    package var session: Session?
    package private(set) var connection: Connection?
    package var standing: Standing
    /// Whether the robot wants to leave.
    package private(set) var hasQuit = false
    package var step = Step.read
    private var backlog: Backlog<Session.Chat>
    private var notes: [Note] = []
    /// Those that are logged once, of what isn't over yet.
    private var loggedNotes: Set<Note> = []
    private var trace: [String] = []
    private let isTracing: Bool
    fileprivate var alarm: Alarm?
    /// What people call the robot, whatever its nick is; empty before the adapter runs.
    package internal(set) var robotName = ""
    /// The words to leave with.
    private let farewell: String

    /// While so many bytes wait in the connection, the rest waits here.
    private static var mostUnsent: Int { 262_144 }
    /// As many lines as are kept for a log of all that goes over the connection.
    private static var mostTraced: Int { 1_000 }
    private static var mostLoggedNotes: Int { 1_000 }

    /// - Parameters:
    ///   - queueLimit: The number of messages that are kept while there is no connection.
    ///   - farewell: The words to leave with.
    ///   - isTracing: Whether all that goes over the connection is logged.
    ///   - since: When a message was wanted.
    package init(
        date: @escaping @Sendable () -> Date, queueLimit: Int, farewell: String,
        isTracing: Bool,
        since: @escaping @Sendable (Session.Chat) -> Duration
    ) {
        standing = Standing(date: date)
        backlog = Backlog(limit: queueLimit, since: since)
        self.farewell = farewell
        self.isTracing = isTracing
    }

    /// Why the session is over, once it is.
    package var trouble: Trouble? { if case .stop(let trouble, _) = step { trouble } else { nil } }

    /// The number of messages that aren't said yet.
    var unsaid: Int { session?.unsentCount ?? backlog.items.count }
    /// How many of them have only to wait for their turn.
    package var waiting: Int { session.map { $0.isReady ? $0.unsentCount : 0 } ?? 0 }

    /// Ends the session.
    package mutating func stop(_ trouble: Trouble) {
        step = .stop(trouble)
        connection?.close()
    }

    /// Writes to the connection.
    package func send(_ bytes: [UInt8]) { connection?.send(bytes) }

    /// Tells the session whether the connection takes more.
    package mutating func updateClogged() {
        guard let connection else { return }
        session?.isClogged = connection.isOver || connection.unsent > Self.mostUnsent
    }

    /// Keeps a line for the log of all that goes over the connection.
    package mutating func record(_ line: @autoclosure () -> String) {
        guard isTracing, trace.count < Self.mostTraced else { return }
        trace.append(line())
    }

    /// Keeps what is to be said until there is a session.
    package mutating func keep(_ chats: [Session.Chat], at now: Duration) {
        let (lost, expired) = backlog.keep(chats, at: now)
        if lost > 0 { notes.append(.lost(lost)) }
        if expired > 0 { notes.append(.expired(expired)) }
    }

    package mutating func note(_ note: Note) {
        notes.append(note)
        if !loggedNotes.isEmpty { loggedNotes = loggedNotes.filter { !note.ends($0) } }
    }

    fileprivate mutating func begin(_ connection: Connection, at now: Duration) -> [Session.Chat] {
        self.connection = connection
        step = .read
        let (chats, expired) = backlog.take(at: now)
        if expired > 0 { notes.append(.expired(expired)) }
        return chats
    }

    fileprivate mutating func end() -> Session? {
        backlog.putBack(session?.unsent ?? [])
        if let lost = session?.lost, lost > 0 { notes.append(.lost(lost)) }
        connection = nil
        return session.take()
    }

    fileprivate mutating func quit() -> [Session.Action] {
        hasQuit = true
        let farewell = farewell
        return session?.quit(farewell) ?? []
    }

    /// What there is to log, once.
    fileprivate mutating func takeLog() -> SessionLog<Note> {
        if notes.isEmpty, trace.isEmpty { return SessionLog() }
        defer { (notes, trace) = ([], []) }
        let leveled = notes.map { note in
            let isRepeated =
                note.isLoggedOnce && loggedNotes.count < Self.mostLoggedNotes && !loggedNotes.insert(note).inserted
            return (note: note, level: isRepeated ? Logger.Level.debug : note.level, text: "")
        }
        return SessionLog(notes: leveled, trace: trace)
    }
}

/// What a session has to say to the log.
struct SessionLog<Note: SessionNote>: Sendable {
    var notes: [(note: Note, level: Logger.Level, text: String)] = []
    /// What went over the connection, with a `>` or `<` in front, without secrets.
    var trace: [String] = []
}

extension SessionController {
    package mutating func secured(at now: Duration) {}

    /// Does what a session wants if it can't be that somebody said something.
    package mutating func perform(_ actions: [Session.Action], at now: Duration) {
        var messages: [Message] = []
        perform(actions, at: now, into: &messages)
    }

    mutating func begin(_ connection: Connection, isSecure: Bool, nonce: String, at now: Duration) {
        let waiting = state.begin(connection, at: now)
        let actions = open(isSecure: isSecure, nonce: nonce, waiting: waiting, at: now)
        perform(actions, at: now)
    }

    /// Takes leave.
    mutating func quit() {
        let actions = state.quit()
        perform(actions, at: .zero)
    }

    /// The connection is gone.
    mutating func end() { close(state.end()) }

    mutating func tick(at now: Duration) {
        state.updateClogged()
        guard let actions = state.session?.tick(at: now) else { return }
        perform(actions, at: now)
    }

    /// Says it, or keeps it until it can be said.
    package mutating func say(_ chats: [Session.Chat], at now: Duration) {
        state.updateClogged()
        if let actions = state.session?.say(chats, at: now) {
            perform(actions, at: now)
        } else {
            state.keep(chats, at: now)
        }
    }
}

/// When a controller gets its time, and what takes that back.
struct Alarm: Sendable {
    let due: Duration
    let token: Timers.Token
}

extension SessionController {
    /// When it is woken next, unless that is the same as before.
    mutating func setAlarm(at now: Duration, _ timers: Timers, _ wake: @escaping @Sendable () -> Void) {
        guard let times = sessionTimes else { return }
        // A connection that doesn't take more now may do so soon.
        let due = times.isClogged ? min(times.due ?? .seconds(Int.max), now + .milliseconds(50)) : times.due
        guard let due else { return }
        if let alarm = state.alarm, alarm.due <= due { return }
        if let alarm = state.alarm { timers.cancel(alarm.token) }
        state.alarm = Alarm(due: due, token: timers.after(due - now, wake))
    }

    mutating func wake(at now: Duration) {
        state.alarm = nil
        tick(at: now)
    }

    mutating func takeLog() -> SessionLog<Note> {
        var log = state.takeLog()
        for index in log.notes.indices {
            let note = log.notes[index].note
            log.notes[index].text = optionNames.fix(note).map { "\(note): \($0)" } ?? "\(note)"
        }
        return log
    }
}
