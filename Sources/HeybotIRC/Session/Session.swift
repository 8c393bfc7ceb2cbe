import HeybotSASL
import HeybotSupport

/// One connection to an IRC network as a state machine: messages and times in, actions out.
///
/// Times are offsets on a monotonic clock with an arbitrary epoch. The owner sends messages in the order of the actions, and
/// calls ``tick(at:)`` when ``due`` has come.
package struct Session: Sendable {
    /// An action for the session's owner.
    package enum Action: Hashable, Sendable {
        /// Send this message.
        case send(IRCMessage)
        /// A user said or did something.
        case hear(IncomingEvent)
        /// A user asks for the local time: answer with ``tell(time:to:at:)``.
        case tellTime(to: String)
        /// Registration is complete, and every channel has answered or timed out.
        case ready
        /// The server has received the message with this id of ``OutgoingMessage/tracking``, or has refused it.
        case confirmed(String, isDelivered: Bool)
        /// The change of a channel with this name was made; or it was refused, for this reason.
        case moderated(String, ChannelRefusal?)
        /// The answer to the query for an absent user with this name.
        case absent(String, AbsentUserAnswer)
        /// Log this entry.
        case log(LogEntry)
        /// The session has ended: close the connection.
        case end(DisconnectReason)
        /// The session has ended, because the server demands encryption: connect again to this port with TLS, at once.
        case reconnectEncrypted(port: Int)
        /// From now on, and for so long after the connection has ended, connect to this server with TLS only; 0 ends this.
        case requireEncryption(seconds: Int)
    }

    /// What earlier connections to the network have shown.
    package struct LoginHistory: Hashable, Sendable {
        /// Whether the network has offered SASL.
        package var hadSASL = false
        /// Whether another robot with the same account keeps reclaiming the nick, so that this one leaves it alone.
        package var yieldsNick = false

        package init(hadSASL: Bool = false, yieldsNick: Bool = false) {
            self.hadSASL = hadSASL
            self.yieldsNick = yieldsNick
        }
    }

    enum Phase: Equatable {
        /// Until the server's 001; capabilities may still be negotiated.
        case registering(until: Duration, isNegotiating: Bool)
        /// Until the server has sent everything about itself.
        case welcomed(until: Duration)
        /// NickServ's identity is being verified before it gets the password.
        case verifying(until: Duration)
        /// NickServ is checking the password.
        case identifying(until: Duration)
        /// The channels are being joined. Messages are received; nothing is sent until every channel has answered or timed out.
        case joining(until: Duration)
        /// Messages are received and sent.
        case ready
        case over
    }

    /// What is known about a failed login.
    enum LoginFailureState {
        case none
        /// The failure was reported.
        case reported
        /// The password was rejected, so no other service gets it; this was reported.
        case refused
    }

    /// Tells a bouncer's playback, right after registration, from new messages.
    struct PlaybackWindow {
        /// The time of registration, by the server's clock.
        let welcomed: String
        let until: Duration
    }

    let configuration: SessionConfiguration
    /// The nick of the service that receives the password.
    let serviceNick: String
    var phase: Phase
    /// The server's features and limits.
    package internal(set) var support = ISupport()
    /// The members of the channels that the robot is in.
    package internal(set) var members = ChannelMembers()
    /// The prefix that the server adds to the robot's messages.
    package internal(set) var ownSource: Source
    var capabilities: Capabilities { didSet { updateAccounts() } }
    var authentication: Authentication
    var nicks: NickManager { didSet { nick = nicks.name } }
    /// The robot's current nick; stored, because the session would be copied to compute it.
    package private(set) var nick: String
    var channelManager: ChannelManager
    var keepAlive: KeepAlive
    var batches = BatchTracker()
    var multilineBatches = MultilineBatches()
    /// Nil if the server keeps no messages.
    var history: HistoryTracker?
    /// What the earlier connection has left.
    let earlierHistory: HistoryMark?
    /// Whether the session has been ready.
    var wasReady = false
    var netsplits = NetsplitTracker()
    var queue: SendQueue
    var acknowledgements = Acknowledgements()
    var ownMessages = OwnMessages()
    /// The last typing notifications, by target, folded.
    var typing: [String: TypingNotification] = [:]
    /// The number of messages that were sent as a batch of lines.
    var lastMultiline = 0
    var accountQueries = AccountQueries()
    var certificateQueries = CertificateQueries()
    var monitoredUsers = MonitoredUsers()
    /// Whether the robot is marked as away, because it doesn't answer yet.
    var isMarkedAway = false
    var moderation = ModerationTracker()
    /// The query for an absent user that is under way.
    var absentUserQuery: AbsentUserQuery?
    /// Whether any user's account was seen.
    var hasSeenAccount = false { didSet { updateAccounts() } }
    /// Whether the network has shown any account, so that a nick without one isn't the account of that name; stored,
    /// because the session would be copied to compute it.
    package private(set) var providesAccounts = false
    /// When the last message or tick was handled.
    var now: Duration
    var requests: TokenBucket
    /// The account that the robot is logged in to.
    package internal(set) var account: String?
    /// The server's reply if a channel refused the robot, by the channel's folded name.
    package internal(set) var refusals: [String: IRCMessage] = [:]
    /// Whether to query the client certificates of users who say something.
    package var readsCertificates = false
    /// Whether the connection doesn't accept more data for now, so that queued messages must wait.
    package var isCongested = false
    /// Nil if the server doesn't send times.
    var playback: PlaybackWindow?
    var loginFailure = LoginFailureState.none
    var isNickRefused = false
    /// Whether services keep the robot from using the wanted nick.
    var isNickEnforced = false
    /// Whether NickServ has reported that the wanted nick is registered.
    var isNickRegistered = false
    /// When services last took the nick away.
    var nickTaken: Duration?
    /// Whether NickServ was asked to remove the holder of the nick, and hasn't answered.
    var awaitsGhost = false
    /// What is known about NickServ's identity before it gets the password.
    var nickServAuthenticityCheck = NickServAuthenticityCheck()
    /// The channels that the robot was forwarded to, by the channels that forwarded it; both folded.
    var forwards: [String: String] = [:]
    /// The names of renamed channels, by their former names, folded.
    var renames: [String: String] = [:]
    /// The new nicks of visible users, by their former nicks, folded.
    var newNicks: [String: String] = [:]
    /// The channels that the robot left on request, folded.
    var leftByCommand: Set<String> = []
    /// Distinguishes this session from others.
    let id: String
    /// What earlier connections have shown.
    let loginHistory: LoginHistory
    /// Whether the connection is encrypted.
    let isSecure: Bool
    private(set) var undeliverableTargets: Set<String> = []

    /// - Parameters:
    ///   - nonce: At least 18 random printable characters without commas, for SCRAM.
    ///   - channels: The channels to join instead of the configured ones: those of an earlier session, including invitations.
    ///   - waiting: The unsent messages of an earlier session.
    ///   - loginHistory: What earlier connections have shown.
    ///   - history: What the earlier connection has left; nil if there was none.
    ///   - isSecure: Whether the connection is encrypted.
    package init(
        _ configuration: SessionConfiguration, nonce: String, channels: [SessionConfiguration.Channel]? = nil,
        waiting: [OutgoingMessage] = [],
        loginHistory: LoginHistory = LoginHistory(), history: HistoryMark? = nil, isSecure: Bool = false,
        at now: Duration
    ) {
        self.configuration = configuration
        serviceNick =
            configuration.nickServAddress.map { String($0.prefix { $0 != "!" && $0 != "@" }) } ?? configuration.nickServ
        earlierHistory = history
        self.loginHistory = loginHistory
        self.isSecure = isSecure
        id = String(nonce.prefix(12))
        self.now = now
        phase = .registering(until: now + configuration.timeouts.registration, isNegotiating: true)
        ownSource = Source(nick: configuration.nick, user: nil, host: nil)
        let canLogIn = configuration.usesSASL && (configuration.accountName != nil || configuration.hasCertificate)
        capabilities = Capabilities(canLogIn: canLogIn, wantsHistory: configuration.missedMessageAge > .zero)
        authentication = Authentication(
            configuration.account, signer: configuration.signer, hasCertificate: configuration.hasCertificate,
            nonce: nonce, sendsPlain: configuration.sendsPlainPassword, allowed: configuration.mechanisms)
        nicks = NickManager(configuration.nick, alternates: configuration.alternates)
        nick = nicks.name
        channelManager = ChannelManager(configuration.timeouts)
        keepAlive = KeepAlive(
            pingInterval: configuration.timeouts.pingInterval, timeout: configuration.timeouts.pingTimeout, at: now)
        queue = SendQueue(configuration.rateLimit, limit: configuration.queueLimit, waiting: [])
        // Other users can cause at most a few CTCP replies.
        requests = TokenBucket(RateLimit(burst: 3, interval: .seconds(5)))
        for channel in channels ?? configuration.channels { channelManager.add(channel, fold(channel.name), at: now) }
        for var message in waiting {
            // What an earlier connection has shown doesn't count: the members aren't listed again yet.
            message.requester = message.requester?.unshown
            queue.put(message, in: flow(of: message))
        }
    }

    /// The channels that the robot is to be in.
    package var channels: [SessionConfiguration.Channel] { channelManager.channels }
    /// The names of the channels that the robot is in.
    package var joined: [String] { channelManager.joined }
    /// The messages that aren't sent yet, and before them the lines that the server hasn't acknowledged.
    package var unsent: [OutgoingMessage] { acknowledgements.unacknowledged(at: now) + queue.unsent }
    /// The number of messages that aren't sent yet.
    package var unsentCount: Int { queue.unsent.count }
    /// A line that wasn't acknowledged is sent again, once, if it was sent less than this time ago.
    package static let repetitionLimit: Duration = .seconds(120)
    /// The number of dropped messages that aren't reported yet.
    package var dropped: Int { queue.dropped }
    /// Whether registration is complete.
    package var isOnline: Bool {
        switch phase {
        case .joining, .ready: true
        default: false
        }
    }
    /// The SASL mechanism of the login; nil if the robot didn't log in by SASL.
    package var mechanism: String? { authentication.used?.rawValue }
    /// Whether the server offers SASL.
    package var offersSASL: Bool { capabilities.offered["sasl"] != nil }
    /// The enabled capabilities.
    package var enabled: Set<String> { capabilities.enabled }

    private mutating func updateAccounts() { providesAccounts = capabilities.has("account-tag") || hasSeenAccount }

    /// Folds a name for comparison, by the network's case mapping.
    ///
    /// The session is copied to call it, so what runs for every message asks the case mapping.
    package func fold(_ name: String) -> String { support.caseMapping.fold(name) }

    /// Returns the folded name of a channel that a message was sent to; nil if the target isn't a channel.
    func channelKey(of target: String?) -> String? {
        guard let target, let channel = support.channel(of: target) else { return nil }
        return support.caseMapping.fold(channel)
    }

    // MARK: Time

    /// When ``tick(at:)`` is to be called at the latest; nil if nothing is scheduled.
    package var due: Duration? {
        mutating get {
            if phase == .over { return nil }
            let phaseDue: Duration? =
                switch phase {
                case .registering(let until, _), .welcomed(let until), .verifying(let until), .identifying(let until),
                    .joining(let until):
                    until
                case .ready, .over: nil
                }
            // Without an array, because it is asked for after every event.
            var due = Duration.earlier(phaseDue, authentication.deadline)
            due = Duration.earlier(due, nicks.retry)
            due = Duration.earlier(due, channelManager.due)
            due = Duration.earlier(due, keepAlive.due)
            due = Duration.earlier(due, accountQueries.due)
            due = Duration.earlier(due, moderation.due)
            if let absentUserQuery { due = Duration.earlier(due, absentUserQuery.deadline) }
            if !isCongested { due = Duration.earlier(due, queueDue) }
            return Duration.earlier(due, waitEnd)
        }
    }

    /// Handles everything that is due.
    package mutating func tick(at now: Duration) -> [Action] {
        self.now = now
        var actions: [Action] = []
        switch phase {
        case .registering(let until, _) where until <= now: return end(.loginTimeout)
        case .welcomed(let until) where until <= now: actions += identifyToServices(at: now)
        case .verifying(let until) where until <= now: actions += beginJoining(at: now)
        case .identifying(let until) where until <= now: actions += beginJoining(at: now)
        case .over: return []
        default: break
        }
        if let deadline = authentication.deadline, deadline <= now {
            actions += handle(authentication.expire(), at: now)
        }
        switch keepAlive.tick(at: now) {
        case .none: break
        case .ping: actions += sendNow(IRCMessage("PING", "heybot"), at: now)
        case .timedOut: return actions + end(.pingTimeout)
        }
        if let retry = nicks.retry, retry <= now {
            nicks.tryAgain(at: now + configuration.timeouts.nickRetryInterval)
            queue.put(IRCMessage("NICK", nicks.wanted))
        }
        for line in channelManager.tick(at: now, support) { queue.put(line) }
        sendResyncQueries(at: now)
        actions += expireModeration(at: now) + expireAbsentUserQuery(at: now)
        return actions + completeJoining(at: now) + flush(at: now)
    }

    /// Stops the keep-alive timer while the owner doesn't read, until ``resume(at:)``.
    package mutating func pause(at now: Duration) { keepAlive.pause(at: now) }

    /// Resumes the keep-alive timer.
    package mutating func resume(at now: Duration) { keepAlive.resume(at: now) }

    // MARK: Commands

    /// Returns the first messages of the connection.
    package mutating func begin(at now: Duration) -> [Action] {
        var lines = [IRCMessage("CAP", "LS", "302")]
        if let password = configuration.serverPassword { lines.append(IRCMessage("PASS", password)) }
        lines.append(IRCMessage("NICK", configuration.nick))
        lines.append(IRCMessage("USER", configuration.user, "0", "*", configuration.realName))
        return lines.map(Action.send)
    }

    /// Joins a channel, and rejoins it whenever necessary.
    ///
    /// The outcome shows in ``members`` and ``refusals``.
    package mutating func join(_ channel: SessionConfiguration.Channel, at now: Duration) -> [Action] {
        let key = fold(channel.name)
        refusals[key] = nil
        channelManager.add(channel, key, at: now)
        if channel.origin != .invitation, members.isInvited(key) {
            members.markChosen(key, before: accountQueries.next)
            if members.mayHide(in: key) { accountQueries.scheduleResync(key, at: now) }
            sendResyncQueries(at: now)
        }
        for line in channelManager.tick(at: now, support) { queue.put(line) }
        return flush(at: now)
    }

    /// Leaves a channel for good.
    ///
    /// - Returns: Nil if the robot is neither in the channel nor trying to join it.
    package mutating func part(_ channel: String, at now: Duration) -> [Action]? {
        let key = fold(channel)
        guard channelManager.contains(key) || members.has(key) else { return nil }
        channelManager.remove(key)
        history?.forget(key)
        forwards[key] = nil
        if leftByCommand.count >= 100 { leftByCommand = [] }
        leftByCommand.insert(key)
        if members.has(key) { queue.put(IRCMessage("PART", members.name(of: key))) }
        return flush(at: now)
    }

    /// Quits at once, without sending what is queued.
    package mutating func quit(_ farewell: String) -> [Action] {
        guard phase != .over else { return [] }
        phase = .over
        return [.send(IRCMessage("QUIT", farewell))]
    }

    mutating func end(_ ending: DisconnectReason) -> [Action] {
        guard phase != .over else { return [] }
        phase = .over
        return [.end(ending)]
    }

    /// Whether this is the first rejected message to the target.
    mutating func isFirstFailure(to target: String) -> Bool {
        undeliverableTargets.count < 1_000 && undeliverableTargets.insert(fold(target)).inserted
    }

    /// Updates all folded names after a change of the case mapping.
    mutating func refold() {
        let mapping = support.caseMapping
        channelManager.refold(mapping.fold)
        members.refold(mapping.fold)
        certificateQueries = CertificateQueries()
        monitoredUsers = MonitoredUsers()
        for channel in members.channels.keys where members.mayHide(in: channel) && !members.isInvited(channel) {
            accountQueries.scheduleResync(channel, at: now)
        }
        newNicks = [:]
        undeliverableTargets = []
    }

    mutating func markDeliverable(to target: String) { undeliverableTargets.remove(fold(target)) }
}
