package import HeybotSASL
import HeybotSupport

/// One stream to a server, from its header to its end, as a value: what comes and times in, actions out.
///
/// Times are those of any clock that only goes forward, since whenever it likes. Whoever holds a session sends what it
/// wants sent, in order, and calls ``tick(at:)`` when ``due`` has come.
package struct Session: Sendable {
    /// What a session wants done.
    package enum Action: Hashable, Sendable {
        /// Put this on the wire.
        case send(Element)
        /// Open the stream, for the first time or again.
        case open(StreamHeader)
        /// Close the stream: nothing follows.
        case closeStream
        /// Encrypt the connection, and say so with ``secured()``.
        case startTLS
        /// Somebody said or did something.
        case hear(Heard)
        /// What was asked with ``ask(_:_:to:as:within:at:)`` is answered; the payload is nil if the answer has none.
        case answer(String, Result<Element?, StanzaError>)
        /// Somebody wants to know what time it is with us: give it to ``tell(time:to:)``.
        case tellTime(of: Element)
        /// We are logged in, and were let into all rooms that would have us at once.
        case settled
        /// Tell whoever runs the robot.
        case note(Note)
        /// Close the connection: it is over.
        case end(Ending)
    }

    enum Phase: Equatable {
        /// Until all is agreed on.
        case negotiating(until: Duration)
        /// From our wish for TLS until there is some: what comes meanwhile isn't from our server.
        case securing(until: Duration)
        /// We join, and hear; until then rooms that don't answer are waited for before anything is said.
        case joining(until: Duration)
        /// We hear and speak.
        case settled
        case over
    }

    let profile: Profile
    var phase: Phase
    var negotiation: Negotiation
    var rooms: Rooms
    var services: Services
    var requests: Requests
    var liveness: Liveness
    var queue: SendQueue
    /// How much the server takes: in one stanza, and before it has answered.
    var sendWindow: SendWindow
    var addresses = JIDCache()
    /// How much others can make us answer, or ask.
    var answers = AnswerMeters()
    /// Our own address.
    package internal(set) var address: JID
    /// Whether the server doesn't take what we send for now, so that what can wait had better.
    package var isClogged = false
    private let lastMechanism: Mechanism?
    /// Since when we don't read.
    private var paused: Duration?
    private var unsaidTo: Set<JID> = []
    /// When a skipped stanza was last noted as news.
    var skipTold: Duration?
    /// Whom we told last that we can't read what is encrypted.
    var hints: [JID: Duration] = [:]
    /// What the ids of our messages begin with: random, so that no other session's are the same.
    let idPrefix: String
    var lastID = 0
    /// How many have come into rooms, or were there when we did.
    private var entries = 0

    /// - Parameters:
    ///   - isSecure: Whether the connection is encrypted from the beginning (XEP-0368).
    ///   - nonce: Random text of at least 18 printable characters, none of them a comma, that nobody can guess.
    ///   - lastMechanism: How we logged in last time.
    ///   - rooms: Those to be in, if that isn't the profile's list: what another session was in, invitations and all.
    ///   - waiting: What another session had still to say.
    package init(
        _ profile: Profile, isSecure: Bool, nonce: String, lastMechanism: Mechanism? = nil,
        rooms: [Profile.Room]? = nil, waiting: [Chat] = [], at now: Duration
    ) {
        var profile = profile
        // As rooms will show it.
        profile.nick = (try? Resourcepart.prepared(profile.nick[...])) ?? profile.nick
        self.profile = profile
        self.lastMechanism = lastMechanism
        address = profile.address
        phase = .negotiating(until: now + profile.waits.login)
        negotiation = Negotiation(
            isSecure ? .secure : [], mustBeSecure: profile.usesTLS,
            (profile.usesTLS ? [StartTLS()] : []) + [
                Authentication(profile.credentials, preferring: profile.mechanism, nonce: nonce),
                ResourceBinding(profile.address), SessionEstablishment()
            ])
        services = Services(account: profile.address.domain, chosen: profile.rooms.map(\.address))
        self.rooms = Rooms(rooms ?? profile.rooms, nick: profile.nick, waits: profile.waits, at: now)
        idPrefix = String(nonce.prefix(12))
        requests = Requests(profile.address, secret: String(nonce.suffix(12)))
        sendWindow = SendWindow(longestStanza: profile.longestStanza)
        liveness = Liveness(silence: profile.waits.silence, answer: profile.waits.answer, at: now)
        queue = SendQueue(profile.pace, limit: profile.queueLimit, domain: profile.address.domain)
        for chat in waiting { put(chat) }
    }

    /// The rooms we want to be in.
    package var wantedRooms: [Profile.Room] { rooms.wanted }
    /// Those of them that we are in.
    package var joined: [JID] { rooms.inside }
    /// Who is in a room that we are in, by nick.
    package func occupants(of room: JID) -> [String: Occupant] { rooms[room]?.occupants ?? [:] }
    /// Whether we are logged in.
    package var isReady: Bool {
        switch phase {
        case .joining, .settled: true
        default: false
        }
    }
    /// Whether the server has let us in, be it that all is over since.
    package var hasLoggedIn: Bool { negotiation.address != nil }
    /// Why a room doesn't let us in, if it has told.
    package func refusal(by room: JID) -> StanzaError? { rooms[room]?.refusal }
    /// What we are called in a room.
    package func nick(in room: JID) -> String { rooms[room]?.nick ?? profile.nick }
    /// What we have still to say.
    package var unsent: [Chat] { queue.unsent }
    /// How many those are.
    package var unsentCount: Int { queue.count }
    /// How many messages were sent of which isn't known whether the server has read them.
    package var unconfirmed: Int { sendWindow.unconfirmed }
    /// How many messages were lost, and that was told to nobody yet.
    package var lost: Int { queue.lost }
    /// The most bytes that a stanza of ours may have.
    package var longestStanza: Int { sendWindow.longestStanza }
    /// How we logged in.
    package var mechanism: Mechanism? { negotiation.mechanism ?? lastMechanism }

    // MARK: Beginning

    /// Opens the stream.
    package mutating func begin() -> [Action] { [.open(header)] }

    private var header: StreamHeader {
        // Who we are is nobody's business before the stream is encrypted (RFC 6120 section 4.7.1).
        let isSecure = negotiation.state.contains(.secure)
        return StreamHeader(
            to: profile.address.domain, from: isSecure ? profile.address.bare.description : nil)
    }

    /// The connection is encrypted now.
    package mutating func secured() -> [Action] {
        guard case .securing(let until) = phase else { return [] }
        phase = .negotiating(until: until)
        return [.open(header)]
    }

    /// Takes what came on the stream.
    package mutating func receive(_ event: StreamEvent, at now: Duration) -> [Action] {
        guard phase != .over else { return [] }
        // Whoever reads along could have put it there (RFC 6120 section 5.4.3.3).
        if case .securing = phase { return end(.lost("the server goes on before the connection is encrypted")) }
        liveness.hear(at: now)
        switch event {
        case .open: return []
        case .close: return end(.lost("the server closed the stream"))
        case .element(let element) where element.is("error", Namespace.streams):
            let ending = Ending(streamError: element)
            // A server that had let us in may well do so again.
            return end(isReady && ending.isLasting ? .lost(ending.description) : ending)
        case .element(let element):
            if case .negotiating(let until) = phase { return negotiate(element, until, at: now) }
            return take(element, at: now)
        case .skipped(let element):
            // Before we are logged in, only the server itself can have sent it, and it is what we wait for.
            if case .negotiating = phase { return end(.lost("the server sent what isn't read: \(element.reason)")) }
            return takeSkipped(element, at: now)
        }
    }

    private mutating func negotiate(_ element: Element, _ until: Duration, at now: Duration) -> [Action] {
        if element.is("features", Namespace.streams) { sendWindow.readLimits(element) }
        switch negotiation.receive(element) {
        case .none: return []
        case .send(let element): return [.send(element)]
        case .startTLS:
            phase = .securing(until: until)
            return [.startTLS]
        case .restart: return [.open(header)]
        case .failed(let ending): return end(ending)
        case .done: return arrive(at: now)
        }
    }

    /// We are logged in: we show ourselves, and go into our rooms.
    private mutating func arrive(at now: Duration) -> [Action] {
        phase = .joining(until: now + profile.waits.join)
        address = negotiation.address ?? address
        requests.account = address
        var actions: [Action] = []
        if let mechanism = negotiation.mechanism, let lastMechanism, mechanism < lastMechanism {
            actions.append(.note(.weakerLogin(mechanism.rawValue, before: lastMechanism.rawValue)))
        }
        if profile.isAvailable { actions.append(.send(presence)) }
        return actions + enterRooms(at: now) + settle(at: now) + flush(at: now)
    }

    /// What we show of ourselves.
    var presence: Element {
        var presence = Element("presence", Namespace.client)
        for extra in extras { presence.append(extra) }
        return presence
    }

    var extras: [Element] {
        let status = profile.status.map { [Element("status", Namespace.client, text: $0)] } ?? []
        return status + [Disco.caps]
    }

    /// Tells that we are where we want to be, as far as we are let in, and lets what is to be said go out.
    mutating func settle(at now: Duration) -> [Action] {
        guard case .joining(let until) = phase, rooms.haveAnswered || until <= now else { return [] }
        phase = .settled
        queue.open(at: now)
        return [.note(.settled(as: address, in: joined)), .settled]
    }

    // MARK: Time

    /// When ``tick(at:)`` wants to be called at the latest; nil if there is nothing to wait for.
    package var due: Duration? {
        var settles: Duration?
        switch phase {
        case .over: return nil
        case .negotiating(let until), .securing(let until): return until
        case .joining(let until): settles = until
        case .settled: break
        }
        let times = [
            settles, liveness.due, rooms.due, services.due, requests.due,
            maySpeak ? queue.due { rooms.canHear($0) } : nil, isClogged ? nil : queue.expiry, queue.lossDue
        ]
        return times.compactMap { $0 }.min()
    }

    /// Does what is due.
    package mutating func tick(at now: Duration) -> [Action] {
        switch phase {
        case .over: return []
        case .negotiating(let until), .securing(let until): return until <= now ? end(.unwelcome) : []
        case .joining, .settled: break
        }
        switch liveness.tick(at: now) {
        case .none: break
        case .ask: return [ask(Element("ping", Namespace.ping), to: nil, for: .alive, at: now)] + tick(at: now)
        case .dead: return end(.silent)
        }
        let late = requests.expire(at: now).flatMap { expire($0, at: now) }
        return late + retryServices(at: now) + enterRooms(at: now) + settle(at: now) + flush(at: now)
    }

    /// We don't read for now: the server's silence means nothing until ``resume(at:)``.
    package mutating func pause(at now: Duration) {
        liveness.pause(at: now)
        paused = paused ?? now
    }

    /// We read again: whatever we wait for has as much time left as it had.
    package mutating func resume(at now: Duration) {
        liveness.resume(at: now)
        guard let paused else { return }
        self.paused = nil
        // Most pauses are as long as it takes to look at what has come.
        guard now - paused >= .seconds(1) else { return }
        requests.delay(by: now - paused)
        rooms.delay(by: now - paused)
        if case .joining(let until) = phase { phase = .joining(until: until + (now - paused)) }
    }

    /// Whether the server takes more to be said now.
    var maySpeak: Bool { !isClogged && !sendWindow.isFull }

    // MARK: Asking

    /// Asks somebody something (RFC 6120 section 8.2.3), or our server; the answer comes under that name.
    ///
    /// It is an error of our own, of type `wait`, if it takes too long (`remote-server-timeout`), too much was asked
    /// that isn't answered yet (`resource-constraint`), or nothing can be asked now (`not-connected`).
    package mutating func ask(
        _ payload: Element, _ type: String = "get", to: JID?, as name: String, within limit: Duration? = nil,
        at now: Duration
    ) -> [Action] {
        guard isReady else {
            return [.answer(name, .failure(StanzaError(type: "wait", condition: .notConnected)))]
        }
        guard !requests.isFull else {
            return [.answer(name, .failure(StanzaError(type: "wait", condition: .resourceConstraint)))]
        }
        let until = now + (limit ?? profile.waits.answer)
        return [.send(requests.ask(payload, type, to: to, for: .other(name), until: until))]
    }

    mutating func ask(
        _ payload: Element, _ type: String = "get", to: JID?, for purpose: Requests.Purpose, at now: Duration
    ) -> Action {
        .send(requests.ask(payload, type, to: to, for: purpose, until: now + profile.waits.answer))
    }

    mutating func end(_ ending: Ending) -> [Action] {
        guard phase != .over else { return [] }
        phase = .over
        return [.end(ending)]
    }

    mutating func nextEntry() -> Entry {
        entries += 1
        return Entry(session: idPrefix, number: entries)
    }

    /// Whether it wasn't told yet that what we say there isn't taken.
    mutating func isNewlyUnsaid(to target: JID) -> Bool {
        unsaidTo.count < 1_000 && unsaidTo.insert(target.bare).inserted
    }

    mutating func isHeardAgain(at target: JID) {
        if !unsaidTo.isEmpty { unsaidTo.remove(target.bare) }
    }
}

extension Mechanism {
    /// Whether it protects the password less.
    fileprivate static func < (one: Mechanism, other: Mechanism) -> Bool {
        let order = Mechanism.allCases
        return (order.firstIndex(of: one) ?? 0) > (order.firstIndex(of: other) ?? 0)
    }
}
