import Heybot
import HeybotSupport
import Logging

// The ends of workers: what becomes of their messages, and what comes after them.

extension GatewaySession {
    /// A worker's process has ended, or couldn't be started, and everything that it has sent was received.
    ///
    /// - Parameter chance: A random number from 0 to 1.
    package mutating func ended(
        _ generation: Int, _ end: WorkerEnd, at now: Duration, chance: Double
    ) -> [GatewayAction] {
        guard let worker = workers.removeValue(forKey: generation) else { return [] }
        let wasStarting = starting == generation
        if current == generation { current = nil }
        if wasStarting { starting = nil }
        if isStopping {
            let actions = worker.open.sorted().flatMap { finish($0) }
            return actions + (workers.isEmpty && !isOver ? finishStopping() : [])
        }
        var actions: [GatewayAction] = []
        if wasStarting {
            actions += report(failedStart: end, at: now)
        } else {
            if worker.phase != .leaving { actions += report(end, worker, at: now) }
            // What it has changed last, such as roles, must be read again.
            if let current { actions.append(.send(.reload, to: current)) }
        }
        actions += replace(end, wasStarting: wasStarting, at: now, chance)
        return actions + distribute(at: now)
    }

    private mutating func report(failedStart end: WorkerEnd, at now: Duration) -> [GatewayAction] {
        var text = "the new worker couldn't start: \(end.reason)"
        if let crash = end.crash { text += ", in \(crash.words)" }
        if current != nil { text += "; the previous one goes on" }
        let counted = end.crash.map { count($0, at: now) } ?? []
        return [.log(.error, text, script: end.crash?.script)] + counted
    }

    /// Logs the end of a worker that had started, tells the users whom it affects, and makes its messages wait again.
    private mutating func report(_ end: WorkerEnd, _ worker: Worker, at now: Duration) -> [GatewayAction] {
        var actions: [GatewayAction] = []
        let text = end.crash.map { "a worker was ended by \($0.words)" } ?? "a worker has ended: \(end.reason)"
        actions.append(.log(.error, "\(text); the next one takes over its messages", script: end.crash?.script))
        if let crash = end.crash {
            let part = crash.listener ?? crash.script
            let disabling = count(crash, at: now)
            actions +=
                disabling.isEmpty
                ? notify("My script \(crash.script) has crashed (\(crash.signal) in \(part)). I'm back.", at: now)
                : disabling
        } else if worker.phase != .fenced {
            // Of a worker that this process has killed, the admins know already what they need to know.
            actions += notify("The process of my scripts has ended (\(end.reason)). I'm back.", at: now)
        }
        let culprit = worker.open.first { number in
            guard let message = end.crash?.message else { return false }
            return entries[number]?.message.id == message
        }
        actions += endAnswers(among: worker.open.filter { $0 != culprit })
        var innocent: [Int] = []
        for number in worker.open.sorted() {
            guard let message = entries[number]?.message else { continue }
            if number == culprit, let crash = end.crash {
                actions.append(
                    .tell(message.answerEnvelope, "Sorry, that made me crash (\(crash.script)). I'm back, without it."))
                actions += finish(number)
                continue
            }
            // If the crash was of a message that counts as done, such as after a question, these are innocent.
            if culprit == nil, end.crash?.message == nil {
                entries[number]?.suspicions += 1
                if entries[number]?.suspicions ?? 0 >= limits.attempts {
                    actions.append(.tell(message.answerEnvelope, "Sorry, I couldn't do that: I crashed each time."))
                    actions += finish(number)
                    continue
                }
            }
            innocent.append(number)
        }
        putBack(innocent)
        return actions + tellAboutLost(worker.claims)
    }

    /// Tells users that the questions to them can't be answered any more.
    func tellAboutLost(_ claims: [Claim]) -> [GatewayAction] {
        claims.map { claim in .tell(Envelope(room: claim.room, user: claim.user), Claim.apology) }
    }

    /// Ends the messages that have answered a question: the worker that handled them has ended, and no other knows the question.
    mutating func endAnswers(among numbers: Set<Int>) -> [GatewayAction] {
        var actions: [GatewayAction] = []
        for number in numbers.sorted() {
            guard let entry = entries[number], entry.isAnswer else { continue }
            if !isStopping { actions.append(.tell(entry.message.answerEnvelope, Claim.apology)) }
            actions += finish(number)
        }
        return actions
    }

    private mutating func count(_ crash: WorkerCrash, at now: Duration) -> [GatewayAction] {
        guard let dates = crashes.add(crash.script, at: now, crash.date) else { return [] }
        disabled[crash.script] = dates
        let minutes = limits.crashWindow.components.seconds / 60
        let name = crash.script
        let state = "has crashed \(dates.count) workers within \(minutes) minutes, and is being disabled"
        let fix = "correct the script, then say \"enable \(name)\""
        return [
            .log(.error, "the script \(name) \(state): \(fix)", script: name),
            .tellAdmins(
                "My script \(name) has crashed \(dates.count) times within \(minutes) minutes, so I'm disabling it. "
                    + "Correct it, then say \"enable \(name)\".")
        ]
    }

    /// Tells the admins something, unless they got a lot lately; the log has it anyway.
    mutating func notify(_ text: String, at now: Duration) -> [GatewayAction] {
        guard notices.isAvailable(at: now) else { return [] }
        notices.consume(at: now)
        return [.tellAdmins(text)]
    }

    /// Starts the next worker if there is none, now or later.
    private mutating func replace(
        _ end: WorkerEnd, wasStarting: Bool, at now: Duration, _ chance: Double
    ) -> [GatewayAction] {
        guard starting == nil else { return [] }
        if wasStarting, swapsAgain {
            // What has kept it from starting may have been corrected since.
            swapsAgain = false
            return startWorker(at: now)
        }
        guard current == nil else { return [] }
        if wasStarting {
            // Statuses from sysexits(3): the settings or the machine are the reason, and trying again doesn't help.
            if !hasBeenReady, let status = end.status, 64...78 ~= status {
                isOver = true
                return [.stopped(status: status)]
            }
            if !hasBeenReady {
                failedStarts += 1
                // EX_SOFTWARE: a supervisor knows then that the robot doesn't run.
                if failedStarts >= limits.starts {
                    isOver = true
                    return [.log(.error, "no worker can start, so the gateway ends", script: nil), .stopped(status: 70)]
                }
            }
            restartAt = now + startBackoff.next(chance: chance)
            return []
        }
        guard restarts.isAvailable(at: now) else {
            restartAt = restarts.nextAvailable ?? now
            return []
        }
        restarts.consume(at: now)
        return startWorker(at: now)
    }
}
