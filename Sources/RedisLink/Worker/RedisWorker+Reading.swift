import FoundationEssentials
import GatewayHost
import GatewayLink
import Heybot
import HeybotSupport
import Logging
import Synchronization

// What comes from Redis: partitions, their messages, and outcomes.

extension RedisWorker {
    /// Says that the worker is there, and waits for the next time; false if it has ended.
    func renew() async -> Bool {
        let now = timeSource.now()
        let (isInformed, takes, last) = state.withLock { state in
            let takes = state.held != nil && !state.session.lacksAdapter && !state.session.isStopping
            return (state.held != nil, takes, state.lastRead)
        }
        do {
            // Where it begins is spread, so that workers that start together take different partitions.
            let first = Int.random(in: 0..<Partitions.count)
            let renewal = try await database.renew(
                id, for: limits.leaseTime, takesPartitions: takes, from: first, read: last)
            change { state in
                if state.isClosed { return [] }
                note(renewal, &state)
                return state.session.renewed(renewal, at: now)
            }
            // At first it has only learned which adapters there are.
            if isInformed { try await Task.sleep(for: limits.renewInterval) }
        } catch {
            errorLog.log(error, "can't renew the worker's leases")
            change { $0.session.notRenewed(at: timeSource.now()) }
            try? await Task.sleep(for: Self.pause)
        }
        return !state.withLock { $0.isClosed } && !Task.isCancelled
    }

    /// Notes what gateways have; without one of their adapters, the worker takes no partitions.
    private func note(_ renewal: LinkDatabase.Renewal, _ state: inout State) {
        state.held = renewal.held
        for facts in renewal.adapters {
            if let teaching = state.adapters.note(facts) { state.work.append(teaching) }
        }
        let missing = renewal.held.subtracting(state.own).sorted()
        if !missing.isEmpty, !state.session.lacksAdapter {
            let (names, logger) = (missing.joined(separator: ", "), logger)
            state.work.append {
                logger.error(
                    "a gateway has \(names), but this worker's settings don't, so it handles no messages: set the same adapters"
                )
            }
        }
        state.session.lacksAdapter = !missing.isEmpty
    }

    /// Reads what is new; false if the worker has ended.
    func read() async -> Bool {
        let now = timeSource.now()
        let (partitions, last, limit) = state.withLock { state in
            // What there is no room for would be read again; those with messages share the room.
            let share = state.session.room / max(state.busyPartitions, 1)
            return (
                state.session.beginReading(at: now), state.lastRead, min(state.readLimit, max(share, Self.fewestRead))
            )
        }
        let own = "to:\(id)"
        do {
            var busy = 0
            for (name, entries) in try await database.read(partitions + [(own, last)], limit: limit) {
                if name == own {
                    receive(entries)
                } else if let number = Int(name.dropFirst(3)) {
                    busy += 1
                    receive(entries, in: number)
                }
            }
            state.withLock { ($0.readLimit, $0.busyPartitions) = (Self.mostRead, busy) }
        } catch {
            errorLog.log(error, "can't read from Redis")
            state.withLock { state in
                // A long reply may have been the reason.
                state.readLimit = max(state.readLimit / 4, 1)
                state.lastRead = "0-0"
                state.session.readAgain()
            }
            try? await Task.sleep(for: Self.pause)
        }
        return !state.withLock { $0.isClosed } && !Task.isCancelled
    }

    private func receive(_ entries: [StreamEntry], in partition: Int) {
        var (read, unreadable): ([LinkDatabase.Entry], [String]) = ([], [])
        let entries = entries.prefix(state.withLock { $0.session.room })
        for entry in entries {
            if let message = entry["m"].flatMap(LinkDatabase.message) {
                read.append(LinkDatabase.Entry(id: entry.id, message: message))
            } else {
                unreadable.append(entry.id)
            }
        }
        guard let last = entries.last?.id else { return }
        let now = timeSource.now()
        change { $0.session.received(read, unreadable: unreadable, last: last, in: partition, at: now) }
    }

    /// Passes outcomes to those who wait for them, and answers gateways.
    private func receive(_ entries: [StreamEntry]) {
        for entry in entries {
            if let question = entry["q"], let gateway = entry.text("g") { answer(question, gateway) }
        }
        let found: [(OneShotPromise<Outcome>, CallOutcome)] = state.withLock { state in
            if let last = entries.last { state.lastRead = last.id }
            return entries.compactMap { entry in
                guard let outcome = entry["o"].flatMap(LinkDatabase.outcome), let key = entry.callKey,
                    let waiter = state.waiters.removeValue(forKey: key)
                else { return nil }
                return (waiter, outcome)
            }
        }
        for (waiter, outcome) in found { waiter.fulfill(.success(outcome)) }
    }

    /// Reads what is in a partition that the worker has got.
    func takeOver(_ partition: Int, _ token: Int) async {
        while !state.withLock({ $0.isClosed }) {
            do {
                let found = try await database.takeOver(partition, token, of: id, limit: limits.legacy)
                guard let legacy = found else { return change { $0.session.refused(partition, token: token) } }
                change { $0.session.tookOver(partition, token: token, legacy) }
                // It is read from now on; without this, within a second.
                try? await database.wake(id)
                return
            } catch {
                errorLog.log(error, "can't take over a partition")
                try? await Task.sleep(for: Self.pause)
            }
        }
    }

    /// Puts messages into the robot's inbox.
    func hear(_ messages: [Message], _ inbox: Inbox, _ robot: Robot?) {
        let ids = messages.map(\.id)
        // Those that end before it is known whether the robot has refused them, because it stops; nil after that.
        let early = EarlyEnds()
        let unhandled = inbox.receive(messages) { [weak self] index in
            if early.isOver(adding: ids[index]) { self?.ended([ids[index]]) }
        }
        // What the robot has perhaps refused is left to another worker.
        let isRefused = robot?.isStopping != false
        let ends = early.close() + unhandled.map { ids[$0] }
        if !isRefused, !ends.isEmpty { ended(ends) }
    }

    private func ended(_ ids: [Message.ID]) { change { $0.session.ended(ids) } }
}

/// The messages that have ended while they are being put into an inbox.
private final class EarlyEnds: Sendable {
    private let ids = Mutex<[Message.ID]?>([])

    /// Whether the messages are in the inbox; otherwise notes that one has ended.
    func isOver(adding id: Message.ID) -> Bool {
        ids.withLock { ids in
            ids?.append(id)
            return ids == nil
        }
    }

    /// The messages are in the inbox; returns those that have ended before.
    func close() -> [Message.ID] {
        ids.withLock { ids in
            defer { ids = nil }
            return ids ?? []
        }
    }
}

extension StreamEntry {
    /// By what the worker finds who waits for this outcome.
    fileprivate var callKey: LinkWorkerSession.CallKey? {
        if let number = text("n").flatMap({ Int($0) }) { return .number(number) }
        guard let entry = text("e"), let partition = text("k").flatMap({ Int($0) }), let place = text("p") else {
            return nil
        }
        return .message(entry: entry, partition: partition, place: place)
    }
}
