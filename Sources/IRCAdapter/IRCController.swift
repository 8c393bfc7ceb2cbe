import FoundationEssentials
import Heybot
package import HeybotIRC
import HeybotSockets
import HeybotSupport
package import Logging
import NetworkAdapter

extension Session: ProtocolSession {
    package var unsentCount: Int { unsent.count }
}

/// IRC's part in the driver: makes the sessions, makes messages of what they hear, and keeps what outlives a connection.
struct IRCController: SessionController {
    var state: ControllerState<Session, Note>
    private(set) var configuration: IRCAdapter.Setup
    private var hearing: Hearing
    private var pager: Pager
    private var askers = Askers<Asker>()
    private var channels: [Profile.Channel]?
    /// Those who wait to be told whether a channel lets us in, by its folded name.
    private var joiners: [String: [Joiner]] = [:]
    private var lastJoiner = 0
    /// Whether the network has ever told whose account it was that said something.
    private var tellsAccounts = false
    /// The people whom settings name, at once also on a connection that is up.
    var recognition = Recognition() {
        didSet { state.session?.readsCertificates = recognition.hasCertificates }
    }
    private var history = Session.History()
    /// When the services removed us for another robot with our account, within the last hour.
    private var displaced: [Duration] = []
    private static let fight: Duration = .seconds(3_600)
    private let date: @Sendable () -> Date

    /// - Parameter isTracing: Whether all that goes over the connection is to be kept for a log.
    init(
        _ configuration: IRCAdapter.Setup, adapter: String, date: @escaping @Sendable () -> Date, isTracing: Bool
    ) {
        (self.configuration, self.date) = (configuration, date)
        hearing = Hearing(ids: MessageIDs(adapter: adapter, since: date()))
        pager = Pager(size: configuration.page)
        state = ControllerState(
            date: date, queueLimit: configuration.profile.queueLimit, farewell: configuration.farewell,
            isTracing: isTracing, since: \.since)
    }

    var optionNames: IRCAdapter.OptionNames { configuration.optionNames }

    mutating func takeName(_ robotName: String) throws {
        if let unnamed = configuration.unnamed { configuration = try unnamed.setup(robotName: robotName) }
    }

    // MARK: Coming and going

    mutating func open(isSecure: Bool, nonce: String, waiting: [Chat], at now: Duration) -> [Session.Action] {
        let chats = waiting.map { chat in
            var chat = chat
            // What has waited for a connection waits for its turn from now on.
            chat.since = now
            return chat
        }
        displaced.removeAll { now - $0 >= Self.fight }
        history.yieldsNick = displaced.count > 1
        var session = Session(
            configuration.profile, nonce: nonce, channels: channels, waiting: chats, history: history, at: now)
        session.readsCertificates = recognition.hasCertificates
        let actions = session.begin(at: now)
        state.session = session
        return actions
    }

    mutating func close(_ session: Session?) {
        channels = session?.channels ?? channels
        for joiner in joiners.values.joined() { joiner.continuation.resume(returning: .failure(.away(adapterName))) }
        joiners = [:]
        history.hadSASL = history.hadSASL || session?.offersSASL == true
    }

    var sessionTimes: (due: Duration?, isClogged: Bool)? {
        guard state.session != nil else { return nil }
        return (state.session?.due, state.session?.isClogged == true)
    }

    // MARK: Rooms

    private struct Joiner: Sendable {
        let number: Int
        let continuation: CheckedContinuation<Result<Room, AdapterError>, Never>
    }

    private var adapterName: String { hearing.adapter }

    /// The channels we want to be in that the settings don't name.
    var keptRooms: [KeptRoom] {
        (state.session?.channels ?? channels ?? []).filter { $0.origin != .settings }.map(KeptRoom.init)
    }

    /// Wants to be in these channels too, from the first connection on.
    mutating func keep(_ rooms: [KeptRoom]) {
        let rooms = rooms.map(\.channel)
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
        _ continuation: CheckedContinuation<Result<Room, AdapterError>, Never>
    ) -> Int {
        lastJoiner += 1
        guard state.session?.isReady == true, state.session?.support.isChannel(name) == true else {
            continuation.resume(
                returning: .failure(state.session?.isReady == true ? .noChannel(name) : .away(adapterName)))
            return lastJoiner
        }
        joiners[fold(name), default: []].append(Joiner(number: lastJoiner, continuation: continuation))
        let channel = Profile.Channel(name, key: key, origin: isInSettings(name) ? .settings : .command)
        perform(state.session?.join(channel, at: now) ?? [], at: now)
        answerJoiners(at: now)
        return lastJoiner
    }

    /// Doesn't wait any longer for a channel to let us in.
    mutating func giveUpJoining(_ name: String, _ number: Int, at now: Duration) {
        guard let index = joiners[fold(name)]?.firstIndex(where: { $0.number == number }),
            let joiner = joiners[fold(name)]?.remove(at: index)
        else { return }
        stopWanting(fold(name), at: now)
        joiner.continuation.resume(
            returning: .failure(AdapterError(.notLetIn, "the server doesn't say whether \(name) lets me in")))
    }

    /// Leaves a channel; false if we are in none of that name, and don't try to be.
    mutating func part(_ name: String, at now: Duration) -> Bool {
        guard state.session != nil else {
            let rest = channels?.filter { fold($0.name) != fold(name) }
            defer { channels = rest }
            return rest?.count != channels?.count
        }
        guard let actions = state.session?.part(name, at: now) else { return false }
        perform(actions, at: now)
        return true
    }

    /// Tells those who wait whether we were let in.
    private mutating func answerJoiners(at now: Duration) {
        if joiners.isEmpty { return }
        for (key, waiting) in joiners {
            let result: Result<Room, AdapterError>
            if state.session?.roster.channels[key] != nil {
                let name = state.session?.joined.first { fold($0) == key } ?? key
                result = .success(Room(id: Room.ID(adapter: adapterName, value: key), name: name))
            } else if let refusal = state.session?.refusals[key] {
                let name = refusal.parameters.count > 1 ? refusal.parameters[1] : key
                result = .failure(
                    AdapterError(.notLetIn, "\(name) doesn't let me in: \(refusal.parameters.last ?? "")"))
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
        guard state.session?.channels.contains(where: { fold($0.name) == key && $0.origin == .command }) == true else {
            return
        }
        perform(state.session?.part(key, at: now) ?? [], at: now)
    }

    // MARK: Hearing

    static func makeDecoder() -> LineBuffer { LineBuffer() }

    mutating func receive(
        _ bytes: ArraySlice<UInt8>, _ decoder: inout LineBuffer, at now: Duration, into messages: inout [Message]
    ) {
        decoder.cut(bytes) { line in
            guard let line = IRCMessage(line) else { return }
            state.record("< \(configuration.profile.loggable(line))")
            guard let actions = state.session?.receive(line, at: now) else { return }
            perform(actions, at: now, into: &messages)
            answerJoiners(at: now)
        }
    }

    private mutating func hear(_ heard: Heard, at now: Duration) -> Message? {
        guard let nick = state.session?.nick else { return nil }
        let identity = Hearing.identity(
            heard.source, heard.account, certificates: heard.certificates, knowledge)
        let asker = asker(identity, heard)
        // What is left of an answer isn't for the next who has that nick.
        if heard.channel == nil { pager.forget(fold(heard.source.nick), unlessFor: asker) }
        let message = hearing.message(
            heard, identity: identity, origin: asker.id, nick: nick, robotName: state.robotName, now: date())
        askers.take(asker, for: message)
        return message
    }

    /// To whom it is accounted what somebody has the robot do: to an id that the network vouches for, else to the connection,
    /// since a new nick is to be had at any time.
    private func asker(_ identity: Hearing.Identity, _ heard: Heard) -> Asker {
        let id = identity.isProven ? identity.id : heard.source.origin ?? identity.id
        return Asker(id, source: heard.source, account: heard.account.name)
    }

    /// The person whose message is answered; nil if none is.
    private func asker(_ envelope: Envelope) -> Asker? {
        guard let message = envelope.message, message.adapter == hearing.adapter else { return nil }
        return askers[message] ?? envelope.user.map { Asker($0.id.value) }
    }

    /// What is known of the network for telling its people apart.
    private var knowledge: Hearing.Knowledge {
        mutating get {
            tellsAccounts = tellsAccounts || state.session?.tellsAccounts == true
            return Hearing.Knowledge(
                mapping: state.session?.support.caseMapping ?? .rfc1459, tellsAccounts: tellsAccounts,
                trustsNicks: configuration.trustsNicks && state.session?.tellsNoAccounts == true,
                recognition: recognition)
        }
    }

    /// That admins named by account can't be recognized on this network, or that nothing shows they could; nil otherwise.
    private var accountWarning: Note? {
        let names = recognition.accountNames
        guard let session = state.session, session.isReady, !tellsAccounts, !names.isEmpty else { return nil }
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
        // Who isn't heard in private couldn't ask for more.
        let canAsk = !room.isPrivate || configuration.profile.hearsPrivateMessages
        guard isPaged, canAsk else { return put([chat], at: now) }
        let pieces = state.session?.lines(of: chat) ?? LineSplitter.lines(of: chat.text, limit: 400)
        let page = pager.page(pieces, for: fold(chat.target), asker: chat.asker, at: now)
        put(chats(page, chat, room), at: now)
    }

    /// Says the next page; false if there is none.
    mutating func showMore(_ target: String, _ envelope: Envelope, at now: Duration) -> Bool {
        let person = envelope.room.isPrivate ? asker(envelope) : nil
        guard let page = pager.next(for: fold(target), person: person, at: now) else { return false }
        put(chats(page, Chat(to: target, "", asker: asker(envelope)), envelope.room), at: now)
        return true
    }

    /// Who is in a channel but us, as far as its server has told.
    mutating func users(in channel: String) -> [User] {
        let knowledge = knowledge
        guard let session = state.session,
            let members = session.roster.channels[session.support.caseMapping.fold(channel)]
        else {
            return []
        }
        let mapping = session.support.caseMapping
        return members.filter { $0.key != mapping.fold(session.nick) }.values
            .map { hearing.user($0, knowledge) }
    }

    func fold(_ name: String) -> String { (state.session?.support.caseMapping ?? .rfc1459).fold(name) }

    private func chats(_ page: (lines: ArraySlice<String>, more: Int), _ chat: Chat, _ room: Room) -> [Chat] {
        let lines = page.lines.map { Chat(to: chat.target, $0, asker: chat.asker) }
        guard page.more > 0 else { return lines }
        let words = room.isPrivate ? "more" : "\(state.robotName) more"
        return lines + [Chat(to: chat.target, "(\(page.more) more lines: say \(words))", asker: chat.asker)]
    }

    mutating func setTopic(_ topic: String, of channel: String, _ envelope: Envelope, at now: Duration) -> Bool {
        let asker = asker(envelope)?.id
        guard let actions = state.session?.setTopic(topic, of: channel, asker: asker, at: now) else { return false }
        perform(actions, at: now)
        return true
    }

    /// The number of lines that wait to be said to whoever wrote the message that is answered.
    func unsaidLines(for envelope: Envelope) -> Int {
        asker(envelope).flatMap { state.session?.lines(askedBy: $0.id) } ?? 0
    }

    /// Tells somebody, and nobody else, something before all that waits to be said.
    mutating func warn(_ text: String, _ envelope: Envelope, at now: Duration) {
        guard let user = envelope.user else { return }
        let asker = asker(envelope)
        perform(state.session?.warn(user.name, text, asker: asker, at: now) ?? [], at: now)
    }

    private mutating func put(_ chats: [Chat], at now: Duration) {
        say(
            chats.map { chat in
                var chat = chat
                chat.since = now
                return chat
            }, at: now)
    }

    // MARK: Doing

    mutating func perform(
        _ actions: [Session.Action], at now: Duration, into messages: inout [Message]
    ) {
        for action in actions {
            switch action {
            case .send(let line):
                state.send(line.bytes)
                state.record("> \(configuration.profile.loggable(line))")
            case .hear(let heard):
                if let message = hear(heard, at: now) { messages.append(message) }
            case .tellTime(let nick):
                let time = date().formatted(.iso8601)
                perform(state.session?.tell(time: time, to: nick, at: now) ?? [], at: now, into: &messages)
            case .settled:
                // First, since a check doesn't wait for more than what comes last.
                if let accountWarning { state.note(accountWarning) }
                state.note(.settled(as: state.session?.nick ?? "", in: state.session?.joined ?? []))
                state.standing.settle(at: now)
            case .note(let note): state.note(note)
            case .end(let ending):
                if case .displaced = ending { displaced.append(now) }
                state.stop(Trouble("\(ending)", isLasting: ending.isLasting))
            }
        }
    }
}

extension Note: SessionNote {
    package var level: Logger.Level {
        switch self {
        case .invitation, .joined: .debug
        default: isWarning ? .warning : .info
        }
    }

    package static var counters: [String] { ["heybot_messages_lost_total"] }

    package var counted: (counter: String, count: Int)? {
        switch self {
        case .lost(let count), .expired(let count), .stale(let count), .withheld(let count):
            ("heybot_messages_lost_total", count)
        default: nil
        }
    }

    package var changesRooms: Bool {
        switch self {
        case .joined, .rejoined, .kicked, .refused, .renamed: true
        default: false
        }
    }

    package var isLoggedOnce: Bool {
        switch self {
        case .loginFailed, .nickTaken, .nickEnforced, .yields, .refused, .unprovable, .doubtful: true
        default: false
        }
    }

    package func ends(_ other: Note) -> Bool {
        switch (other, self) {
        case (.loginFailed, .loggedIn), (.nickTaken, .nickRegained), (.nickEnforced, .nickRegained): true
        case (.refused(let refused, _), .joined(let channel)), (.refused(let refused, _), .rejoined(let channel)):
            refused.lowercased() == channel.lowercased()
        default: false
        }
    }
}

extension AdapterError {
    static func away(_ adapter: String) -> Self { Self(.notConnected, "\(adapter) isn't connected just now") }

    static func noChannel(_ name: String) -> Self { Self(.badName, "\(name) is no channel: channels begin with #") }
}
