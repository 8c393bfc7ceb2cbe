import FoundationEssentials
import Heybot
import HeybotSASL
import HeybotSockets
import HeybotSupport
import HeybotXMPP
import NetworkAdapter

/// The part of XMPP in the session driver: creates sessions, converts their events to messages, and keeps what outlives a
/// connection.
struct XMPPSessionManager: SessionManager, DeliveryTracking {
    var state: SessionManagerState<Session, LogEntry>
    private(set) var configuration: XMPPAdapter.ResolvedConfiguration
    var converter: IncomingMessageConverter
    /// The parsed events that aren't handled yet; the storage is reused.
    private var events: [StreamEvent] = []
    var recent: RecentMessages
    var senders = RecentMessageRequesters<MessageSender>()
    var ownMessages = OwnMessages()
    var reactions = LatestReactions()
    var deliveries = DeliveryTracker()
    /// The service that takes files, once it is known.
    var uploadService: FileUpload.Service?
    private(set) var rooms: [SessionConfiguration.Room]?
    /// The time since which direct messages may have been missed, on the session's clock; nil before the first login.
    private var absentSince: Duration?
    var takeover = Takeover()
    /// The session whose connection has broken, while it may be resumed.
    var interrupted: Session?
    /// The session that an earlier robot has left open, until the first connection.
    var stored: StoredSession?
    /// Whether what is heard from now on is left to the next robot.
    var leavesRest = false
    private var mechanism: Mechanism?
    private var pendingIQRequests: [String: CheckedContinuation<Result<Element?, StanzaError>, Never>] = [:]
    private var lastIQRequestNumber = 0
    /// The callers that wait for a room to be joined.
    private var pendingJoins: [JID: [CheckedContinuation<Result<Room, AdapterError>, Never>]] = [:]
    private static let maxSavedRooms = 500
    /// The ad-hoc commands that run.
    var commandAnswers = CommandAnswers()
    /// Passes ad-hoc commands on to the robot; nil if the adapter doesn't run.
    var commandQueue: AsyncStream<QueuedCommand>.Continuation?
    /// Whether a session has joined the rooms of the account's bookmarks.
    private var hasJoinedBookmarks = false
    let date: @Sendable () -> Date
    /// The reason why the session has ended by itself.
    private(set) var disconnectReason: DisconnectReason?
    /// Whether the last server had accepted the login.
    private var hadLoggedIn = false
    /// The error of the DNS lookup, if it failed.
    var lookupFailure: SRVLookupError?
    /// The server that the last one redirected to.
    private var redirect: Endpoint?

    init(
        _ configuration: XMPPAdapter.ResolvedConfiguration, adapter: String, date: @escaping @Sendable () -> Date,
        isTracing: Bool
    ) {
        (self.configuration, self.date) = (configuration, date)
        recent = RecentMessages(missedAge: configuration.session.missedMessageAge, since: date())
        converter = IncomingMessageConverter(ids: ReceivedMessageIDGenerator(adapter: adapter, since: date()))
        state = SessionManagerState(
            date: date, queueLimit: configuration.session.queueLimit, farewell: configuration.farewell,
            isTracing: isTracing, since: \.since)
    }

    var optionNames: XMPPAdapter.OptionNamesInHints { configuration.optionNames }

    mutating func setRobotName(_ robotName: String) throws {
        guard let unresolved = configuration.unresolved else { return }
        let isKeptAtStop = configuration.session.isKeptAtStop
        configuration = try unresolved.resolved(robotName: robotName)
        configuration.session.isKeptAtStop = isKeptAtStop
    }

    /// Leaves the rooms when the robot is stopped, instead of leaving the session open for the next robot.
    mutating func leaveAtStop() {
        configuration.session.isKeptAtStop = false
        state.session?.leaveAtStop()
    }

    // MARK: Connecting

    mutating func open(isSecure: Bool, nonce: String, waiting: [OutgoingMessage], at now: Duration) -> [Session.Action]
    {
        resetAttempt()
        takeOverStoredSession(nonce: nonce, at: now)
        if var session = interrupted.take() {
            session.epoch = epoch(at: now)
            let actions = session.reopen(isSecure: isSecure, nonce: nonce, waiting: waiting, at: now)
            session.bind(to: bindings)
            state.session = session
            return actions
        }
        var session = Session(
            configuration.session, isSecure: isSecure, nonce: nonce, lastMechanism: mechanism, rooms: rooms,
            waiting: waiting, absentSince: absentSince, at: now)
        session.epoch = epoch(at: now)
        session.tracksMessages = !deliveries.isEmpty
        session.joinsBookmarks = !hasJoinedBookmarks
        session.bind(to: bindings)
        takeOverCommands(in: &session, at: now)
        let actions = session.begin()
        state.session = session
        return actions
    }

    /// Returns the time of the zero of the session's clock, in seconds since 1970.
    private func epoch(at now: Duration) -> Double {
        let seconds: Double = now / .seconds(1)
        return date().timeIntervalSince1970 - seconds
    }

    /// The server that an interrupted session prefers to be resumed at.
    ///
    /// As with a redirect, its certificate has to be valid for the domain of the account.
    var resumptionServer: Endpoint? {
        guard configuration.server == nil, configuration.session.usesTLS,
            let server = interrupted?.resumptionServer ?? storedSessionServer
        else { return nil }
        return Endpoint(host: server.host, port: server.port ?? 5_222)
    }

    /// Forgets the results of the previous connection attempt.
    mutating func resetAttempt() {
        (disconnectReason, redirect, hadLoggedIn) = (nil, nil, false)
    }

    /// Whether trying another server of the domain would be useless after the last one.
    var endsServerSearch: Bool {
        switch disconnectReason {
        case .badCredentials, .redirected: true
        default: hadLoggedIn
        }
    }

    /// The values of the encrypted connection that the login can be bound to, the best one first.
    private var bindings: [ChannelBinding] {
        let exporter = state.channelBindings.exporter.map { ChannelBinding(.exporter, $0) }
        let serverEndPoint = state.channelBindings.serverEndPoint.map { ChannelBinding(.serverEndPoint, $0) }
        return [exporter, serverEndPoint].compactMap(\.self)
    }

    mutating func secured(at now: Duration) {
        let bindings = bindings
        state.session?.bind(to: bindings)
        guard let actions = state.session?.secured() else { return }
        perform(actions, at: now)
    }

    /// Returns the redirect, once.
    mutating func takeRedirect() -> Endpoint? { redirect.take() }

    /// Ends the stream with an error because its input is invalid.
    private mutating func refuse(_ error: StreamParserError) {
        // So that the error arrives before the connection is closed.
        state.next = .stop(ConnectionFailure("\(error)"), after: .milliseconds(200))
        // The queued messages are kept for the next session.
        state.session?.giveUpResumption()
        _ = state.session?.quit(configuration.farewell)
        let condition = Element(error.condition.rawValue, "urn:ietf:params:xml:ns:xmpp-streams")
        send(Element("error", Namespace.streams, [:], condition))
        state.send(Array(StreamHeader.closing.utf8))
    }

    mutating func close(_ session: Session?) {
        // These messages aren't sent again: some would arrive twice, and one that the server can't accept would end every stream.
        if !state.hasQuit, let count = session?.unconfirmed, count > 0 { state.log(.unconfirmed(count)) }
        rooms = session?.wantedRooms ?? rooms
        absentSince = session?.missedSince ?? absentSince
        mechanism = session?.mechanism ?? mechanism
        hadLoggedIn = session?.hasLoggedIn ?? false
        // Further sessions get other addresses, also if another robot has taken the first one.
        if hadLoggedIn { configuration.session.resource = nil }
        if hadLoggedIn, session?.joinsBookmarks == false { hasJoinedBookmarks = true }
        if hadLoggedIn, session?.mayTakeOverCommands != true { takeover.killedRun = nil }
        // Otherwise two robots of the same installation would end each other's sessions in turn (XEP-0386 section 3.2).
        if case .displaced = disconnectReason { configuration.session.installation = nil }
        if let session { noteEnd(of: session) }
        uploadService = nil
        let pendingJoins = pendingJoins.values.joined()
        self.pendingJoins = [:]
        for continuation in pendingJoins {
            continuation.resume(returning: .failure(AdapterError(.notConnected, "I'm not connected right now")))
        }
        let waiting = pendingIQRequests.values
        pendingIQRequests = [:]
        for request in waiting {
            request.resume(returning: .failure(StanzaError(type: "wait", condition: .notConnected)))
        }
    }

    var sessionTimes: (due: Duration?, isCongested: Bool)? {
        mutating get {
            guard state.session != nil else { return nil }
            return (state.session?.due, state.session?.isCongested == true)
        }
    }

    // MARK: Rooms

    /// Adds the rooms that were joined by invitation or on request to the configured ones.
    mutating func restore(_ saved: [SavedRoom]) {
        let chosen = configuration.session.rooms
        let others = saved.compactMap(\.room).filter { room in !chosen.contains { $0.address == room.address } }
        rooms = chosen + others.prefix(max(Self.maxSavedRooms - chosen.count, 0))
    }

    /// The rooms to join again after a restart, in addition to the configured ones.
    var savedRooms: [SavedRoom] {
        let chosen = configuration.session.rooms
        return (state.session?.wantedRooms ?? rooms ?? [])
            .filter { room in !chosen.contains { $0.address == room.address } }.map(SavedRoom.init)
    }

    /// Joins a room, and resumes the continuation when the room answers, the session's timeout has passed, or the connection
    /// ends.
    mutating func join(
        _ room: SessionConfiguration.Room, at now: Duration,
        _ continuation: CheckedContinuation<Result<Room, AdapterError>, Never>
    ) {
        guard state.session?.isOnline == true else {
            return continuation.resume(returning: .failure(AdapterError(.notConnected, "I'm not connected right now")))
        }
        guard let actions = state.session?.join(room, at: now) else {
            return continuation.resume(returning: .success(converter.room(room.address)))
        }
        pendingJoins[room.address, default: []].append(continuation)
        perform(actions, at: now)
    }

    /// Leaves a room; false if it isn't one of the robot's rooms.
    mutating func part(_ room: JID, at now: Duration) -> Bool {
        guard let actions = state.session?.leave(room, at: now) else { return false }
        perform(actions, at: now)
        return true
    }

    /// Resumes the callers that wait for a room.
    private mutating func resumeJoins(_ entry: LogEntry) {
        if pendingJoins.isEmpty { return }
        let (room, result): (JID, Result<Room, AdapterError>)
        switch entry {
        case .joined(let address, _): (room, result) = (address, .success(converter.room(address)))
        case .joinAbandoned(let address, let reason), .joinSkipped(let address, let reason),
            .joinRefused(let address, let reason),
            .left(let address, let reason):
            (room, result) = (address, .failure(AdapterError(.joinRefused, "I can't join \(address): \(reason)")))
        default: return
        }
        for continuation in pendingJoins.removeValue(forKey: room) ?? [] { continuation.resume(returning: result) }
    }

    /// Whether a user is an occupant of one of the robot's rooms.
    func isPresent(_ user: User.ID) -> Bool {
        let rooms = state.session?.joined ?? []
        return rooms.contains { room in users(in: room).contains { $0.id == user } }
    }

    /// Returns the occupants of a room, without the robot.
    func users(in room: JID) -> [User] {
        guard let session = state.session else { return [] }
        return session.occupants(of: room).values.filter { $0.nick != session.nick(in: room) }
            .compactMap { converter.user($0, in: room) }
    }

    // MARK: Receiving

    /// The limits of incoming stanzas; 512 KiB is what servers let their users send to other servers.
    ///
    /// The other limits are far above what clients send, and low enough for a stanza to take at most a few MB of memory.
    private static let limits = StreamLimits(elementBytes: 524_288, depth: 64)

    static func makeDecoder() -> XMLStreamParser { XMLStreamParser(limits: limits) }

    mutating func receive(
        _ bytes: ArraySlice<UInt8>, _ parser: inout XMLStreamParser, at now: Duration, into messages: inout [Message]
    ) {
        var failure: StreamParserError?
        do { try parser.feed(bytes, into: &events) } catch { failure = error }
        for event in events {
            if case .element(let element) = event { state.record("< \(configuration.session.loggable(element))") }
            guard let actions = state.session?.receive(event, at: now) else { break }
            perform(actions, at: now, into: &messages)
        }
        if let failure, state.failure == nil { refuse(failure) }
        events.removeAll(keepingCapacity: events.count <= 64)
    }

    /// Returns the requester whom a message answers; nil if it answers nobody.
    func requester(_ envelope: Envelope) -> RequesterIdentity? {
        guard let message = envelope.message, message.adapter == converter.adapter else { return nil }
        if let sender = senders[message] { return sender.requester }
        // The message is too old: then a known address is the requester's id, and a nick may be anyone's.
        guard let user = envelope.user else { return RequesterIdentity("") }
        let id = user.id.value
        guard user.isAnonymous, let room = try? JID(id).bare else { return RequesterIdentity(id) }
        return RequesterIdentity(newcomer: id, in: room)
    }

    // MARK: Requests

    /// Returns the name of the next IQ request.
    mutating func nextIQRequestName() -> String {
        lastIQRequestNumber += 1
        return "\(lastIQRequestNumber)"
    }

    /// Cancels an IQ request.
    mutating func cancelIQRequest(_ name: String) {
        pendingIQRequests.removeValue(forKey: name)?
            .resume(returning: .failure(StanzaError(type: "cancel", condition: .cancelled)))
    }

    /// Sends an IQ request, and resumes the continuation once: with the response, after the timeout, when the connection
    /// ends, or by ``cancelIQRequest(_:)``.
    mutating func ask(
        _ payload: Element, _ type: String, to: JID?, within limit: Duration?, at now: Duration, as name: String,
        _ continuation: CheckedContinuation<Result<Element?, StanzaError>, Never>
    ) {
        pendingIQRequests[name] = continuation
        let actions =
            state.session?.ask(payload, type, to: to, as: name, within: limit, at: now)
            ?? [.answer(name, .failure(StanzaError(type: "wait", condition: .notConnected)))]
        perform(actions, at: now)
    }

    /// Requests a change of a room, and resumes the continuation as ``ask(_:_:to:within:at:as:_:)`` does.
    mutating func moderate(
        _ change: RoomChange, in room: JID, at now: Duration, as name: String,
        _ continuation: CheckedContinuation<Result<Element?, StanzaError>, Never>
    ) {
        pendingIQRequests[name] = continuation
        let actions =
            state.session?.moderate(change, in: room, as: name, at: now)
            ?? [.answer(name, .failure(StanzaError(type: "wait", condition: .notConnected)))]
        perform(actions, at: now)
    }

    // MARK: Actions

    mutating func perform(_ actions: [Session.Action], at now: Duration, into messages: inout [Message]) {
        for action in actions {
            switch action {
            case .send(let element): send(element)
            case .open(let header): state.send(Array(header.xml.utf8))
            case .closeStream: state.send(Array(StreamHeader.closing.utf8))
            case .startTLS: state.next = .startTLS(configuration.tls(isDirect: false))
            case .hear(let event):
                if let message = hear(event, at: now) { messages.append(message) }
            case .stanzaID(let stanzaID, let id, let room):
                for waiting in ownMessages.record(stanzaID: stanzaID, of: id, in: room) {
                    _ = change(converter.id(id), waiting.change, waiting.envelope, at: now)
                }
            case .confirmed(let id, let isRead, let sender):
                if ownMessages.isRecipient(sender, of: id) { deliveries.confirm(id, isRead ? .seen : .delivered) }
            case .refused(let id, let sender):
                if ownMessages.isRecipient(sender, of: id) { deliveries.fail(id) }
            case .answer(let name, let result):
                pendingIQRequests.removeValue(forKey: name)?.resume(returning: result)
            case .tellTime(let iq):
                let time = DateTimeProfile.text(date())
                perform(state.session?.tell(time: time, to: iq) ?? [], at: now, into: &messages)
            case .recordAttempts(let ids, let archive): recordAttempts(ids, of: archive)
            case .serve(let request): serve(request)
            case .ready: state.status.markReady(at: now)
            case .log(let entry):
                state.log(entry)
                resumeJoins(entry)
            case .end(let disconnectReason): end(disconnectReason)
            }
        }
    }

    private mutating func send(_ element: Element) {
        var bytes: [UInt8] = []
        element.write(into: &bytes, inside: Namespace.client)
        if let longest = state.session?.longestStanza, bytes.count > longest {
            // The server would end the stream, for example because of a response to a request with an id of 60 kB.
            let target = element["to"].flatMap { try? JID($0) } ?? configuration.session.address
            return state.log(
                .notDelivered(to: target, reason: "the stanza has \(bytes.count) bytes, and the limit is \(longest)"))
        }
        state.send(bytes)
        state.record("> \(configuration.session.loggable(element))")
        if let next = state.session?.recordSent(element) { send(next) }
    }

    private mutating func end(_ disconnectReason: DisconnectReason) {
        self.disconnectReason = disconnectReason
        if case .redirected(let host, let port) = disconnectReason {
            redirect = Endpoint(host: host, port: port ?? 5_222)
        }
        state.stop(
            ConnectionFailure(
                disconnectReason.reason, fix: configuration.optionNames.fix(disconnectReason),
                isPermanent: disconnectReason.isPermanent))
    }
}
