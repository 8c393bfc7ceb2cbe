import DequeModule
import HeybotSupport
import Logging

// What has to happen at a time.

extension GatewaySession {
    /// When ``tick(at:)`` has to be called next; nil if nothing depends on the time.
    package var nextTick: Duration? {
        var next = restartAt
        if let stopBy, workers.values.contains(where: { $0.phase != .fenced }) { next = Duration.earlier(next, stopBy) }
        for worker in workers.values { next = Duration.earlier(next, deadline(of: worker)) }
        return next
    }

    /// When something has to be done about a worker; nil if nothing does.
    private func deadline(of worker: Worker) -> Duration? {
        switch worker.phase {
        case .starting: return Duration.earlier(worker.since + limits.startTime, hangDeadline(of: worker))
        case .ready: return hangDeadline(of: worker)
        case .draining:
            let isHeld = !waiting.isEmpty && !worker.hasReleasedRooms
            let held = isHeld ? worker.since + limits.heldTime : nil
            return Duration.earlier(Duration.earlier(worker.since + limits.drainTime, held), hangDeadline(of: worker))
        case .leaving: return worker.since + limits.leaveTime
        case .fenced: return nil
        }
    }

    /// When a worker that has messages is asked whether it is there, or given up; nil if it has none.
    private func hangDeadline(of worker: Worker) -> Duration? {
        guard !worker.open.isEmpty else { return nil }
        return worker.pinged.map { $0 + limits.hangTime } ?? worker.lastHeard + limits.pingAfter
    }

    /// Does what is due.
    package mutating func tick(at now: Duration) -> [GatewayAction] {
        guard !isOver else { return [] }
        var actions: [GatewayAction] = []
        for generation in workers.keys.sorted() { actions += check(generation, at: now) }
        if let stopBy, stopBy <= now {
            for generation in workers.keys.sorted() where workers[generation]?.phase != .fenced {
                actions += fence(generation, at: now)
            }
        }
        if let restartAt, restartAt <= now {
            self.restartAt = nil
            if current == nil, starting == nil, !isStopping { actions += startWorker(at: now) }
        }
        return actions + distribute(at: now)
    }

    private mutating func check(_ generation: Int, at now: Duration) -> [GatewayAction] {
        guard let worker = workers[generation] else { return [] }
        let time = now - worker.since
        switch worker.phase {
        case .starting:
            guard time >= limits.startTime else { return [] }
            let text = "a worker hasn't started within \(limits.startTime), and is being killed"
            return [.log(.error, text, script: nil)] + fence(generation, at: now)
        case .ready: return checkPresence(of: generation, worker, at: now)
        case .draining:
            if time >= limits.heldTime { workers[generation]?.hasReleasedRooms = true }
            guard time >= limits.drainTime else { return checkPresence(of: generation, worker, at: now) }
            let text = "a worker that was replaced hasn't finished within \(limits.drainTime), and is being killed"
            return [.log(.warning, text, script: nil)] + fence(generation, at: now)
        case .leaving: return time >= limits.leaveTime ? fence(generation, at: now) : []
        case .fenced: return []
        }
    }

    private mutating func checkPresence(
        of generation: Int, _ worker: Worker, at now: Duration
    ) -> [GatewayAction] {
        guard let deadline = hangDeadline(of: worker), deadline <= now else { return [] }
        guard worker.pinged != nil else {
            lastPing += 1
            workers[generation]?.pinged = now
            return [.send(.ping(lastPing), to: generation)]
        }
        let text = "a worker hasn't responded for \(limits.hangTime), and is being killed"
        let notice = "My scripts didn't respond any more, so I've started them again."
        return [.log(.error, text, script: nil)] + fence(generation, at: now) + notify(notice, at: now)
    }
}
