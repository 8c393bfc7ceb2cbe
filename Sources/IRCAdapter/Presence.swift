import FoundationEssentials
import Heybot
import IRC
import Sockets

/// What we are in the network at this moment: the session and its connection while there is one, and what outlives them.
struct Presence {
    private struct Waiting {
        let chat: Chat
        let since: Duration
    }

    private let configuration: IRCAdapter.Configuration
    private var session: Session?
    private var connection: Connection?
    private var hearing: Hearing
    private var pager: Pager
    private var restraint: Restraint
    /// What is to be said as soon as there is a connection.
    private var waiting: [Waiting] = []
    private var channels: [Profile.Channel]?
    private var notes: [Note] = []
    private var sent: [String] = []
    private var since: Date = .distantPast
    private let date: @Sendable () -> Date
    private let isTracing: Bool
    private var lastTrouble: Trouble?

    /// When the session gets its time.
    var alarm: (due: Duration, token: Timers.Token)?
    private(set) var status = AdapterStatus.starting
    /// Since when we have been where we want to be.
    var settledAt: Duration?
    /// Why the session is over, once it is.
    private(set) var trouble: Trouble?

    /// Whoever has been silent for longer than that has no interest in an answer any more.
    private static let patience: Duration = .seconds(300)
    /// While so many bytes wait in the connection, the rest waits here.
    private static let mostUnsent = 262_144
    /// As many lines as are kept for a log of all that is sent.
    private static let mostTraced = 1_000

    /// - Parameter isTracing: Whether all that is sent is to be kept for a log.
    init(
        _ configuration: IRCAdapter.Configuration, hearing: Hearing, date: @escaping @Sendable () -> Date,
        isTracing: Bool
    ) {
        self.configuration = configuration
        self.hearing = hearing
        self.date = date
        self.isTracing = isTracing
        pager = Pager(size: configuration.page)
        restraint = Restraint(configuration.perPerson)
    }

    // MARK: Coming and going

    mutating func begin(_ connection: Connection, nonce: String, at now: Duration) {
        let chats = waiting.filter { now - $0.since < Self.patience }.map(\.chat)
        waiting = []
        trouble = nil
        self.connection = connection
        // What was said long before we came is history, however the server tells it. Clocks differ a little.
        since = date().addingTimeInterval(-60)
        var session = Session(configuration.profile, nonce: nonce, channels: channels, waiting: chats, at: now)
        let actions = session.begin(at: now)
        self.session = session
        perform(actions, at: now)
    }

    mutating func quit() {
        guard let actions = session?.quit(configuration.farewell) else { return }
        perform(actions, at: .zero)
    }

    /// The connection is gone.
    mutating func leave(at now: Duration) {
        waiting += (session?.unsent ?? []).map { Waiting(chat: $0, since: now) }
        channels = session?.channels ?? channels
        session = nil
        connection = nil
    }

    /// Whether that wasn't told yet, since all was well last.
    mutating func isNews(_ trouble: Trouble) -> Bool {
        if case .down(let since, _) = status {
            status = .down(since: since, reason: trouble.description)
        } else {
            status = .down(since: date(), reason: trouble.description)
        }
        defer { lastTrouble = trouble }
        return trouble != lastTrouble
    }

    mutating func pause(at now: Duration) { session?.pause(at: now) }
    mutating func resume(at now: Duration) { session?.resume(at: now) }

    func due(at now: Duration) -> Duration? {
        // A connection that doesn't take more now may do so soon.
        guard session?.isClogged == true else { return session?.due }
        return min(session?.due ?? .seconds(Int.max), now + .milliseconds(50))
    }

    mutating func tick(at now: Duration) {
        unclog()
        guard let actions = session?.tick(at: now) else { return }
        perform(actions, at: now)
    }

    // MARK: Hearing

    mutating func receive(_ line: IRCMessage, at now: Duration, into messages: inout [Message]) {
        guard let actions = session?.receive(line, at: now) else { return }
        perform(actions, at: now, into: &messages)
    }

    private mutating func hear(_ heard: Heard, at now: Duration) -> Message? {
        guard let mapping = session?.support.caseMapping, let nick = session?.nick else { return nil }
        let identity = Hearing.identity(heard, by: mapping)
        if !restraint.admits(identity, at: now) { return nil }
        return hearing.message(
            heard, identity: identity, nick: nick, since: since, now: date())
    }

    // MARK: Speaking

    /// Says it, or keeps it until it can be said.
    mutating func say(_ chat: Chat, page isPaged: Bool, room: Room, at now: Duration) {
        guard isPaged else { return put([chat], at: now) }
        let lines = session?.lines(of: chat) ?? LineSplitter.lines(of: chat.text, limit: 400)
        let page = pager.page(lines, for: room.id.value)
        put(chats(page, chat.target, room), at: now)
    }

    /// Says the next page; false where there is none.
    mutating func showMore(_ target: String, in room: Room, at now: Duration) -> Bool {
        guard let page = pager.next(for: room.id.value) else { return false }
        put(chats(page, target, room), at: now)
        return true
    }

    private func chats(_ page: (lines: ArraySlice<String>, more: Int), _ target: String, _ room: Room) -> [Chat] {
        let lines = page.lines.map { Chat(to: target, $0) }
        guard page.more > 0 else { return lines }
        let words = room.isPrivate ? "more" : "\(hearing.robotName) more"
        return lines + [Chat(to: target, "(\(page.more) more lines: say \(words))")]
    }

    mutating func setTopic(_ topic: String, of channel: String, at now: Duration) -> Bool {
        guard let actions = session?.setTopic(topic, of: channel, at: now) else { return false }
        perform(actions, at: now)
        return true
    }

    /// Counts an answer to somebody, and tells them where that was one too many.
    mutating func answered(_ envelope: Envelope, _ target: String, with text: String, at now: Duration) -> Duration? {
        guard let user = envelope.user, let message = envelope.message else { return nil }
        let rest = restraint.answered(user.id.value, message.value, with: text, at: now)
        guard let rest else { return nil }
        let words = "not so fast; I'll listen to you again in \(max(rest.components.seconds, 1)) s."
        put([Chat(to: target, envelope.room.isPrivate ? words : "\(user.name): \(words)")], at: now)
        return rest
    }

    private mutating func put(_ chats: [Chat], at now: Duration) {
        unclog()
        if let actions = session?.say(chats, at: now) {
            perform(actions, at: now)
        } else {
            let room = max(configuration.profile.queueLimit - waiting.count, 0)
            waiting += chats.prefix(room).map { Waiting(chat: $0, since: now) }
            if chats.count > room { notes.append(.lost(chats.count - room)) }
        }
    }

    private mutating func unclog() {
        guard let connection else { return }
        session?.isClogged = connection.unsent > Self.mostUnsent
    }

    // MARK: Doing

    private mutating func perform(_ actions: [Session.Action], at now: Duration) {
        var messages: [Message] = []
        perform(actions, at: now, into: &messages)
    }

    private mutating func perform(
        _ actions: [Session.Action], at now: Duration, into messages: inout [Message]
    ) {
        for action in actions {
            switch action {
            case .send(let line):
                connection?.send(line.bytes)
                if isTracing, sent.count < Self.mostTraced { sent.append(line.redacted) }
            case .hear(let heard):
                if let message = hear(heard, at: now) { messages.append(message) }
            case .tellTime(let nick):
                let time = date().formatted(.iso8601)
                perform(session?.tell(time: time, to: nick, at: now) ?? [], at: now, into: &messages)
            case .settled:
                notes.append(.settled(as: session?.nick ?? "", in: session?.joined ?? []))
                status = .up(since: date())
                settledAt = now
                lastTrouble = nil
            case .note(let note):
                notes.append(note)
            case .end(let ending):
                trouble = Trouble(ending)
                connection?.close()
            }
        }
    }

    /// What there is to tell, once.
    mutating func takeNotes() -> [Note] {
        defer { notes = [] }
        return notes
    }

    /// What was sent, once, as it may be logged.
    mutating func takeSent() -> [String] {
        defer { sent = [] }
        return sent
    }
}
