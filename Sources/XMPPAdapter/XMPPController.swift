import FoundationEssentials
import Heybot
import HeybotSASL
import HeybotSockets
import HeybotSupport
package import HeybotXMPP
package import Logging
import NetworkAdapter

extension Session: ProtocolSession {}

/// XMPP's part in the driver: makes the sessions, makes messages of what they hear, and keeps what outlives a connection.
struct XMPPController: SessionController {
    var state: ControllerState<Session, Note>
    private(set) var configuration: XMPPAdapter.Setup
    private var hearing: Hearing
    /// What was read and isn't handled yet; its room is used again.
    private var events: [StreamEvent] = []
    private var recent = RecentMessages()
    private var askers = Askers<Asker>()
    private var rooms: [Profile.Room]?
    private var mechanism: Mechanism?
    private var questions: [String: CheckedContinuation<Result<Element?, StanzaError>, Never>] = [:]
    private var lastQuestion = 0
    /// Who waits for a room to be joined.
    private var joiners: [JID: [CheckedContinuation<Result<Room, AdapterError>, Never>]] = [:]
    private static let mostKept = 500
    private let date: @Sendable () -> Date
    /// How the session has ended, if it has by itself.
    private(set) var ending: Ending?
    /// Whether the server that we were at last had logged us in.
    private var wasLetIn = false
    /// Why DNS didn't tell where the server is, if it didn't.
    var lookupFailure: LookupError?
    /// Where the server sends us.
    private var moved: Endpoint?

    init(
        _ configuration: XMPPAdapter.Setup, adapter: String, date: @escaping @Sendable () -> Date, isTracing: Bool
    ) {
        (self.configuration, self.date) = (configuration, date)
        hearing = Hearing(ids: MessageIDs(adapter: adapter, since: date()))
        state = ControllerState(
            date: date, queueLimit: configuration.profile.queueLimit, farewell: configuration.farewell,
            isTracing: isTracing, since: \.since)
    }

    var optionNames: XMPPAdapter.OptionNames { configuration.optionNames }

    mutating func takeName(_ robotName: String) throws {
        if let unnamed = configuration.unnamed { configuration = try unnamed.setup(robotName: robotName) }
    }

    // MARK: Coming and going

    mutating func open(isSecure: Bool, nonce: String, waiting: [Chat], at now: Duration) -> [Session.Action] {
        forgetVisit()
        var session = Session(
            configuration.profile, isSecure: isSecure, nonce: nonce, lastMechanism: mechanism, rooms: rooms,
            waiting: waiting, at: now)
        let actions = session.begin()
        state.session = session
        return actions
    }

    /// What a visit has left is over.
    mutating func forgetVisit() {
        (ending, moved, wasLetIn) = (nil, nil, false)
    }

    /// Whether another server of the same domain would be of no use after the one that we were at last.
    var isDecided: Bool {
        switch ending {
        case .wrongPassword, .moved: true
        default: wasLetIn
        }
    }

    mutating func secured(at now: Duration) {
        guard let actions = state.session?.secured() else { return }
        perform(actions, at: now)
    }

    /// Where the server sends us, once.
    mutating func takeMove() -> Endpoint? { moved.take() }

    /// What came can't be read: the other side is told why.
    private mutating func refuse(_ error: StreamParserError) {
        // That is to arrive before the connection is closed.
        state.step = .stop(Trouble("\(error)"), after: .milliseconds(200))
        // Nothing is said any more, and what is to be said is kept.
        _ = state.session?.quit(configuration.farewell)
        let condition = Element(error.condition.rawValue, "urn:ietf:params:xml:ns:xmpp-streams")
        send(Element("error", Namespace.streams, [:], condition))
        state.send(Array(StreamHeader.closing.utf8))
    }

    mutating func close(_ session: Session?) {
        // Sent once more, some of it would arrive twice, and what the server can't take would end each stream.
        if !state.hasQuit, let count = session?.unconfirmed, count > 0 { state.note(.unconfirmed(count)) }
        rooms = session?.wantedRooms ?? rooms
        mechanism = session?.mechanism ?? mechanism
        wasLetIn = session?.hasLoggedIn ?? false
        let joiners = joiners.values.joined()
        self.joiners = [:]
        for joiner in joiners {
            joiner.resume(returning: .failure(AdapterError(.notConnected, "I'm not connected just now")))
        }
        let waiting = questions.values
        questions = [:]
        for question in waiting {
            question.resume(returning: .failure(StanzaError(type: "wait", condition: .notConnected)))
        }
    }

    var sessionTimes: (due: Duration?, isClogged: Bool)? {
        guard state.session != nil else { return nil }
        return (state.session?.due, state.session?.isClogged == true)
    }

    // MARK: Rooms

    /// Wants to be in these rooms besides those of the settings.
    mutating func keep(_ kept: [KeptRoom]) {
        let chosen = configuration.profile.rooms
        let others = kept.compactMap(\.room).filter { room in !chosen.contains { $0.address == room.address } }
        rooms = chosen + others.prefix(max(Self.mostKept - chosen.count, 0))
    }

    /// Those we want to be in besides those of the settings.
    var keptRooms: [KeptRoom] {
        let chosen = configuration.profile.rooms
        return (state.session?.wantedRooms ?? rooms ?? [])
            .filter { room in !chosen.contains { $0.address == room.address } }.map(KeptRoom.init)
    }

    /// Joins a room, and has the continuation resumed once it is clear how that ends: by the room, a deadline of the
    /// session, or the end of the connection.
    mutating func join(
        _ room: Profile.Room, at now: Duration, _ continuation: CheckedContinuation<Result<Room, AdapterError>, Never>
    ) {
        guard state.session?.isReady == true else {
            return continuation.resume(returning: .failure(AdapterError(.notConnected, "I'm not connected just now")))
        }
        guard let actions = state.session?.join(room, at: now) else {
            return continuation.resume(returning: .success(hearing.room(room.address)))
        }
        joiners[room.address, default: []].append(continuation)
        perform(actions, at: now)
    }

    /// Leaves a room; false if we don't want to be in it.
    mutating func part(_ room: JID, at now: Duration) -> Bool {
        guard let actions = state.session?.leave(room, at: now) else { return false }
        perform(actions, at: now)
        return true
    }

    /// Who waits for a room learns how that has ended.
    private mutating func tellJoiners(_ note: Note) {
        if joiners.isEmpty { return }
        let (room, result): (JID, Result<Room, AdapterError>)
        switch note {
        case .joined(let address, _): (room, result) = (address, .success(hearing.room(address)))
        case .turnedAway(let address, let reason), .noRoom(let address, let reason), .refused(let address, let reason),
            .left(let address, let reason):
            (room, result) = (address, .failure(AdapterError(.notLetIn, "I can't get into \(address): \(reason)")))
        default: return
        }
        for joiner in joiners.removeValue(forKey: room) ?? [] { joiner.resume(returning: result) }
    }

    /// Who is in a room but us.
    func users(in room: JID) -> [User] {
        guard let session = state.session else { return [] }
        return session.occupants(of: room).values.filter { $0.nick != session.nick(in: room) }
            .compactMap { hearing.user($0, in: room) }
    }

    // MARK: Hearing

    /// What is read of a stanza: what servers let their users send to other servers, at most 512 KiB.
    ///
    /// The rest is far more than what people's programs send, and so little that one stanza takes no more than some MB of
    /// memory.
    private static let limits = StreamLimits(elementBytes: 524_288, depth: 64)

    static func makeDecoder() -> XMLStreamParser { XMLStreamParser(limits: limits) }

    mutating func receive(
        _ bytes: ArraySlice<UInt8>, _ parser: inout XMLStreamParser, at now: Duration, into messages: inout [Message]
    ) {
        var failure: StreamParserError?
        do { try parser.feed(bytes, into: &events) } catch { failure = error }
        for event in events {
            if case .element(let element) = event { state.record("< \(configuration.profile.loggable(element))") }
            guard let actions = state.session?.receive(event, at: now) else { break }
            perform(actions, at: now, into: &messages)
        }
        if let failure, state.trouble == nil { refuse(failure) }
        events.removeAll(keepingCapacity: events.count <= 64)
    }

    private mutating func hear(_ heard: Heard, at now: Duration) -> Message? {
        guard recent.admits(heard, at: now, date: date()) else { return nil }
        let nick = heard.room.flatMap { state.session?.nick(in: $0) } ?? ""
        let message = hearing.message(heard, nick: nick, robotName: state.robotName, now: date())
        recent.take(heard, as: message.id.value, at: now)
        askers.take(heard.asker, for: message)
        return message
    }

    /// The person whose message is answered; nil if none is.
    func asker(_ envelope: Envelope) -> Asker? {
        guard let message = envelope.message, message.adapter == hearing.adapter else { return nil }
        if let asker = askers[message] { return asker }
        // It is too long ago: then a user whose address we know is known by that, and a nick may be anybody's.
        guard let user = envelope.user else { return Asker("") }
        let id = user.id.value
        guard user.isAnonymous, let room = try? JID(id).bare else { return Asker(id) }
        return Asker(newcomer: id, in: room)
    }

    // MARK: Speaking

    /// Takes note that something is said in answer to a message.
    mutating func noteAnswer(_ envelope: Envelope) {
        if let message = envelope.message { recent.answered(message.value, isHint: envelope.isHint) }
    }

    /// Where the person who is to hear it hears it: in a room that doesn't let us speak, in private.
    mutating func audible(_ target: JID, for envelope: Envelope, at now: Duration) -> JID {
        guard target.isBare, let session = state.session, session.isMute(in: target) else { return target }
        perform(state.session?.askForVoice(in: target, at: now) ?? [], at: now)
        guard let user = envelope.user, let occupant = session.occupants(of: target)[user.name] else { return target }
        // The nick may be somebody else's by now.
        guard user.isAnonymous || occupant.person?.description == user.id.value else { return target }
        return (try? target.with(resource: user.name)) ?? target
    }

    mutating func setSubject(_ subject: String, of room: JID, at now: Duration) -> Bool {
        guard let actions = state.session?.setSubject(subject, of: room) else { return false }
        perform(actions, at: now)
        return true
    }

    /// Tells somebody, and nobody else, something before all that waits to be said.
    mutating func warn(_ text: String, _ envelope: Envelope, at now: Duration) {
        guard let user = envelope.user,
            let target = try? JID(envelope.room.isPrivate ? envelope.room.id.value : user.id.value)
        else { return }
        say([Chat(to: target, text, since: now, asker: asker(envelope), isUrgent: true)], at: now)
    }

    /// What a question is called that is to be asked.
    mutating func nameQuestion() -> String {
        lastQuestion += 1
        return "\(lastQuestion)"
    }

    /// Nobody waits for the answer any more.
    mutating func giveUp(_ question: String) {
        questions.removeValue(forKey: question)?
            .resume(returning: .failure(StanzaError(type: "cancel", condition: .cancelled)))
    }

    /// Asks, and has the continuation resumed once: by an answer, the deadline, the end of the connection or
    /// ``giveUp(_:)``.
    mutating func ask(
        _ payload: Element, _ type: String, to: JID?, within limit: Duration?, at now: Duration, as name: String,
        _ continuation: CheckedContinuation<Result<Element?, StanzaError>, Never>
    ) {
        questions[name] = continuation
        let actions =
            state.session?.ask(payload, type, to: to, as: name, within: limit, at: now)
            ?? [.answer(name, .failure(StanzaError(type: "wait", condition: .notConnected)))]
        perform(actions, at: now)
    }

    // MARK: Doing

    mutating func perform(_ actions: [Session.Action], at now: Duration, into messages: inout [Message]) {
        for action in actions {
            switch action {
            case .send(let element): send(element)
            case .open(let header): state.send(Array(header.xml.utf8))
            case .closeStream: state.send(Array(StreamHeader.closing.utf8))
            case .startTLS: state.step = .startTLS(configuration.tls(isDirect: false))
            case .hear(let heard):
                if let message = hear(heard, at: now) { messages.append(message) }
            case .answer(let name, let result):
                questions.removeValue(forKey: name)?.resume(returning: result)
            case .tellTime(let iq):
                let time = date().formatted(.iso8601)
                perform(state.session?.tell(time: time, to: iq) ?? [], at: now, into: &messages)
            case .settled: state.standing.settle(at: now)
            case .note(let note):
                state.note(note)
                tellJoiners(note)
            case .end(let ending): end(ending)
            }
        }
    }

    private mutating func send(_ element: Element) {
        var bytes: [UInt8] = []
        element.write(into: &bytes, inside: Namespace.client)
        if let longest = state.session?.longestStanza, bytes.count > longest {
            // The server would end the stream: an answer to a question with an id of 60 kB, say.
            let target = element["to"].flatMap { try? JID($0) } ?? configuration.profile.address
            return state.note(.unsaid(to: target, reason: "it has \(bytes.count) bytes, and \(longest) are the most"))
        }
        state.send(bytes)
        state.record("> \(configuration.profile.loggable(element))")
    }

    private mutating func end(_ ending: Ending) {
        self.ending = ending
        if case .moved(let host, let port) = ending { moved = Endpoint(host: host, port: port ?? 5_222) }
        state.stop(Trouble(ending.reason, cure: configuration.optionNames.fix(ending), isLasting: ending.isLasting))
    }
}

extension Note: SessionNote {
    package var level: Logger.Level {
        switch self {
        case .joined, .skipped(_, _, isRepeated: true): .debug
        default: isWarning ? .warning : .info
        }
    }

    package static var counters: [String] { ["heybot_messages_lost_total", "heybot_stanzas_skipped_total"] }

    package var counted: (counter: String, count: Int)? {
        switch self {
        case .lost(let count), .expired(let count), .withheld(let count): ("heybot_messages_lost_total", count)
        case .skipped: ("heybot_stanzas_skipped_total", 1)
        default: nil
        }
    }

    package var changesRooms: Bool {
        switch self {
        case .joined, .removed, .turnedAway, .noRoom, .left, .settled: true
        default: false
        }
    }

    package var isLoggedOnce: Bool {
        switch self {
        case .nickTaken, .refused, .contactRefused, .unbelieved: true
        default: false
        }
    }

    package func ends(_ other: Note) -> Bool {
        switch (other, self) {
        case (.nickTaken(_, let room, _), .nickRegained(_, let regained)): room == regained
        case (.refused(let refused, _), .joined(let room, _)): refused == room
        default: false
        }
    }
}
