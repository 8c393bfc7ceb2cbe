// Performs what is due, and makes up for the time in which reading is paused.

import HeybotSupport

extension Session {
    /// The latest time for the next call of ``tick(at:)``; nil if there is nothing to wait for.
    package var due: Duration? {
        var joinDeadline: Duration?
        switch phase {
        case .over: return nil
        case .negotiating(let until), .securing(let until): return until
        case .joining(let until): joinDeadline = until
        case .ready: break
        }
        let lookup = ReplyRecipientLookup(rooms: rooms, services: services)
        let times = [
            joinDeadline, keepAlive.due, rooms.due, services.due, requests.due,
            canSend ? queue.due { !lookup.isWaiting($0) } : nil, isCongested ? nil : queue.expiry, queue.dropReportDue,
            commandSessions.due, unconfirmedMessages.due
        ]
        return times.compactMap { $0 }.min()
    }

    /// Performs what is due.
    package mutating func tick(at now: Duration) -> [Action] {
        switch phase {
        case .over: return []
        case .negotiating(let until), .securing(let until): return until <= now ? end(.loginTimeout) : []
        case .joining(let until) where isCatchingUp && until <= now:
            // Nobody knows yet who has which nick, so nothing can be sent, and the next time would be the same.
            streamManagement.giveUpResumption()
            return end(.pingTimeout)
        case .joining, .ready: break
        }
        switch keepAlive.tick(at: now) {
        case .none: break
        case .ping: return [ask(Element("ping", Namespace.ping), to: nil, for: .serverPing, at: now)] + tick(at: now)
        case .timedOut: return end(.pingTimeout)
        }
        let late =
            requests.expire(at: now).flatMap { expire($0, at: now) } + expireCommands(at: now) + sendOverdue(at: now)
        return late + retryServiceQueries(at: now) + maintainRooms(at: now) + completeJoining(at: now) + flush(at: now)
    }

    /// Notes that reading is paused: the server's silence doesn't count until ``resume(at:)``.
    package mutating func pause(at now: Duration) {
        keepAlive.pause(at: now)
        paused = paused ?? now
    }

    /// Notes that reading goes on, and extends every deadline by the length of the pause.
    package mutating func resume(at now: Duration) {
        keepAlive.resume(at: now)
        guard let paused else { return }
        self.paused = nil
        // Most pauses only last as long as it takes to handle what has arrived.
        guard now - paused >= .seconds(1) else { return }
        requests.extendDeadlines(by: now - paused)
        rooms.extendDeadlines(by: now - paused)
        if case .joining(let until) = phase { phase = .joining(until: until + (now - paused)) }
    }
}
