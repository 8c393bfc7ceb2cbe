import FoundationEssentials
import Heybot
import IRC
import Logging
import NetworkAdapter
import Pacing
import Sockets

/// What we are in the network at this moment: the session and its connection while there is one, and what outlives them.
struct Presence: NetworkPresence {
    private let configuration: IRCAdapter.Configuration
    private(set) var session: Session?
    private var connection: Connection?
    private var hearing: Hearing
    private var pager: Pager
    private var restraint: Restraint
    private var askers = Askers<String>()
    private var backlog: Backlog<Chat>
    private var channels: [Profile.Channel]?
    /// Those who wait to be told whether a channel lets us in, by its folded name.
    private var joiners: [String: [Joiner]] = [:]
    private var lastJoiner = 0
    /// Whether the network has ever told whose account it was that said something.
    private var tellsAccounts = false
    /// The people whom settings name, at once also on a connection that is up.
    var recognition = Recognition() {
        didSet { session?.readsCertificates = recognition.hasCertificates }
    }
    private var history = Session.History()
    /// When the services removed us for another robot with our account, within the last hour.
    private var displaced: [Duration] = []
    private static let fight: Duration = .seconds(3_600)
    private var notes: [Note] = []
    private var restrained: [Restrained] = []
    private var warnings = PaceMeter(Restrained.warnings)
    private var trace: [String] = []
    private let date: @Sendable () -> Date
    private let isTracing: Bool
    /// What was told of what is wrong, and isn't told again before it is right.
    private var toldNotes: Set<Note> = []

    /// When the session gets its time.
    var alarm: Alarm?
    var standing: Standing
    /// Why the session is over, once it is.
    private(set) var trouble: Trouble?

    /// While so many bytes wait in the connection, the rest waits here.
    private static let mostUnsent = 262_144
    /// As many lines as are kept for a log of all that goes over the connection.
    private static let mostTraced = 1_000

    /// - Parameter isTracing: Whether all that goes over the connection is to be kept for a log.
    init(
        _ configuration: IRCAdapter.Configuration, hearing: Hearing, date: @escaping @Sendable () -> Date,
        isTracing: Bool
    ) {
        self.configuration = configuration
        self.hearing = hearing
        self.date = date
        self.isTracing = isTracing
        standing = Standing(date: date)
        pager = Pager(size: configuration.page)
        restraint = Restraint(configuration.perPerson)
        backlog = Backlog(limit: configuration.profile.queueLimit) { $0.since }
    }

    // MARK: Coming and going

    mutating func begin(_ connection: Connection, nonce: String, at now: Duration) {
        var (chats, expired) = backlog.take(at: now)
        if expired > 0 { notes.append(.expired(expired)) }
        // What has waited for a connection waits for its turn from now on.
        for index in chats.indices { chats[index].since = now }
        trouble = nil
        self.connection = connection
        displaced.removeAll { now - $0 >= Self.fight }
        history.yieldsNick = displaced.count > 1
        var session = Session(
            configuration.profile, nonce: nonce, channels: channels, waiting: chats, history: history, at: now)
        session.readsCertificates = recognition.hasCertificates
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
        backlog.putBack(session?.unsent ?? [])
        if let lost = session?.lost, lost > 0 { notes.append(.lost(lost)) }
        channels = session?.channels ?? channels
        for joiner in joiners.values.joined() { joiner.continuation.resume(returning: .failure(.away(adapterName))) }
        joiners = [:]
        history.hadSASL = history.hadSASL || session?.offersSASL == true
        session = nil
        connection = nil
    }

    /// How much is left unsaid.
    var unsaid: Int { session?.unsent.count ?? backlog.items.count }

    /// How much of that has only to wait for its turn.
    var waiting: Int { session.map { $0.isReady ? $0.unsent.count : 0 } ?? 0 }

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

    // MARK: Rooms

    private struct Joiner: Sendable {
        let number: Int
        let continuation: CheckedContinuation<Result<Room, IRCError>, Never>
    }

    private var adapterName: String { hearing.adapter }

    /// The channels we want to be in that the settings don't name.
    var keptRooms: [Profile.Channel] {
        (session?.channels ?? channels ?? []).filter { $0.origin != .settings }
    }

    /// Wants to be in these channels too, from the first connection on.
    mutating func keep(_ rooms: [Profile.Channel]) {
        let listed = Set(configuration.profile.channels.map { fold($0.name) })
        channels = configuration.profile.channels + rooms.filter { !listed.contains(fold($0.name)) }
    }

    func isInSettings(_ name: String) -> Bool {
        configuration.profile.channels.contains { fold($0.name) == fold(name) }
    }

    /// Joins a channel; the continuation is resumed once it lets us in or doesn't.
    ///
    /// - Returns: What to give ``giveUpJoining(_:_:)``.
    mutating func join(
        _ name: String, key: String?, at now: Duration,
        _ continuation: CheckedContinuation<Result<Room, IRCError>, Never>
    ) -> Int {
        lastJoiner += 1
        guard session?.isReady == true, session?.support.isChannel(name) == true else {
            continuation.resume(
                returning: .failure(session?.isReady == true ? .noChannel(name) : .away(adapterName)))
            return lastJoiner
        }
        joiners[fold(name), default: []].append(Joiner(number: lastJoiner, continuation: continuation))
        let channel = Profile.Channel(name, key: key, origin: isInSettings(name) ? .settings : .command)
        perform(session?.join(channel, at: now) ?? [], at: now)
        answerJoiners(at: now)
        return lastJoiner
    }

    /// Doesn't wait any longer for a channel to let us in.
    mutating func giveUpJoining(_ name: String, _ number: Int, at now: Duration) {
        guard let index = joiners[fold(name)]?.firstIndex(where: { $0.number == number }),
            let joiner = joiners[fold(name)]?.remove(at: index)
        else { return }
        stopWanting(fold(name), at: now)
        joiner.continuation.resume(returning: .failure(.noAnswer(name)))
    }

    /// Leaves a channel; false if we are in none of that name, and don't try to be.
    mutating func part(_ name: String, at now: Duration) -> Bool {
        guard session != nil else {
            let rest = channels?.filter { fold($0.name) != fold(name) }
            defer { channels = rest }
            return rest?.count != channels?.count
        }
        guard let actions = session?.part(name, at: now) else { return false }
        perform(actions, at: now)
        return true
    }

    /// Tells those who wait whether we were let in.
    private mutating func answerJoiners(at now: Duration) {
        if joiners.isEmpty { return }
        for (key, waiting) in joiners {
            let result: Result<Room, IRCError>
            if session?.roster.channels[key] != nil {
                let name = session?.joined.first { fold($0) == key } ?? key
                result = .success(Room(id: Room.ID(adapter: adapterName, value: key), name: name))
            } else if let refusal = session?.refusals[key] {
                let name = refusal.parameters.count > 1 ? refusal.parameters[1] : key
                result = .failure(.notLetIn(name, refusal.parameters.last ?? ""))
                stopWanting(key, at: now)
            } else {
                continue
            }
            joiners[key] = nil
            for joiner in waiting { joiner.continuation.resume(returning: result) }
        }
    }

    /// A channel that a command named and that doesn't let us in isn't asked again.
    private mutating func stopWanting(_ key: String, at now: Duration) {
        guard session?.channels.contains(where: { fold($0.name) == key && $0.origin == .command }) == true else {
            return
        }
        perform(session?.part(key, at: now) ?? [], at: now)
    }

    // MARK: Hearing

    mutating func receive(_ line: IRCMessage, at now: Duration, into messages: inout [Message]) {
        unclog()
        record("<", line)
        guard let actions = session?.receive(line, at: now) else { return }
        perform(actions, at: now, into: &messages)
        answerJoiners(at: now)
    }

    private mutating func hear(_ heard: Heard, at now: Duration) -> Message? {
        guard let nick = session?.nick else { return nil }
        let identity = Hearing.identity(
            heard.source, heard.account, certificates: heard.certificates, knowledge)
        let asker = asker(identity, heard.source)
        if case .text = heard.content, !restraint.admits(asker, at: now) { return nil }
        // What is left of an answer isn't for the next who has that nick.
        if heard.channel == nil { pager.forget(fold(heard.source.nick), unlessFor: asker) }
        let message = hearing.message(heard, identity: identity, nick: nick, now: date())
        askers.take(asker, for: message.id)
        if let text = message.text,
            Nickname.isCommand(text, to: hearing.robotName, isPrivate: message.room.isPrivate),
            let rest = restraint.asked(asker, message.id.value, at: now)
        {
            warn(message.user, message.room, rest, at: now)
        }
        return message
    }

    /// To whom it is accounted what somebody has the robot do: to an id that the network vouches for, else to the connection,
    /// since a new nick is to be had at any time.
    private func asker(_ identity: Hearing.Identity, _ source: Source) -> String {
        identity.isProven ? identity.id : source.origin ?? identity.id
    }

    /// To whom something said is accounted: who said what it answers, else the user it is for.
    private func asker(_ envelope: Envelope) -> String? {
        envelope.message.flatMap { askers[$0] } ?? envelope.user?.id.value
    }

    /// What is known of the network for telling its people apart.
    private var knowledge: Hearing.Knowledge {
        mutating get {
            tellsAccounts = tellsAccounts || session?.tellsAccounts == true
            return Hearing.Knowledge(
                mapping: session?.support.caseMapping ?? .rfc1459, tellsAccounts: tellsAccounts,
                trustsNicks: configuration.trustsNicks && session?.tellsNoAccounts == true, recognition: recognition)
        }
    }

    /// That admins named by account can't be recognized on this network, or that nothing shows they could; nil otherwise.
    private var accountWarning: Note? {
        let names = recognition.accountNames
        guard let session, session.isReady, !tellsAccounts, !names.isEmpty else { return nil }
        if !session.canTellAccounts { return configuration.trustsNicks ? nil : .unprovable(names) }
        // By account-tag each message says that its sender has no account, whatever nicks are worth.
        let believesNicks = configuration.trustsNicks && !session.enabled.contains("account-tag")
        return session.showsAccounts || believesNicks ? nil : .doubtful(names)
    }

    // MARK: Speaking

    /// Says it, or keeps it until it can be said.
    ///
    /// It counts as an answer if the envelope says whom it answers.
    mutating func say(_ chat: Chat, page isPaged: Bool, _ envelope: Envelope, at now: Duration) {
        let room = envelope.room
        var chat = chat
        chat.asker = asker(envelope)
        let waiting = chat.asker.flatMap { session?.lines(askedBy: $0) } ?? 0
        defer { answered(envelope, with: chat.text, lines: waiting, at: now) }
        // Who isn't heard in private couldn't ask for more.
        let canAsk = !room.isPrivate || configuration.profile.hearsPrivateMessages
        guard isPaged, canAsk else { return put([chat], at: now) }
        let pieces = session?.lines(of: chat) ?? LineSplitter.lines(of: chat.text, limit: 400)
        let page = pager.page(pieces, for: fold(chat.target), asker: chat.asker, at: now)
        put(chats(page, chat, room), at: now)
    }

    /// Says the next page; false where there is none.
    mutating func showMore(_ target: String, _ envelope: Envelope, at now: Duration) -> Bool {
        guard let page = pager.next(for: fold(target), at: now) else { return false }
        put(chats(page, Chat(to: target, "", asker: asker(envelope)), envelope.room), at: now)
        return true
    }

    /// Who is in a channel but us, as far as its server has told.
    mutating func users(in channel: String) -> [User] {
        let knowledge = knowledge
        guard let session, let members = session.roster.channels[session.support.caseMapping.fold(channel)] else {
            return []
        }
        let mapping = session.support.caseMapping
        return members.filter { $0.key != mapping.fold(session.nick) }.values
            .map { hearing.user($0, knowledge) }
    }

    func fold(_ name: String) -> String { (session?.support.caseMapping ?? .rfc1459).fold(name) }

    private func chats(_ page: (lines: ArraySlice<String>, more: Int), _ chat: Chat, _ room: Room) -> [Chat] {
        let lines = page.lines.map { Chat(to: chat.target, $0, asker: chat.asker) }
        guard page.more > 0 else { return lines }
        let words = room.isPrivate ? "more" : "\(hearing.robotName) more"
        return lines + [Chat(to: chat.target, "(\(page.more) more lines: say \(words))", asker: chat.asker)]
    }

    mutating func setTopic(_ topic: String, of channel: String, _ envelope: Envelope, at now: Duration) -> Bool {
        let asker = asker(envelope)
        guard let actions = session?.setTopic(topic, of: channel, asker: asker, at: now) else { return false }
        perform(actions, at: now)
        return true
    }

    /// Counts an answer to somebody, and tells them if that was one too many.
    ///
    /// - Parameter lines: How many lines waited to be said to them before.
    private mutating func answered(_ envelope: Envelope, with text: String, lines: Int, at now: Duration) {
        guard let user = envelope.user, let asker = asker(envelope), let message = envelope.message else { return }
        let rest = restraint.answered(asker, message.value, with: text, lines: lines, at: now)
        if let rest { warn(user, envelope.room, rest, at: now) }
    }

    /// Tells somebody, and nobody else, that they aren't heard for a while, before all that waits to be said.
    private mutating func warn(_ user: User, _ room: Room, _ rest: Duration, at now: Duration) {
        restrained.append(Restrained(user: user.id, name: user.name, room: room.id, time: rest))
        guard warnings.isReady(at: now) else { return }
        warnings.count(at: now)
        perform(session?.warn(user.name, Restrained.warning(rest), at: now) ?? [], at: now)
    }

    private mutating func put(_ chats: [Chat], at now: Duration) {
        unclog()
        let chats = chats.map { chat in
            var chat = chat
            chat.since = now
            return chat
        }
        if let actions = session?.say(chats, at: now) {
            perform(actions, at: now)
        } else {
            let (lost, expired) = backlog.keep(chats, at: now)
            if lost > 0 { notes.append(.lost(lost)) }
            if expired > 0 { notes.append(.expired(expired)) }
        }
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

    private mutating func perform(
        _ actions: [Session.Action], at now: Duration, into messages: inout [Message]
    ) {
        for action in actions {
            switch action {
            case .send(let line):
                connection?.send(line.bytes)
                record(">", line)
            case .hear(let heard):
                if let message = hear(heard, at: now) { messages.append(message) }
            case .tellTime(let nick):
                let time = date().formatted(.iso8601)
                perform(session?.tell(time: time, to: nick, at: now) ?? [], at: now, into: &messages)
            case .settled:
                // First, since a check doesn't wait for more than what comes last.
                if let accountWarning { notes.append(accountWarning) }
                notes.append(.settled(as: session?.nick ?? "", in: session?.joined ?? []))
                standing.settle(at: now)
            case .note(let note):
                notes.append(note)
                forget(note)
            case .end(let ending):
                trouble = Trouble("\(ending)", isLasting: ending.isLasting)
                if case .displaced = ending { displaced.append(now) }
                connection?.close()
            }
        }
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
            case .invitation, .joined: .debug
            default: note.isWarning ? .warning : .info
            }
        return Remark(note: note, level: level)
    }

    /// Whether it was told before, on this connection or an earlier one.
    private mutating func isRepeated(_ note: Note) -> Bool {
        switch note {
        case .loginFailed, .nickTaken, .nickEnforced, .yields, .refused, .unprovable, .doubtful:
            toldNotes.count < 1_000 && !toldNotes.insert(note).inserted
        default: false
        }
    }

    /// What is right now may be told when it is wrong again.
    private mutating func forget(_ note: Note) {
        toldNotes = toldNotes.filter { told in
            switch (told, note) {
            case (.loginFailed, .loggedIn), (.nickTaken, .nickRegained), (.nickEnforced, .nickRegained): false
            case (.refused(let refused, _), .joined(let channel)), (.refused(let refused, _), .rejoined(let channel)):
                refused.lowercased() != channel.lowercased()
            default: true
            }
        }
    }

    mutating func takeRemarks() -> [Remark] {
        if notes.isEmpty { return [] }
        defer { notes = [] }
        return notes.map { remark($0) }
    }

    private mutating func record(_ direction: String, _ line: IRCMessage) {
        guard isTracing, trace.count < Self.mostTraced else { return }
        trace.append("\(direction) \(configuration.profile.loggable(line))")
    }

    mutating func takeTrace() -> [String] {
        if trace.isEmpty { return [] }
        defer { trace = [] }
        return trace
    }

    mutating func takeRestrained() -> [Restrained] {
        if restrained.isEmpty { return [] }
        defer { restrained = [] }
        return restrained
    }
}
