import HeybotSASL
import HeybotSupport

/// One connection to a network, from its first line to its last, as a value: lines and times in, actions out.
///
/// Times are those of any clock that only goes forward, since whenever it likes. Whoever holds a session sends what
/// it wants sent, in order, and calls ``tick(at:)`` when ``due`` has come.
package struct Session: Sendable {
    /// What a session wants done.
    package enum Action: Hashable, Sendable {
        /// Put this line on the wire.
        case send(IRCMessage)
        /// Somebody said or did something.
        case hear(Heard)
        /// Somebody wants to know what time it is with us: give it to ``tell(time:to:at:)``.
        case tellTime(to: String)
        /// We are welcome, and were let into all channels that would have us at once.
        case settled
        /// Tell whoever runs the robot.
        case note(Note)
        /// Close the connection: it is over.
        case end(Ending)
    }

    /// What is known of earlier connections to the network.
    package struct History: Hashable, Sendable {
        /// Whether it has had SASL.
        package var hadSASL = false
        /// Whether another robot with our account keeps taking the nick back, so that it should have it.
        package var yieldsNick = false

        package init(hadSASL: Bool = false, yieldsNick: Bool = false) {
            self.hadSASL = hadSASL
            self.yieldsNick = yieldsNick
        }
    }

    enum Phase: Equatable {
        /// Until the server welcomes us; we may still agree on capabilities.
        case registering(until: Duration, isNegotiating: Bool)
        /// Until it has told everything about itself.
        case welcomed(until: Duration)
        /// We find out who NickServ is before we tell it our password.
        case verifying(until: Duration)
        /// NickServ is looking at our password.
        case identifying(until: Duration)
        /// We join, and hear; until then channels that don't answer are waited for before anything is said.
        case joining(until: Duration)
        /// We hear and speak.
        case settled
        case over
    }

    /// How far we are with logging in if it didn't work.
    enum LoginFailure {
        case none
        /// It was told that we aren't logged in though we should be.
        case told
        /// Our password was refused, so that nobody else is to be told it; that was told.
        case refused
    }

    /// How what a bouncer replays, soon after we came, is told from news.
    struct Replay {
        /// When we were welcomed, by the server's own clock.
        let welcomed: String
        let until: Duration
    }

    let profile: Profile
    var phase: Phase
    /// What the server says of itself.
    package internal(set) var support = ISupport()
    /// Who is in the channels that we are in.
    package internal(set) var roster = Roster()
    /// Who we are to others: what the server puts before what we say.
    package internal(set) var ownSource: Source
    var capabilities: Capabilities
    var authentication: Authentication
    var nicks: NickKeeper
    var joining: Joining
    var liveness: Liveness
    var batches = Batches()
    var splits = Splits()
    var queue: SendQueue
    var inquiries = Inquiries()
    var certificates = Certificates()
    /// Whether anybody's account was told.
    var hasSeenAccount = false
    /// When the last line came or time passed.
    var now: Duration
    var requests: PaceMeter
    /// The account we are logged in to.
    package internal(set) var account: String?
    /// What the server said if it doesn't let us into a channel, by the channel's folded name.
    package internal(set) var refusals: [String: IRCMessage] = [:]
    /// Whether the server is asked for the client certificates of people who say something.
    package var readsCertificates = false
    /// Whether the server doesn't take what we send for now, so that what can wait had better.
    package var isClogged = false
    /// Nil if the server doesn't say when something was said.
    var replay: Replay?
    var loginFailure = LoginFailure.none
    var isNickRefused = false
    /// Whether the services don't leave us the nick that we want.
    var isNickEnforced = false
    /// Whether NickServ said that our nick is registered.
    var isNickRegistered = false
    /// When our nick was last taken from us.
    var nickTaken: Duration?
    /// Whether NickServ was asked to remove whoever has our nick, and hasn't answered.
    var awaitsGhost = false
    /// What is known of NickServ before it is told the password.
    var nickServ = NickServ()
    /// The channels we were sent on to, by the channels that did; by their folded names.
    var forwards: [String: String] = [:]
    /// The names of channels by their former names, folded.
    var renames: [String: String] = [:]
    /// What is known of earlier connections.
    let history: History
    private(set) var unsaidTo: Set<String> = []

    /// - Parameters:
    ///   - nonce: Random text of at least 18 printable characters, none of them a comma, for logging in.
    ///   - channels: Those to be in, if that isn't the profile's list: what another session was in, invitations
    ///     followed and all.
    ///   - waiting: What another session had still to say.
    ///   - history: What is known of earlier connections.
    package init(
        _ profile: Profile, nonce: String, channels: [Profile.Channel]? = nil, waiting: [Chat] = [],
        history: History = History(), at now: Duration
    ) {
        self.profile = profile
        self.history = history
        self.now = now
        phase = .registering(until: now + profile.waits.registration, isNegotiating: true)
        ownSource = Source(nick: profile.nick, user: nil, host: nil)
        let canLogIn = profile.usesSASL && (profile.account != nil || profile.hasCertificate)
        capabilities = Capabilities(canLogIn: canLogIn)
        authentication = Authentication(
            profile.account, hasCertificate: profile.hasCertificate, nonce: nonce,
            sendsPlain: profile.sendsPlainPassword)
        nicks = NickKeeper(profile.nick, alternates: profile.alternates)
        joining = Joining(profile.waits)
        liveness = Liveness(silence: profile.waits.silence, answer: profile.waits.answer, at: now)
        queue = SendQueue(profile.pace, limit: profile.queueLimit, waiting: [])
        // What others can make us send doesn't go past a few lines in a while.
        requests = PaceMeter(Pace(burst: 3, interval: .seconds(5)))
        for channel in channels ?? profile.channels { joining.want(channel, fold(channel.name), at: now) }
        for chat in waiting { queue.put(chat, from: sender(of: chat)) }
    }

    /// Our nick as it is now.
    package var nick: String { nicks.name }
    /// The channels we want to be in.
    package var channels: [Profile.Channel] { joining.channels }
    /// Those of them that we are in.
    package var joined: [String] { joining.joined }
    /// What we have still to say.
    package var unsent: [Chat] { queue.unsent }
    /// How many messages were lost, and that was told to nobody yet.
    package var lost: Int { queue.lost }
    /// Whether the server has let us in, and all is known that it tells then.
    package var isReady: Bool {
        switch phase {
        case .joining, .settled: true
        default: false
        }
    }
    /// How we logged in, if it was by SASL.
    package var mechanism: String? { authentication.used?.rawValue }
    /// Whether the server offers to log in by SASL.
    package var offersSASL: Bool { capabilities.offered["sasl"] != nil }
    /// The capabilities that are switched on.
    package var enabled: Set<String> { capabilities.enabled }

    /// What a name is compared by.
    package func fold(_ name: String) -> String { support.caseMapping.fold(name) }

    // MARK: Time

    /// When ``tick(at:)`` wants to be called at the latest; nil if there is nothing to wait for.
    package var due: Duration? {
        if phase == .over { return nil }
        let phaseDue: Duration? =
            switch phase {
            case .registering(let until, _), .welcomed(let until), .verifying(let until), .identifying(let until),
                .joining(let until):
                until
            case .settled, .over: nil
            }
        let times = [
            phaseDue, authentication.deadline, nicks.retry, joining.due, liveness.due, isClogged ? nil : queue.due
        ]
        return times.compactMap { $0 }.min()
    }

    /// Does what is due.
    package mutating func tick(at now: Duration) -> [Action] {
        self.now = now
        var actions: [Action] = []
        switch phase {
        case .registering(let until, _) where until <= now: return end(.unwelcome)
        case .welcomed(let until) where until <= now: actions += identify(at: now)
        case .verifying(let until) where until <= now: actions += beginJoining(at: now)
        case .identifying(let until) where until <= now: actions += beginJoining(at: now)
        case .over: return []
        default: break
        }
        if let deadline = authentication.deadline, deadline <= now {
            actions += handle(authentication.expire(), at: now)
        }
        switch liveness.tick(at: now) {
        case .none: break
        case .ask: actions += urgent(IRCMessage("PING", "heybot"), at: now)
        case .dead: return actions + end(.silent)
        }
        if let retry = nicks.retry, retry <= now {
            nicks.tryAgain(at: now + profile.waits.regain)
            queue.put(IRCMessage("NICK", nicks.wanted))
        }
        for line in joining.tick(at: now, support) { queue.put(line) }
        return actions + settle(at: now) + flush(at: now)
    }

    /// We don't read for now: the server's silence means nothing until ``resume(at:)``.
    package mutating func pause(at now: Duration) { liveness.pause(at: now) }

    /// We read again.
    package mutating func resume(at now: Duration) { liveness.resume(at: now) }

    // MARK: What we do

    /// The first lines.
    package mutating func begin(at now: Duration) -> [Action] {
        var lines = [IRCMessage("CAP", "LS", "302")]
        if let password = profile.serverPassword { lines.append(IRCMessage("PASS", password)) }
        lines.append(IRCMessage("NICK", profile.nick))
        lines.append(IRCMessage("USER", profile.user, "0", "*", profile.realName))
        return lines.map(Action.send)
    }

    /// Joins a channel, and wants to be in it from now on.
    ///
    /// Whether it lets us in shows in ``roster`` and ``refusals``.
    package mutating func join(_ channel: Profile.Channel, at now: Duration) -> [Action] {
        let key = fold(channel.name)
        refusals[key] = nil
        joining.want(channel, key, at: now)
        if channel.origin != .invitation { roster.own(key, before: inquiries.next) }
        for line in joining.tick(at: now, support) { queue.put(line) }
        return flush(at: now)
    }

    /// Leaves a channel, and doesn't want to be in it any more; nil if we aren't and don't.
    package mutating func part(_ channel: String, at now: Duration) -> [Action]? {
        let key = fold(channel)
        guard joining.wants(key) || roster.has(key) else { return nil }
        joining.forget(key)
        forwards[key] = nil
        if roster.has(key) { queue.put(IRCMessage("PART", roster.name(of: key))) }
        return flush(at: now)
    }

    /// Leaves, before anything that still waits to be said.
    package mutating func quit(_ words: String) -> [Action] {
        guard phase != .over else { return [] }
        phase = .over
        return [.send(IRCMessage("QUIT", words))]
    }

    mutating func end(_ ending: Ending) -> [Action] {
        guard phase != .over else { return [] }
        phase = .over
        return [.end(ending)]
    }

    /// Whether it wasn't told yet that what we say there isn't taken.
    mutating func isNewlyUnsaid(to target: String) -> Bool {
        unsaidTo.count < 1_000 && unsaidTo.insert(fold(target)).inserted
    }

    /// Names are compared differently from now on.
    mutating func refold() {
        let mapping = support.caseMapping
        joining.refold(mapping.fold)
        roster.refold(mapping.fold)
        certificates = Certificates()
        unsaidTo = []
    }

    mutating func isHeardAgain(at target: String) { unsaidTo.remove(fold(target)) }
}
