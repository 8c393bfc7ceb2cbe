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

    /// How far we are with logging in where it didn't work.
    enum LoginFailure {
        case none
        /// It was told that we aren't logged in though we should be.
        case told
        /// Our password was refused, so that nobody else is to be told it; that was told.
        case refused
    }

    /// What was said before we came, and is told again soon after.
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
    /// What the server said where it doesn't let us into a channel, by the channel's folded name.
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
    ///   - channels: Those to be in, where that isn't the profile's list: what another session was in, invitations
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
    /// How we logged in, where it was by SASL.
    package var mechanism: String? { authentication.used?.rawValue }
    /// Whether the server offers to log in by SASL.
    package var offersSASL: Bool { capabilities.offered["sasl"] != nil }
    /// The capabilities that are switched on.
    package var enabled: Set<String> { capabilities.enabled }

    /// What a name is compared by.
    package func fold(_ name: String) -> String { support.caseMapping.fold(name) }

    /// How many lines are sent without a look at the connection.
    private static let mostAtOnce = 500

    // MARK: Time

    /// When ``tick(at:)`` wants to be called at the latest; nil where there is nothing to wait for.
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

    /// Says these in order, now or as soon as the pace allows.
    package mutating func say(_ chats: [Chat], at now: Duration) -> [Action] {
        for chat in chats { queue.put(chat, from: sender(of: chat)) }
        return flush(at: now)
    }

    /// Tells somebody something before all that waits, in a notice, to which nobody's client answers.
    package mutating func warn(_ nick: String, _ words: String, asker: Asker? = nil, at now: Duration) -> [Action] {
        guard !isAnother(nick, than: asker) else { return [] }
        queue.putFirst(IRCMessage("NOTICE", nick, words))
        return flush(at: now)
    }

    /// The number of lines that wait to be said because of a person.
    package func lines(askedBy asker: String) -> Int { queue.lines(askedBy: asker) }

    func sender(of chat: Chat) -> SendQueue.Sender {
        SendQueue.Sender(
            isPrivate: support.channel(of: chat.target) == nil, target: fold(chat.target), asker: chat.asker?.id)
    }

    /// Makes that a channel's topic.
    ///
    /// - Parameter asker: The person who wants it; nil if nobody in particular does.
    package mutating func setTopic(
        _ topic: String, of channel: String, asker: String? = nil, at now: Duration
    ) -> [Action] {
        // One line, whose end the server would cut off elsewhere.
        let frame = ": TOPIC  :\r\n".utf8.count + channel.utf8.count
        let limit = min(support.lineLength - sourceLength - frame, support.topicLength ?? .max)
        let line = LineSplitter.lines(of: topic.filter { $0 != "\u{1}" }, limit: max(limit, 4)).first ?? ""
        queue.put(
            .deed(IRCMessage("TOPIC", channel, line)),
            from: SendQueue.Sender(isPrivate: false, target: fold(channel), asker: asker))
        return flush(at: now)
    }

    /// Tells who asked by CTCP what time it is with us.
    package mutating func tell(time: String, to nick: String, at now: Duration) -> [Action] {
        urgent(IRCMessage("NOTICE", nick, CTCP("TIME", time).description), at: now)
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

    /// The lines that a chat makes, as the limits are now: what is longest takes into account what the server puts
    /// before it.
    package func lines(of chat: Chat) -> [String] {
        LineSplitter.lines(of: chat.text, limit: limit(for: chat))
    }

    /// The bytes of text that fit into a line (RFC 1459 2.3: 512 with its end).
    private func limit(for chat: Chat) -> Int {
        let frame = ": \(verb)  :\r\n".utf8.count + chat.target.utf8.count
        let action = chat.isAction ? "\u{1}ACTION \u{1}".utf8.count : 0
        return max(support.lineLength - sourceLength - frame - action, 32)
    }

    /// How long what the server puts before our words may be: as far as it isn't known, as long as it may get.
    private var sourceLength: Int {
        let user = ownSource.user?.utf8.count ?? max(profile.user.utf8.count, 10) + 1
        let host = ownSource.host?.utf8.count ?? 63
        return nick.utf8.count + user + host + 2
    }

    private var verb: String { profile.speaksInNotices ? "NOTICE" : "PRIVMSG" }

    /// Sends what may be sent by now.
    mutating func flush(at now: Duration) -> [Action] {
        guard phase != .over else { return [] }
        var actions: [Action] = []
        queue.expire(at: now)
        if let lost = queue.takeLoss(at: now) { actions.append(.note(.lost(lost))) }
        if let stale = queue.takeStale(at: now) { actions.append(.note(.stale(stale))) }
        if isClogged { return actions }
        var withheld = 0
        // The rest when it has been looked at whether the connection takes it: at once, as `due` says.
        while actions.count < Self.mostAtOnce, let item = queue.next(at: now) {
            let line: IRCMessage?
            switch item {
            case .errand(let errand), .deed(let errand): line = errand
            case .inquiry(let target): line = inquiries.line(about: target)
            case .whois(let nick): line = whois(nick)
            case .chat(let pieces) where isAnother(pieces.chat.target, than: pieces.chat.asker):
                withheld += 1
                continue
            case .chat(let pieces): line = takeLine(of: pieces, at: now)
            }
            guard let line else { continue }
            queue.count(at: now)
            actions.append(.send(line))
        }
        if withheld > 0 { actions.append(.note(.withheld(withheld))) }
        return actions
    }

    /// Whether a nick is seen to be somebody else's than that person's by now.
    private func isAnother(_ nick: String, than asker: Asker?) -> Bool {
        guard let asker, support.channel(of: nick) == nil, let member = roster.member(fold(nick)) else { return false }
        return asker.isOther(than: member)
    }

    /// The first line of a chat, by the limits as they are now; the rest goes back into the queue.
    private mutating func takeLine(of pieces: SendQueue.Pieces, at now: Duration) -> IRCMessage? {
        var pieces = pieces
        let limit = limit(for: pieces.chat)
        if pieces.limit != limit {
            // Lines that are cut already are cut again only if they have less room now.
            let text = pieces.rest.text
            if pieces.limit.map({ limit < $0 }) ?? true {
                let isOneLine = text.utf8.count <= limit && !text.utf8.contains { $0 < 32 }
                pieces.lines = isOneLine ? [text] : LineSplitter.lines(of: text, limit: limit)[...]
                pieces.limit = limit
            }
        }
        guard let first = pieces.lines.popFirst(), !first.isEmpty else { return nil }
        let chat = pieces.chat
        if !pieces.lines.isEmpty {
            pieces.chat.since = now
            queue.putBack(pieces, from: sender(of: chat))
        }
        // What stands between two \u{1} would be a request to everybody's client.
        let text = chat.isAction ? CTCP("ACTION", first).description : first.filter { $0 != "\u{1}" }
        return IRCMessage(verb, renames[fold(chat.target)] ?? chat.target, text)
    }

    /// Sends at once what can't wait; it counts all the same.
    mutating func urgent(_ line: IRCMessage, at now: Duration) -> [Action] {
        queue.count(at: now)
        return [.send(line)]
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
