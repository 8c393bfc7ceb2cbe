/// Something a script does later, or again and again.
struct ScheduledWork: Sendable {
    let script: String
    let delay: Duration
    let repeats: Bool
    let run: @Sendable (Robot) async throws -> Void
}

/// Delayed work that has not been done yet.
public struct Appointment: Sendable {
    fileprivate let timers: Timers
    fileprivate let token: Timers.Token

    /// Takes it back; nothing where it is being done or done already.
    public func cancel() {
        timers.cancel(token)
    }
}

extension Robot {
    func startSchedule() {
        for work in schedule { start(work) }
    }

    private func start(_ work: ScheduledWork) {
        timers.after(work.delay) { [weak self] in
            guard let self else { return }
            activity.begin()
            Task { [self] in
                await run(ScriptPart(script: work.script, part: work.repeats ? "every" : "after"), work.run)
                if work.repeats { start(work) }
                activity.end()
            }
        }
    }

    // MARK: Events

    /// Tells every script that waits for the event, in registration order; returns when all have dealt with it.
    public func emit<Payload>(_ event: Event<Payload>, _ payload: Payload) async {
        for handler in handlers where handler.event == event.name {
            await run(ScriptPart(script: handler.script, part: "on \(event.name)")) { robot in
                try await handler.handle(payload, robot)
            }
        }
    }
}

extension Response {
    /// Does it later: `res.after(.minutes(10)) { try await res.reply("Tea is ready.") }`.
    ///
    /// It has a deadline of its own, and ends with the robot: what must outlive that belongs in the brain.
    @discardableResult
    public func after(_ delay: Duration, _ work: @escaping @Sendable () async throws -> Void) -> Appointment {
        let (robot, exchange) = (exchange.robot, exchange)
        let token = robot.timers.after(delay) { [weak robot] in
            guard let robot else { return }
            robot.activity.begin()
            Task {
                let lane = Lane(robot.pool, ScriptPart(script: exchange.listener.script, part: exchange.listener.id))
                await robot.report(await robot.invoke(on: lane, deadline: exchange.listener.deadline, work), exchange)
                robot.activity.end()
            }
        }
        return Appointment(timers: robot.timers, token: token)
    }
}
