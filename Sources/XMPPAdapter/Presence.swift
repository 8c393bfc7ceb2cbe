import FoundationEssentials
import Heybot
import Logging
import NetworkAdapter
import Pacing
import SASL
import Sockets
import XMPP

/// What we are on the network at this moment: the session and its connection while there is one, and what outlives them.
struct Presence: NetworkPresence {
    private let configuration: XMPPAdapter.Configuration
    private(set) var session: Session?
    private var connection: Connection?
    private var hearing: Hearing
    private var recent = RecentMessages()
    private var restraint: Restraint
    private var askers = Askers<Asker>()
    private var restrained: [Restrained] = []
    private var warnings = PaceMeter(Restrained.warnings)
    private var backlog: Backlog<Chat>
    private var rooms: [Profile.Room]?
    private var mechanism: Mechanism?
    private var questions: [String: CheckedContinuation<Result<Element?, StanzaError>, Never>] = [:]
    private var lastQuestion = 0
    /// Who waits for a room to be joined.
    private var joiners: [JID: [CheckedContinuation<Result<Room, XMPPError>, Never>]] = [:]
    private static let mostKept = 500
    private var wantsTLS = false
    private var notes: [Note] = []
    private var sent: [String] = []
    private let date: @Sendable () -> Date
    private let isTracing: Bool
    /// What was told of what is wrong, and isn't told again before it is right.
    private var toldNotes: Set<Note> = []

    /// When the session gets its time.
    var alarm: Alarm?
    var standing: Standing
    /// Why the session is over, once it is.
    private(set) var trouble: Trouble?
    /// How the session has ended, where it has by itself.
    private(set) var ending: Ending?
    /// Whether we leave because we want to.
    private var hasQuit = false
    /// Whether the server that we were at last had logged us in.
    private var wasLetIn = false
    /// Why DNS didn't tell where the server is, where it didn't.
    var lookupFailure: LookupError?
    /// We have told the server why we can't read it, and want that to arrive.
    private(set) var hasRefused = false
    /// Where the server sends us.
    private var moved: Endpoint?

    /// While so many bytes wait in the connection, the rest waits here.
    private static let mostUnsent = 262_144
    /// As many elements as are kept for a log of all that is sent.
    private static let mostTraced = 1_000

    init(
        _ configuration: XMPPAdapter.Configuration, hearing: Hearing, date: @escaping @Sendable () -> Date,
        isTracing: Bool
    ) {
        self.configuration = configuration
        self.hearing = hearing
        self.date = date
        self.isTracing = isTracing
        standing = Standing(date: date)
        restraint = Restraint(configuration.perPerson)
        backlog = Backlog(limit: configuration.profile.queueLimit) { $0.since }
    }

    // MARK: Coming and going

    mutating func begin(_ connection: Connection, isSecure: Bool, nonce: String, at now: Duration) {
        let (chats, expired) = backlog.take(at: now)
        if expired > 0 { notes.append(.expired(expired)) }
        forgetVisit()
        self.connection = connection
        var session = Session(
            configuration.profile, isSecure: isSecure, nonce: nonce, lastMechanism: mechanism, rooms: rooms,
            waiting: chats, at: now)
        let actions = session.begin()
        self.session = session
        perform(actions, at: now)
    }

    /// What a visit has left is over.
    mutating func forgetVisit() {
        (trouble, ending, moved, wantsTLS, hasRefused, wasLetIn) = (nil, nil, nil, false, false, false)
    }

    /// Whether another server of the same domain would be of no use after the one that we were at last.
    var isDecided: Bool {
        switch ending {
        case .wrongPassword, .moved: true
        default: wasLetIn
        }
    }

    mutating func secured(at now: Duration) {
        wantsTLS = false
        guard let actions = session?.secured() else { return }
        perform(actions, at: now)
    }

    /// Where the server sends us, once.
    mutating func takeMove() -> Endpoint? { moved.take() }

    /// Whether the connection is to be encrypted before anything else is done.
    var mustSecure: Bool { wantsTLS }

    mutating func quit() {
        hasQuit = true
        guard let actions = session?.quit(configuration.farewell) else { return }
        perform(actions, at: .zero)
    }

    /// What came can't be read: the other side is told why.
    mutating func refuse(_ error: StreamParserError) {
        trouble = Trouble("\(error)")
        hasRefused = true
        // Nothing is said any more, and what is to be said is kept.
        _ = session?.quit(configuration.farewell)
        let condition = Element(error.condition.rawValue, "urn:ietf:params:xml:ns:xmpp-streams")
        send(Element("error", Namespace.streams, [:], condition))
        connection?.send(Array(StreamHeader.closing.utf8))
    }

    /// The connection is gone.
    mutating func leave(at now: Duration) {
        backlog.putBack(session?.unsent ?? [])
        if let lost = session?.lost, lost > 0 { notes.append(.lost(lost)) }
        // Sent once more, some of it would arrive twice, and what the server can't take would end each stream.
        if !hasQuit, let count = session?.unconfirmed, count > 0 { notes.append(.unconfirmed(count)) }
        rooms = session?.wantedRooms ?? rooms
        mechanism = session?.mechanism ?? mechanism
        wasLetIn = session?.hasLoggedIn ?? false
        session = nil
        connection = nil
        let joiners = joiners.values.joined()
        self.joiners = [:]
        for joiner in joiners { joiner.resume(returning: .failure(.notConnected)) }
        let waiting = questions.values
        questions = [:]
        for question in waiting {
            question.resume(returning: .failure(StanzaError(type: "wait", condition: "not-connected")))
        }
    }

    // MARK: Rooms

    /// Wants to be in these rooms besides those of the settings.
    mutating func keep(_ kept: [Profile.Room]) {
        let chosen = configuration.profile.rooms
        let others = kept.filter { room in !chosen.contains { $0.address == room.address } }
        rooms = chosen + others.prefix(max(Self.mostKept - chosen.count, 0))
    }

    /// Those we want to be in besides those of the settings.
    var keptRooms: [Profile.Room] {
        let chosen = configuration.profile.rooms
        return (session?.wantedRooms ?? rooms ?? []).filter { room in !chosen.contains { $0.address == room.address } }
    }

    /// Joins a room, and has the continuation resumed once it is clear how that ends: by the room, a deadline of the
    /// session, or the end of the connection.
    mutating func join(
        _ room: Profile.Room, at now: Duration, _ continuation: CheckedContinuation<Result<Room, XMPPError>, Never>
    ) {
        guard session?.isReady == true else { return continuation.resume(returning: .failure(.notConnected)) }
        guard let actions = session?.join(room, at: now) else {
            return continuation.resume(returning: .success(hearing.room(room.address)))
        }
        joiners[room.address, default: []].append(continuation)
        perform(actions, at: now)
    }

    /// Leaves a room; false if we don't want to be in it.
    mutating func part(_ room: JID, at now: Duration) -> Bool {
        guard let actions = session?.leave(room, at: now) else { return false }
        perform(actions, at: now)
        return true
    }

    /// Who waits for a room learns how that has ended.
    private mutating func tellJoiners(_ note: Note) {
        if joiners.isEmpty { return }
        let (room, result): (JID, Result<Room, XMPPError>)
        switch note {
        case .joined(let address, _): (room, result) = (address, .success(hearing.room(address)))
        case .turnedAway(let address, let reason), .noRoom(let address, let reason), .refused(let address, let reason),
            .left(let address, let reason):
            (room, result) = (address, .failure(.notLetIn(address, reason: reason)))
        default: return
        }
        for joiner in joiners.removeValue(forKey: room) ?? [] { joiner.resume(returning: result) }
    }

    /// Who is in a room but us.
    func users(in room: JID) -> [User] {
        guard let session else { return [] }
        return session.occupants(of: room).values.filter { $0.nick != session.nick(in: room) }
            .compactMap { hearing.user($0, in: room) }
    }

    /// How much is left unsaid.
    var unsaid: Int { session?.unsentCount ?? backlog.items.count }

    /// How much of that has only to wait for its turn.
    var waiting: Int { session.map { $0.isReady ? $0.unsentCount : 0 } ?? 0 }

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

    mutating func receive(_ event: StreamEvent, at now: Duration, into messages: inout [Message]) {
        unclog()
        guard let actions = session?.receive(event, at: now) else { return }
        perform(actions, at: now, into: &messages)
    }

    private mutating func hear(_ heard: Heard, at now: Duration) -> Message? {
        guard recent.admits(heard, at: now, date: date()) else { return nil }
        if case .text = heard.content, !restraint.admits(heard.asker.id, at: now) { return nil }
        let nick = heard.room.flatMap { session?.nick(in: $0) } ?? ""
        let message = hearing.message(heard, nick: nick, now: date())
        recent.take(heard, as: message.id.value, at: now)
        askers.take(heard.asker, for: message.id)
        if isCommand(message), let rest = restraint.asked(heard.asker.id, message.id.value, at: now) {
            warn(message.user, message.room, rest, at: now)
        }
        return message
    }

    /// To whom something said is accounted: who said what it answers, else the user it is for, who is somebody new if we
    /// know only a nick.
    func asker(_ envelope: Envelope) -> Asker? {
        if let asker = envelope.message.flatMap({ askers[$0] }) { return asker }
        guard let user = envelope.user else { return nil }
        let id = user.id.value
        guard user.isAnonymous, let room = try? JID(id).bare else { return Asker(id) }
        return Asker(newcomer: id, in: room)
    }

    // MARK: Speaking

    mutating func say(_ chat: Chat, at now: Duration) {
        unclog()
        var chat = chat
        chat.since = now
        if let actions = session?.say([chat], at: now) {
            perform(actions, at: now)
        } else {
            let (lost, expired) = backlog.keep([chat], at: now)
            if lost > 0 { notes.append(.lost(lost)) }
            if expired > 0 { notes.append(.expired(expired)) }
        }
    }

    /// Takes note that something is said in answer to a message.
    mutating func noteAnswer(_ envelope: Envelope) {
        if let message = envelope.message { recent.answered(message.value, isHint: envelope.isHint) }
    }

    /// Where who is to hear it hears it: in a room that doesn't let us speak, they alone; nil if who wrote to us alone has left
    /// the nick to somebody else.
    mutating func audible(_ target: JID, for envelope: Envelope, at now: Duration) -> JID? {
        guard let session else { return target }
        guard target.isBare else {
            // What isn't known any more may be anybody's.
            guard let message = envelope.message, let occupant = session.asker(target, at: now),
                askers[message]?.id != occupant.id
            else { return target }
            notes.append(.unsaid(to: target, reason: "the nick is somebody else's now"))
            return nil
        }
        guard session.isMute(in: target) else { return target }
        perform(self.session?.askForVoice(in: target, at: now) ?? [], at: now)
        guard let user = envelope.user, let occupant = session.occupants(of: target)[user.name] else { return target }
        // The nick may be somebody else's by now.
        guard user.isAnonymous || occupant.person?.description == user.id.value else { return target }
        return (try? target.with(resource: user.name)) ?? target
    }

    mutating func setSubject(_ subject: String, of room: JID, at now: Duration) -> Bool {
        guard let actions = session?.setSubject(subject, of: room) else { return false }
        perform(actions, at: now)
        return true
    }

    /// Counts an answer to somebody, and tells them if that was one too many.
    ///
    /// - Parameter lines: How many lines waited to be said to them before.
    mutating func answered(_ envelope: Envelope, with text: String, lines: Int = 0, at now: Duration) {
        guard let user = envelope.user, let asker = asker(envelope), let message = envelope.message else { return }
        let rest = restraint.answered(asker.id, message.value, with: text, lines: lines, at: now)
        if let rest { warn(user, envelope.room, rest, at: now) }
    }

    private func isCommand(_ message: Message) -> Bool {
        message.text.map { Nickname.isCommand($0, to: hearing.robotName, isPrivate: message.room.isPrivate) } ?? false
    }

    /// Tells somebody, and nobody else, that they aren't heard for a while.
    private mutating func warn(_ user: User, _ room: Room, _ rest: Duration, at now: Duration) {
        restrained.append(Restrained(user: user.id, name: user.name, room: room.id, time: rest))
        guard warnings.isReady(at: now), let target = try? JID(room.isPrivate ? room.id.value : user.id.value) else {
            return
        }
        warnings.count(at: now)
        say(Chat(to: target, Restrained.warning(rest), isUrgent: true), at: now)
    }

    /// Who isn't heard for a while, once.
    mutating func takeRestrained() -> [Restrained] {
        if restrained.isEmpty { return [] }
        defer { restrained = [] }
        return restrained
    }

    /// What a question is called that is to be asked.
    mutating func nameQuestion() -> String {
        lastQuestion += 1
        return "\(lastQuestion)"
    }

    /// Nobody waits for the answer any more.
    mutating func giveUp(_ question: String) {
        questions.removeValue(forKey: question)?
            .resume(returning: .failure(StanzaError(type: "cancel", condition: "cancelled")))
    }

    /// Asks, and has the continuation resumed once: by an answer, the deadline, the end of the connection or
    /// ``giveUp(_:)``.
    mutating func ask(
        _ payload: Element, _ type: String, to: JID?, within limit: Duration?, at now: Duration, as name: String,
        _ continuation: CheckedContinuation<Result<Element?, StanzaError>, Never>
    ) {
        questions[name] = continuation
        let actions =
            session?.ask(payload, type, to: to, as: name, within: limit, at: now)
            ?? [.answer(name, .failure(StanzaError(type: "wait", condition: "not-connected")))]
        perform(actions, at: now)
    }

    private mutating func unclog() {
        guard let connection else { return }
        session?.isClogged = connection.isOver || connection.unsent > Self.mostUnsent
    }

    // MARK: Doing

    private mutating func perform(_ actions: [Session.Action], at now: Duration) {
        var messages: [Message] = []
        perform(actions, at: now, into: &messages)
    }

    private mutating func perform(_ actions: [Session.Action], at now: Duration, into messages: inout [Message]) {
        for action in actions {
            switch action {
            case .send(let element): send(element)
            case .open(let header): connection?.send(Array(header.xml.utf8))
            case .closeStream: connection?.send(Array(StreamHeader.closing.utf8))
            case .startTLS: wantsTLS = true
            case .hear(let heard):
                if let message = hear(heard, at: now) { messages.append(message) }
            case .answer(let name, let result):
                questions.removeValue(forKey: name)?.resume(returning: result)
            case .tellTime(let iq):
                let time = date().formatted(.iso8601)
                perform(session?.tell(time: time, to: iq) ?? [], at: now, into: &messages)
            case .settled: standing.settle(at: now)
            case .note(let note):
                notes.append(note)
                forget(note)
                tellJoiners(note)
            case .end(let ending): end(ending)
            }
        }
    }

    private mutating func send(_ element: Element) {
        var bytes: [UInt8] = []
        element.write(into: &bytes, inside: Namespace.client)
        if let longest = session?.longestStanza, bytes.count > longest {
            // The server would end the stream: an answer to a question with an id of 60 kB, say.
            let target = element["to"].flatMap { try? JID($0) } ?? configuration.profile.address
            return notes.append(.unsaid(to: target, reason: "it has \(bytes.count) bytes, and \(longest) are the most"))
        }
        connection?.send(bytes)
        if isTracing, sent.count < Self.mostTraced {
            sent.append("> \(configuration.profile.loggable(element))")
        }
    }

    private mutating func end(_ ending: Ending) {
        self.ending = ending
        trouble = Trouble(ending.reason, cure: ending.cure, isLasting: ending.isLasting)
        if case .moved(let host, let port) = ending { moved = Endpoint(host: host, port: port ?? 5_222) }
        connection?.close()
    }

    /// A note, and how loud it is told.
    struct Remark: Sendable {
        let note: Note
        let level: Logger.Level
    }

    private mutating func remark(_ note: Note) -> Remark {
        let level: Logger.Level =
            switch note {
            case _ where isRepeated(note): .debug
            case .joined, .skipped(_, _, isRepeated: true): .debug
            default: note.isWarning ? .warning : .info
            }
        return Remark(note: note, level: level)
    }

    /// Whether it was told before, on this connection or an earlier one.
    private mutating func isRepeated(_ note: Note) -> Bool {
        switch note {
        case .nickTaken, .refused, .contactRefused, .unbelieved:
            toldNotes.count < 1_000 && !toldNotes.insert(note).inserted
        default: false
        }
    }

    /// What is right now may be told when it is wrong again.
    private mutating func forget(_ note: Note) {
        if toldNotes.isEmpty { return }
        toldNotes = toldNotes.filter { told in
            switch (told, note) {
            case (.nickTaken(_, let room, _), .nickRegained(_, let regained)): room != regained
            case (.refused(let refused, _), .joined(let room, _)): refused != room
            default: true
            }
        }
    }

    mutating func takeRemarks() -> [Remark] {
        if notes.isEmpty { return [] }
        defer { notes = [] }
        return notes.map { remark($0) }
    }

    mutating func takeTrace() -> [String] {
        if sent.isEmpty { return [] }
        defer { sent = [] }
        return sent
    }
}
