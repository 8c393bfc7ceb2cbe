// Goes on with a session on another stream after the connection has broken (XEP-0198 section 5).

import HeybotSupport

extension Session {
    /// After so many connections the request to resume the session may be what breaks them.
    private static let maxFailedResumptions = 5

    /// Whether the session may go on on another stream.
    package var isResumable: Bool { streamManagement.id != nil }

    /// The server at which to resume the session, if its server prefers one.
    package var resumptionServer: ServerAddress? { streamManagement.location }

    /// Opens a stream that resumes the session: rooms and occupants are kept, and what hasn't arrived is sent again.
    ///
    /// If the server refuses that, a new session begins on this stream, with the same rooms.
    ///
    /// - Parameters:
    ///   - isSecure: Whether the connection is encrypted from the start (XEP-0368).
    ///   - nonce: Random text, as for a new session.
    ///   - waiting: The messages to send, including those that the session hadn't sent.
    package mutating func reopen(
        isSecure: Bool, nonce: String, waiting: [OutgoingMessage], at now: Duration
    ) -> [Action] {
        lastMechanism = mechanism
        streamNonce = nonce
        failedResumptions += 1
        let id = failedResumptions > Self.maxFailedResumptions ? nil : streamManagement.id
        let resumption = id.map { StreamResumption($0, handled: streamManagement.handled) }
        // Rooms could take a new session with the address of this one for this one.
        negotiation = Self.negotiation(
            configuration, isSecure: isSecure, nonce: nonce, after: lastMechanism,
            resource: configuration.address.resource, resumption)
        phase = .negotiating(until: now + configuration.timeouts.login)
        stanzaSizeLimit = StanzaSizeLimit(longestStanza: configuration.longestStanza)
        keepAlive = KeepAlive(
            pingInterval: configuration.timeouts.pingInterval, timeout: configuration.timeouts.response, at: now)
        (isCongested, paused) = (false, nil)
        isCatchingUp = false
        queue = emptyQueue
        for message in unsentByOther + waiting { enqueueInOrder(message, at: now) }
        unsentByOther = []
        return begin()
    }

    /// Goes on with the session after the server has resumed it.
    ///
    /// - Parameter handled: The number of the session's stanzas that the server has handled.
    mutating func finishResumption(_ handled: UInt32, at now: Duration) -> [Action] {
        guard streamManagement.acknowledge(handled) else { return refuseAcknowledgement(handled) }
        phase = .joining(until: now + configuration.timeouts.join)
        // A server that has left an earlier request unanswered may have lost what it was sending then.
        let mayHaveMissed = isTakenOver || failedResumptions > 1
        if failedResumptions > 1 { noteAbsence(since: lastReceived) }
        failedResumptions = 0
        // The server's silence since the connection broke doesn't count.
        requests.extendDeadlines(by: now - lastReceived)
        rooms.extendDeadlines(by: now - lastReceived)
        unconfirmedMessages.extendTimes(by: now - lastReceived)
        // The server sends what has happened meanwhile, and then its answer to the first request. Until that, a nick may be
        // another occupant's.
        isCatchingUp = true
        let again = streamManagement.takeUnacknowledged { $0.target.resource != nil && rooms[$0.target.bare] != nil }
        if !again.messages.isEmpty {
            let waiting = again.messages + queue.unsent
            queue = emptyQueue
            for message in waiting { enqueue(message) }
        }
        var actions = [Action.log(.resumed(again.stanzas.count))] + again.stanzas.map(Action.send)
        if again.stanzas.isEmpty { actions.append(.send(Self.acknowledgementRequest)) }
        actions += unanswered?.recordAgain ?? []
        actions += queryServicesAfterTakeover(at: now)
        if mayHaveMissed { actions += queryArchivesAfterAbsence(at: now) }
        return actions + updateBookmarks(at: now) + maintainRooms(at: now)
    }

    /// Notes that the session may have missed what was said since a time, unless an archive is being asked for that already.
    private mutating func noteAbsence(since time: Duration) {
        guard hearsMissedMessages else { return }
        if archives.missedSince(in: address.bare) == nil { absentSince = absentSince ?? time }
        for room in rooms.inside where archives.missedSince(in: room) == nil {
            rooms.update(room) { $0.noteAbsence(since: time) }
        }
    }

    /// Asks the archives of the account and of the rooms that the session is in for what it has missed, unless they are being asked.
    private mutating func queryArchivesAfterAbsence(at now: Duration) -> [Action] {
        let direct = absentSince == nil ? [] : queryOwnArchive(at: now)
        return direct
            + rooms.inside.flatMap { room -> [Action] in
                guard rooms[room]?.wanted.missedSince != nil, archives.missedSince(in: room) == nil else { return [] }
                return queryArchive(of: room, at: now)
            }
    }

    private var emptyQueue: SendQueue {
        SendQueue(configuration.rateLimit, limit: configuration.queueLimit, domain: configuration.address.domain)
    }

    /// Begins a new session on a stream that was to resume this one.
    ///
    /// - Parameter handled: The number of the session's stanzas that the server has handled, if it has told it.
    mutating func beginAnew(_ handled: UInt32?, at now: Duration) {
        // A count that can't be right tells nothing.
        if let handled { _ = streamManagement.acknowledge(handled) }
        var configuration = configuration
        // The new session has another address, which the server has chosen.
        configuration.resource = nil
        var new = Session(
            configuration, isSecure: negotiation.state.contains(.secure), nonce: streamNonce,
            lastMechanism: lastMechanism, rooms: wantedRooms,
            waiting: repeatableMessages + queue.unsent, absentSince: missedSince, at: now)
        new.epoch = epoch
        new.joinsBookmarks = joinsBookmarks
        new.tracksMessages = tracksMessages
        new.unanswered = unanswered?.restarted(at: now)
        new.negotiation = negotiation
        new.phase = phase
        new.stanzaSizeLimit = stanzaSizeLimit
        new.offersStreamManagement = offersStreamManagement
        new.isCongested = isCongested
        new.keepAlive = keepAlive
        new.paused = paused
        self = new
    }
}
