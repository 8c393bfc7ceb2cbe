import FoundationEssentials
import Heybot
import HeybotIRC
import HeybotSockets
import HeybotSupport
import NetworkAdapter

/// IRC's part of the session driver: creates the sessions, converts their events to messages, and keeps what outlives a
/// connection.
struct IRCSessionManager: SessionManager, DeliveryTracking {
    var state: SessionManagerState<Session, LogEntry>
    private(set) var configuration: IRCAdapter.ResolvedConfiguration
    private(set) var converter: IncomingMessageConverter
    private var pager: Pager
    var requesters = RecentMessageRequesters<RequesterIdentity>()
    var deliveries = DeliveryTracker()
    /// The channels to be in, while there is no connection; nil before the first one.
    var channels: [SessionConfiguration.Channel]?
    /// The callers that wait for a join, by the channel's folded name.
    var pendingJoins: [String: [PendingJoin]] = [:]
    var lastJoinNumber = 0
    /// How the server of another adapter with the same settings compares names.
    var adoptedCaseMapping: CaseMapping?
    /// The callers that wait for a change of a channel, by the change's name.
    var pendingModerations: [String: CheckedContinuation<ChannelRefusal?, Never>] = [:]
    /// The callers that wait for the answer to a query for an absent user, by the query's name.
    var pendingAbsentUsers: [String: CheckedContinuation<AbsentUserAnswer, Never>] = [:]
    var lastModerationNumber = 0
    /// Whether the network has ever shown an account.
    private var providesAccounts = false
    /// The users named in the settings; takes effect at once, on an open connection too.
    var namedUsers = ConfiguredUsers() {
        didSet { state.session?.readsCertificates = namedUsers.hasCertificates }
    }
    private var loginHistory = Session.LoginHistory()
    /// What the next connection needs to ask for the messages that it has missed.
    var history: HistoryMark?
    /// Receives for how many seconds the server demands encryption; nil if the demand doesn't count.
    var encryptionDemands: AsyncStream<Int>.Continuation?
    /// The port on which the server demands an encrypted connection.
    private var encryptedPort: Int?
    /// When services removed the robot because another robot with its account wanted the nick, within the last hour.
    private var displaced: [Duration] = []
    private static let fight: Duration = .seconds(3_600)
    private let date: @Sendable () -> Date

    /// - Parameter isTracing: Whether to keep all traffic for the log.
    init(
        _ configuration: IRCAdapter.ResolvedConfiguration, adapter: String, date: @escaping @Sendable () -> Date,
        isTracing: Bool
    ) {
        (self.configuration, self.date) = (configuration, date)
        converter = IncomingMessageConverter(ids: ReceivedMessageIDGenerator(adapter: adapter, since: date()))
        pager = Pager(size: configuration.page)
        state = SessionManagerState(
            date: date, queueLimit: configuration.session.queueLimit, farewell: configuration.farewell,
            isTracing: isTracing, since: \.since)
    }

    var adapterName: String { converter.adapter }

    /// Returns the robot's id of a message.
    mutating func nextID() -> Message.ID { converter.ids.next() }

    var optionNames: IRCAdapter.OptionNamesInHints { configuration.optionNames }

    mutating func setRobotName(_ robotName: String) throws {
        if let unresolved = configuration.unresolved { configuration = try unresolved.resolved(robotName: robotName) }
    }

    // MARK: Connection

    mutating func open(isSecure: Bool, nonce: String, waiting: [OutgoingMessage], at now: Duration) -> [Session.Action]
    {
        let messages = waiting.compactMap { outgoing -> OutgoingMessage? in
            if outgoing.isRepeated { return now - outgoing.since < Session.repetitionLimit ? outgoing : nil }
            var waiting = outgoing
            // The time in the offline queue doesn't count towards the limit in the send queue.
            waiting.since = now
            return waiting
        }
        displaced.removeAll { now - $0 >= Self.fight }
        loginHistory.yieldsNick = displaced.count > 1
        encryptedPort = nil
        var profile = configuration.session
        profile.names = [state.robotName, configuration.alias].compactMap(\.self)
        // Also if the settings don't ask for TLS, but the server demands it.
        if isSecure { profile.sendsPlainPassword = true }
        var session = Session(
            profile, nonce: nonce, channels: channels, waiting: messages,
            loginHistory: loginHistory, history: history, isSecure: isSecure, at: now)
        session.readsCertificates = namedUsers.hasCertificates
        let actions = session.begin(at: now)
        state.session = session
        return actions
    }

    mutating func close(_ session: Session?) {
        channels = session?.channels ?? channels
        if let session { history = session.historyMark }
        for pendingJoin in pendingJoins.values.joined() {
            pendingJoin.continuation.resume(returning: .failure(.away(adapterName)))
        }
        pendingJoins = [:]
        for continuation in pendingModerations.values { continuation.resume(returning: .noAnswer) }
        pendingModerations = [:]
        for continuation in pendingAbsentUsers.values { continuation.resume(returning: .unknown) }
        pendingAbsentUsers = [:]
        loginHistory.hadSASL = loginHistory.hadSASL || session?.offersSASL == true
    }

    /// Leaves what arrives from now on to the next robot.
    mutating func stopHearing() { state.session?.stopHearing() }

    /// What the next process needs to ask for the messages that it has missed; nil if the server keeps none.
    var historyToStore: StoredHistoryMark? {
        guard let session = state.session else { return history?.stored }
        return session.historyMark?.stored
    }

    /// Removes and returns the port on which the server demands an encrypted connection; nil if it doesn't.
    mutating func takeEncryptedPort() -> Int? { encryptedPort.take() }

    var sessionTimes: (due: Duration?, isCongested: Bool)? {
        mutating get {
            guard state.session != nil else { return nil }
            return (state.session?.due, state.session?.isCongested == true)
        }
    }

    // MARK: Receiving

    static func makeDecoder() -> LineBuffer { LineBuffer() }

    mutating func receive(
        _ bytes: ArraySlice<UInt8>, _ decoder: inout LineBuffer, at now: Duration, into messages: inout [Message]
    ) {
        decoder.cut(bytes) { line in
            guard let line = IRCMessage(line) else { return }
            state.record("< \(configuration.session.loggable(line))")
            guard var actions = state.session?.receive(line, at: now) else { return }
            // Usually there is one, which is moved rather than copied.
            if actions.count == 1 {
                perform(actions.removeLast(), at: now, into: &messages)
            } else {
                perform(actions, at: now, into: &messages)
            }
            completeJoins(at: now)
        }
    }

    private mutating func hear(_ event: IncomingEvent, at now: Duration) -> Message? {
        guard let nick = state.session?.nick else { return nil }
        var context = identityContext
        // Nobody knows who had the nick then.
        if event.isMissed { context.trustsNicks = false }
        let identity = IncomingMessageConverter.identity(
            event.source, nickKey: event.nickKey, event.account, certificates: event.certificates, context)
        let requester = requester(identity, event)
        // The remaining pages of an answer aren't for the next user with that nick.
        if event.channel == nil { pager.forget(fold(event.source.nick), unlessFor: requester) }
        let (robotName, heard) = (state.robotName, date())
        var message = converter.message(
            event, identity: identity, origin: requester.id, nick: nick, robotName: robotName, now: heard)
        if event.isMissed {
            // What wasn't said to the robot needs no late answer.
            guard message.room.isPrivate || message.isAddressed || addressing.isAddressed(message.text ?? "") else {
                return nil
            }
            message.isLate = true
        }
        requesters.record(requester, for: message)
        return message
    }

    /// Recognizes what is said to the robot, as the robot does.
    private var addressing: Addressing { Addressing(name: state.robotName, alias: configuration.alias) }

    /// The requester to whom a user's commands are attributed: a verified id, or else the connection, because a nick can be
    /// changed at any time.
    private func requester(_ identity: IncomingMessageConverter.UserIdentity, _ event: IncomingEvent)
        -> RequesterIdentity
    {
        let id = identity.isProven ? identity.id : event.source.origin ?? identity.id
        return RequesterIdentity(id, source: event.source, account: event.account.name, shownIn: event.shownIn)
    }

    /// The author of the message that is being answered; nil if there is none.
    func requester(_ envelope: Envelope) -> RequesterIdentity? {
        guard let message = envelope.message, message.adapter == converter.adapter else { return nil }
        return requesters[message]
            ?? RequesterIdentity(forgotten: envelope.user?.id.value ?? "", account: envelope.user?.account)
    }

    /// What is needed to identify the network's users.
    var identityContext: IncomingMessageConverter.IdentityContext {
        mutating get {
            providesAccounts = providesAccounts || state.session?.providesAccounts == true
            return IncomingMessageConverter.IdentityContext(
                mapping: state.session?.support.caseMapping ?? .rfc1459, providesAccounts: providesAccounts,
                trustsNicks: configuration.trustsNicks && state.session?.lacksAccounts == true,
                namedUsers: namedUsers)
        }
    }

    /// The warning that admins named by account can't be verified on this network, or may never be; nil if they can.
    private var accountWarning: LogEntry? {
        let names = namedUsers.accountNames
        guard let session = state.session, session.isOnline, !providesAccounts, !names.isEmpty else { return nil }
        if !session.canProvideAccounts { return configuration.trustsNicks ? nil : .accountsUnavailable(names) }
        // With account-tag, each message shows that its sender has no account, even if nicks are trusted.
        let believesNicks = configuration.trustsNicks && !session.enabled.contains("account-tag")
        return session.suggestsAccounts || believesNicks ? nil : .accountsUnlikely(names)
    }

    // MARK: Sending

    /// Sends a message, or queues it until there is a connection.
    ///
    /// It counts as an answer if the envelope names a message.
    mutating func say(_ outgoing: OutgoingMessage, page isPaged: Bool, _ envelope: Envelope, at now: Duration) {
        let room = envelope.room
        var outgoing = outgoing
        outgoing.requester = requester(envelope)
        // A user whose private messages are ignored couldn't ask for more.
        let canAsk = !room.isPrivate || configuration.session.hearsPrivateMessages
        guard isPaged, canAsk else { return put([outgoing], at: now) }
        let pieces = state.session?.lines(of: outgoing) ?? OutgoingTextSplitter.lines(of: outgoing.text, limit: 400)
        // As ``fold(_:)``, which isn't mutating, so it would get a copy of the whole manager.
        let mapping = state.session?.support.caseMapping ?? adoptedCaseMapping ?? .rfc1459
        let page = pager.page(
            pieces, for: mapping.fold(outgoing.target), requester: outgoing.requester, at: now)
        put(messages(page, outgoing, room), at: now)
    }

    /// Sends the next page.
    ///
    /// - Returns: False if there is none.
    mutating func showMore(_ target: String, _ envelope: Envelope, at now: Duration) -> Bool {
        let requester = requester(envelope)
        let person = envelope.room.isPrivate ? requester : nil
        // Users with the same user name and host, as behind a gateway, may be different ones.
        if person != nil, let asker = pager.requester(for: fold(target)),
            state.session?.recipient(of: target, for: asker) != target
        {
            pager.drop(fold(target))
        }
        guard let page = pager.next(for: fold(target), person: person, at: now) else { return false }
        put(messages(page, OutgoingMessage(to: target, "", requester: requester), envelope.room), at: now)
        return true
    }

    /// The other members of a channel, as far as the server has listed them.
    mutating func users(in channel: String) -> [User] {
        let identityContext = identityContext
        guard let session = state.session,
            let members = session.members.channels[session.support.caseMapping.fold(channel)]
        else {
            return []
        }
        let mapping = session.support.caseMapping
        return members.filter { $0.key != mapping.fold(session.nick) }.values
            .map { converter.user($0, identityContext) }
    }

    /// Whether a channel shows a user now.
    mutating func isPresent(_ user: User.ID) -> Bool {
        let (converter, identityContext) = (converter, identityContext)
        let member = state.session?.members.member { converter.user($0, identityContext).id == user }
        return member != nil
    }

    /// Returns a user as a channel shows them now.
    ///
    /// If no channel shows them, it is the user unchanged if nothing but the nick identifies them, or else nil.
    mutating func locate(_ user: User) -> User? {
        let (converter, identityContext) = (converter, identityContext)
        let member = state.session?.members.member { converter.user($0, identityContext).id == user.id }
        if let member { return converter.user(member, identityContext) }
        let isNick = identityContext.trustsNicks && fold(user.name) == fold(user.id.value)
        return user.isAnonymous || isNick ? user : nil
    }

    /// How the server compares names; nil if it hasn't said so.
    var caseMapping: CaseMapping? { state.session?.support.caseMapping ?? adoptedCaseMapping }

    func fold(_ name: String) -> String { (caseMapping ?? .rfc1459).fold(name) }

    mutating func setTopic(_ topic: String, of channel: String, _ envelope: Envelope, at now: Duration) -> Bool {
        let requester = requester(envelope)?.id
        guard let actions = state.session?.setTopic(topic, of: channel, requester: requester, at: now) else {
            return false
        }
        perform(actions, at: now)
        return true
    }

    /// The number of queued lines for the author of the message that is being answered.
    func queuedLines(for envelope: Envelope) -> Int {
        requester(envelope).flatMap { state.session?.lines(requestedBy: $0.id) } ?? 0
    }

    /// Sends a notice to the user alone, before everything that is queued.
    mutating func warn(_ text: String, _ envelope: Envelope, at now: Duration) {
        guard let user = envelope.user else { return }
        let requester = requester(envelope)
        perform(state.session?.warn(user.name, text, requester: requester, at: now) ?? [], at: now)
    }

    private mutating func put(_ messages: consuming [OutgoingMessage], at now: Duration) {
        var messages = messages
        for index in messages.indices { messages[index].since = now }
        say(messages, at: now)
    }

    // MARK: Actions

    mutating func perform(
        _ actions: [Session.Action], at now: Duration, into messages: inout [Message]
    ) {
        for action in actions { perform(action, at: now, into: &messages) }
    }

    private mutating func perform(
        _ action: consuming Session.Action, at now: Duration, into messages: inout [Message]
    ) {
        switch consume action {
        case .send(let line):
            state.send(line.bytes)
            state.record("> \(configuration.session.loggable(line))")
        case .hear(let event):
            if let message = hear(event, at: now) { messages.append(message) }
        case .tellTime(let nick):
            let time = date().formatted(.iso8601)
            perform(state.session?.tell(time: time, to: nick, at: now) ?? [], at: now, into: &messages)
        case .ready:
            // Logged first, because a preflight check stops at the last entry.
            if let accountWarning { state.log(accountWarning) }
            state.log(.ready(as: state.session?.nick ?? "", in: state.session?.joined ?? []))
            state.status.markReady(at: now)
        case .confirmed(let id, let isDelivered):
            if isDelivered { deliveries.confirm(id, .delivered) } else { deliveries.fail(id) }
        case .moderated(let name, let refusal):
            pendingModerations.removeValue(forKey: name)?.resume(returning: refusal)
        case .absent(let name, let answer):
            pendingAbsentUsers.removeValue(forKey: name)?.resume(returning: answer)
        case .log(let entry): state.log(entry)
        case .end(let ending):
            if case .displaced = ending { displaced.append(now) }
            state.stop(ConnectionFailure("\(ending)", isPermanent: ending.isPermanent))
        case .reconnectEncrypted(let port):
            encryptedPort = port
            state.stop(ConnectionFailure("\(LogEntry.encryptionRequired(port: port))"))
        case .requireEncryption(let seconds): encryptionDemands?.yield(seconds)
        }
    }
}
