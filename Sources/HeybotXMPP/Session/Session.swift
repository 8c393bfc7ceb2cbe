package import HeybotSASL
import HeybotSupport

/// An XMPP client stream, from its header to its end, as a value: events and times go in, actions come out.
///
/// Times are offsets on a monotonic clock with an arbitrary epoch. The owner of a session performs its actions in order, and
/// calls ``tick(at:)`` when ``due`` has come.
package struct Session: Sendable {
    /// An action for the session's owner to perform.
    package enum Action: Hashable, Sendable {
        /// Send this element.
        case send(Element)
        /// Open the stream, for the first time or again.
        case open(StreamHeader)
        /// Close the stream: nothing follows.
        case closeStream
        /// Start TLS on the connection, and then call ``secured()``.
        case startTLS
        /// Pass an event on to the robot.
        case hear(IncomingEvent)
        /// A room has given the session's message with this id an id of its own (XEP-0359).
        case stanzaID(String, of: String, in: JID)
        /// A room or the recipient has confirmed that the session's message with this id has arrived, or is read.
        case confirmed(String, isRead: Bool, by: JID)
        /// The session's message with this id hasn't arrived at its recipient.
        case refused(String, by: JID)
        /// Deliver the result of ``ask(_:_:to:as:within:at:)``; the payload is nil if the response has none.
        case answer(String, Result<Element?, StanzaError>)
        /// Answer a time query with ``tell(time:to:)``.
        case tellTime(of: Element)
        /// Record for the next robot that these messages of an archive are about to be handled, and then call
        /// ``noteRecordedAttempts(of:)``.
        case recordAttempts([String], of: JID)
        /// Handle a request about ad-hoc commands, and answer it.
        case serve(CommandRequest)
        /// The session is logged in, and every room has answered its join or timed out.
        case ready
        /// Log this entry.
        case log(LogEntry)
        /// Close the connection: the session has ended.
        case end(DisconnectReason)
    }

    enum Phase: Equatable {
        /// Negotiating stream features.
        case negotiating(until: Duration)
        /// Waiting for TLS after requesting it: anything that arrives meanwhile isn't from the server.
        case securing(until: Duration)
        /// Joining rooms and receiving; nothing is sent until every room has answered or the deadline has passed.
        case joining(until: Duration)
        /// Receiving and sending.
        case ready
        case over
    }

    private(set) var configuration: SessionConfiguration
    var phase: Phase
    var negotiation: Negotiation
    var rooms: RoomStates
    var services: MUCServices
    var requests: IQTracker
    var keepAlive: KeepAlive
    var queue: SendQueue
    var pingFlowControl = PingFlowControl()
    var stanzaSizeLimit: StanzaSizeLimit
    var streamManagement = StreamManagement()
    /// Whether the server offers stream management on this stream.
    var offersStreamManagement = false
    var addresses = JIDCache()
    var archives = ArchiveQueries()
    var unconfirmedMessages = UnconfirmedMessages()
    var commandSessions = CommandSessions()
    var bookmarks = Bookmarks()
    /// Whether the session joins the rooms of the account's bookmarks, as the first session of a process does.
    package var joinsBookmarks = false
    /// The time of the zero of the session's clock, in seconds since 1970; archives aren't asked if it is nil.
    package var epoch: Double?
    /// The time since which earlier sessions have missed direct messages, until the session asks for them.
    var absentSince: Duration?
    /// The commands that a killed robot hasn't answered; nil unless the session takes over from one.
    var unanswered: UnansweredCommands?
    /// Whether the session was ever logged in.
    var wasOnline = false
    /// Whether another process has joined the session's rooms, and their services are still to be queried.
    var isTakenOver = false
    /// What another process hasn't sent, until the session is resumed.
    var unsentByOther: [OutgoingMessage] = []
    /// Limits subscriptions, invitations, and queries that others can make the session send.
    var peerLimits: PeerRateLimiter
    /// Limits the queries of others that the session answers.
    var queryLimits: PeerRateLimiter
    /// Limits the messages of others that the session confirms.
    var confirmationLimits: PeerRateLimiter
    /// The session's own address.
    package internal(set) var address: JID
    /// Whether the connection accepts no more data for now: whatever can wait is held back.
    package var isCongested = false
    var lastMechanism: Mechanism?
    /// When reading was paused.
    var paused: Duration?
    /// The number of connections in a row on which the session wasn't resumed.
    var failedResumptions = 0
    /// Whether the server has resumed the session, and is sending what has happened meanwhile.
    var isCatchingUp = false
    /// When the server last sent anything after the login that the session handles.
    package internal(set) var lastReceived: Duration
    private var failedTargets: Set<JID> = []
    /// When a skipped stanza was last logged as a warning.
    var lastSkipReport: Duration?
    /// When each person last got a hint why a message wasn't handled, by the key of rate limits.
    var hints: [String: Duration] = [:]
    /// The beginning of the ids of the session's messages: random, so that it is unique to this session.
    let idPrefix: String
    var lastID = 0
    /// Random characters: some are in ids that others see, the rest is secret.
    private let nonce: String
    /// The same for the current stream, which may be a later one.
    var streamNonce: String
    /// The number of nicks that nobody can guess so far.
    private var unguessableNickCount = 0
    /// The number of occupancies so far.
    private var occupantStayCount = 0
    /// Where others see the robot writing.
    var composing: Set<JID> = []
    /// Whether a sent message is to be confirmed, so that confirmations are of interest.
    package var tracksMessages = false
    /// The changes of subjects that rooms may still refuse, by the ids of the messages.
    var subjectRequests: [String: (name: String, room: JID)] = [:]
    /// The number of resynchronizations of rooms.
    var resyncCount = 0

    /// Ends the session at ``quit(_:)``, instead of leaving it open for another process.
    package mutating func leaveAtStop() { configuration.isKeptAtStop = false }

    /// - Parameters:
    ///   - isSecure: Whether the connection is encrypted from the start (XEP-0368).
    ///   - nonce: At least 36 random printable characters, without commas, that nobody can guess.
    ///   - lastMechanism: The mechanism of the previous login.
    ///   - rooms: The rooms to join instead of the configured ones: those of a previous session, including invitations.
    ///   - waiting: The messages that a previous session hadn't sent.
    ///   - absentSince: The time since which direct messages may have been missed; nil if there was no previous session.
    package init(
        _ configuration: SessionConfiguration, isSecure: Bool, nonce: String, lastMechanism: Mechanism? = nil,
        rooms: [SessionConfiguration.Room]? = nil, waiting: [OutgoingMessage] = [], absentSince: Duration? = nil,
        at now: Duration
    ) {
        var configuration = configuration
        // In the form in which rooms will show it.
        configuration.nick = (try? Resourcepart.prepared(configuration.nick[...])) ?? configuration.nick
        self.configuration = configuration
        self.lastMechanism = lastMechanism
        self.absentSince = absentSince
        address = configuration.address
        phase = .negotiating(until: now + configuration.timeouts.login)
        negotiation = Self.negotiation(
            configuration, isSecure: isSecure, nonce: nonce, after: lastMechanism,
            resource: configuration.address.resource ?? configuration.resource)
        lastReceived = now
        peerLimits = PeerRateLimiter(ownDomain: configuration.address.domain)
        queryLimits = peerLimits
        confirmationLimits = peerLimits
        let services = MUCServices(account: configuration.address.domain, chosen: configuration.rooms.map(\.address))
        self.services = services
        self.rooms = RoomStates(
            rooms ?? configuration.rooms, nick: configuration.nick, timeouts: configuration.timeouts, at: now)
        // Rooms may take a session with the same address for the previous one. Those of the account's own server have seen a
        // killed robot leave: the server ends its session first.
        let isKept = configuration.address.resource != nil
        if rooms != nil, isKept || configuration.resource != nil {
            self.rooms.updateAll { room in
                if isKept || !services.isOwn(room.address.domain) { room.doubtsList = true }
            }
        }
        idPrefix = String(nonce.prefix(12))
        self.nonce = nonce
        streamNonce = nonce
        requests = IQTracker(configuration.address, secret: String(nonce.suffix(12)))
        stanzaSizeLimit = StanzaSizeLimit(longestStanza: configuration.longestStanza)
        keepAlive = KeepAlive(
            pingInterval: configuration.timeouts.pingInterval, timeout: configuration.timeouts.response, at: now)
        queue = SendQueue(
            configuration.rateLimit, limit: configuration.queueLimit, domain: configuration.address.domain)
        for message in waiting { enqueueAgain(message, at: now) }
    }

    /// The rooms that the session is in or tries to join.
    package var wantedRooms: [SessionConfiguration.Room] {
        guard hearsMissedMessages else { return rooms.wanted }
        return rooms.wanted.map { room in
            var room = room
            // Another session misses what was said after the last sign of the server.
            if rooms[room.address]?.isInside == true { room.missedSince = room.missedSince ?? lastReceived }
            // Until its archive has told everything.
            if unanswered?.isAsking(room.address) != true {
                room.missedSince = archives.missedSince(in: room.address) ?? room.missedSince
            }
            return room
        }
    }
    /// Whether it handles messages that it has missed.
    var hearsMissedMessages: Bool { configuration.missedMessageAge > .zero }
    /// The time since which another session would have missed direct messages; nil if none have to be asked for.
    package var missedSince: Duration? {
        guard hearsMissedMessages else { return nil }
        let asked = unanswered?.isAsking(address.bare) == true ? nil : archives.missedSince(in: address.bare)
        return asked ?? absentSince ?? (wasOnline ? lastReceived : nil)
    }
    /// The rooms that the session is in.
    package var joined: [JID] { rooms.inside }
    /// The occupants of a room, by nick.
    package func occupants(of room: JID) -> [String: Occupant] { rooms[room]?.occupants ?? [:] }
    /// Whether the session is logged in.
    package var isOnline: Bool {
        switch phase {
        case .joining, .ready: true
        default: false
        }
    }
    /// Whether the server accepted the login, even if the session has ended since.
    package var hasLoggedIn: Bool { negotiation.state.contains(.bound) }
    /// The error with which a room refused the last join, if it did.
    package func joinError(of room: JID) -> StanzaError? { rooms[room]?.joinError }
    /// The robot's nick in a room.
    package func nick(in room: JID) -> String { rooms[room]?.nick ?? configuration.nick }
    /// The number of messages that aren't sent yet.
    package var unsentCount: Int { queue.count + unconfirmedMessages.heldCount }
    /// The number of dropped messages that haven't been logged yet.
    package var dropped: Int { queue.dropped }
    /// The maximum size of an outgoing stanza, in bytes.
    package var longestStanza: Int { stanzaSizeLimit.longestStanza }
    /// The mechanism that the session logged in with.
    package var mechanism: Mechanism? { negotiation.mechanism ?? lastMechanism }

    // MARK: Opening

    /// Opens the stream.
    package mutating func begin() -> [Action] { [.open(header)] }

    private var header: StreamHeader {
        // The account isn't revealed before the stream is encrypted (RFC 6120 section 4.7.1).
        let isSecure = negotiation.state.contains(.secure)
        return StreamHeader(
            to: configuration.address.domain, from: isSecure ? configuration.address.bare.description : nil)
    }

    /// Sets the values of the encrypted connection that the login can be bound to, the best one first.
    package mutating func bind(to bindings: [ChannelBinding]) { negotiation.bindings = bindings }

    /// Continues after the connection has been encrypted.
    package mutating func secured() -> [Action] {
        guard case .securing(let until) = phase else { return [] }
        phase = .negotiating(until: until)
        return [.open(header)]
    }

    /// Handles an event of the stream.
    package mutating func receive(_ event: StreamEvent, at now: Duration) -> [Action] {
        guard phase != .over else { return [] }
        // Anyone on the network path could have injected it (RFC 6120 section 5.4.3.3).
        if case .securing = phase { return end(.lost("the server sent data before the connection was encrypted")) }
        keepAlive.receive(at: now)
        // What isn't counted is left to another process, which must not take it for handled.
        if isOnline, streamManagement.isCounting { lastReceived = now }
        switch event {
        case .open: return []
        case .close:
            // A closed session can't be resumed.
            if isOnline { streamManagement.giveUpResumption() }
            return end(.lost("the server closed the stream"))
        case .element(let element) where element.is("error", Namespace.streams):
            let reason = DisconnectReason(streamError: element)
            if isOnline {
                streamManagement.giveUpResumption()
                if reason.isPermanent {
                    streamManagement.markUnrepeatable()
                    unconfirmedMessages.markUnrepeatable()
                }
            }
            // A server that has accepted the login before may accept it again.
            return end(isOnline && reason.isPermanent ? .lost(reason.description) : reason)
        case .element(let element):
            if case .negotiating(let until) = phase { return negotiate(element, until, at: now) }
            if element.namespace == Namespace.streamManagement { return handleStreamManagement(element, at: now) }
            streamManagement.countReceived(element.name, element.namespace)
            return handle(element, at: now)
        case .skipped(let element):
            // During negotiation only the server itself can have sent it, and it is the answer that the session waits for.
            if case .negotiating = phase {
                return end(.lost("the server sent an element over a limit: \(element.reason)"))
            }
            streamManagement.countReceived(element.name, element.namespace)
            return handleSkipped(element, at: now)
        }
    }

    private mutating func negotiate(_ element: Element, _ until: Duration, at now: Duration) -> [Action] {
        if element.is("features", Namespace.streams) {
            stanzaSizeLimit.read(element)
            offersStreamManagement = element.has("sm", Namespace.streamManagement)
        }
        switch negotiation.receive(element) {
        case .none: return []
        case .send(let element): return [.send(element)]
        case .startTLS:
            phase = .securing(until: until)
            return [.startTLS]
        case .restart: return [.open(header)]
        case .failed(let reason):
            // It may be the answer to the request to resume the session, and would be the same again.
            streamManagement.giveUpResumption()
            return end(reason)
        case .done: return finishLogin(at: now)
        }
    }

    /// Sends presence and joins the rooms after the login.
    private mutating func finishLogin(at now: Duration) -> [Action] {
        var actions: [Action] = []
        if let mechanism = negotiation.mechanism, let lastMechanism, mechanism < lastMechanism {
            actions.append(.log(.mechanismDowngraded(mechanism.rawValue, before: lastMechanism.rawValue)))
        }
        switch negotiation.resumption {
        case .resumed(let handled): return actions + finishResumption(handled, at: now)
        case .refused(let handled): beginAnew(handled, at: now)
        // An earlier session can't be resumed at a server that doesn't offer that.
        case nil: if streamManagement.isOn { beginAnew(nil, at: now) }
        }
        phase = .joining(until: now + configuration.timeouts.join)
        address = negotiation.address ?? address
        requests.account = address
        // The server may assign the address of an earlier session again, for which rooms then take this one.
        if negotiation.hasBegunSession { rooms.updateAll { $0.doubtsList = true } }
        actions += enableStreamManagement()
        if configuration.isAvailable { actions.append(.send(presence)) }
        wasOnline = true
        unconfirmedMessages.restartWait(at: now)
        actions += queryOwnArchive(at: now) + readBookmarks(at: now)
        return actions + maintainRooms(at: now) + completeJoining(at: now) + flush(at: now)
    }

    /// The session's own presence.
    var presence: Element {
        var presence = Element("presence", Namespace.client)
        for extra in presenceExtensions { presence.append(extra) }
        return presence
    }

    var presenceExtensions: [Element] {
        let status = configuration.status.map { [Element("status", Namespace.client, text: $0)] } ?? []
        return status + [EntityCapabilities.caps]
    }

    /// Becomes ready, and opens the send queue, as soon as every room has answered or the deadline has passed.
    mutating func completeJoining(at now: Duration) -> [Action] {
        guard case .joining(let until) = phase, !isCatchingUp, rooms.haveAnswered || until <= now else { return [] }
        phase = .ready
        queue.open(at: now)
        return [.log(.ready(as: address, in: joined)), .ready]
    }

    /// Whether a message can be sent now.
    var canSend: Bool { !isCongested && !pingFlowControl.isFull }

    mutating func end(_ reason: DisconnectReason) -> [Action] {
        guard phase != .over else { return [] }
        phase = .over
        return [.end(reason)]
    }

    mutating func nextOccupantStay() -> OccupantStay {
        occupantStayCount += 1
        return OccupantStay(session: idPrefix, number: occupantStayCount)
    }

    /// Returns a new last alternative of the nick: nobody can hold it in advance to keep the robot out of a room.
    mutating func unguessableNick() -> String {
        unguessableNickCount += 1
        let digits = CryptographicHash.sha256.hash("\(nonce) \(unguessableNickCount)".utf8).prefix(3).map {
            String($0 >> 4, radix: 16) + String($0 & 15, radix: 16)
        }
        return "\(configuration.nick)_\(digits.joined())"
    }

    /// Whether this is the first failed delivery to a target since the last success.
    mutating func isFirstDeliveryFailure(to target: JID) -> Bool {
        failedTargets.count < 1_000 && failedTargets.insert(target.bare).inserted
    }

    mutating func clearDeliveryFailure(at target: JID) {
        if !failedTargets.isEmpty { failedTargets.remove(target.bare) }
    }
}

extension Mechanism {
    /// Whether a mechanism protects the password less than another.
    fileprivate static func < (one: Mechanism, other: Mechanism) -> Bool {
        let order = Mechanism.allCases
        return (order.firstIndex(of: one) ?? 0) > (order.firstIndex(of: other) ?? 0)
    }
}
