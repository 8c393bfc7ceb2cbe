extension Robot {
    /// Calls every script's handler of an event, in registration order.
    ///
    /// Returns when all have ended.
    public func emit<Payload>(_ event: ScriptEvent<Payload>, _ payload: Payload) async {
        for handler in handlers where handler.event == event.name && !switches.off.contains(handler.script) {
            await runner.run(ScriptOrigin(script: handler.script, part: "on \(event.name)")) {
                try await handler.handle(payload, self)
            }
        }
    }
}

/// Work that a script does once after a delay, or periodically.
struct ScheduledWork: Sendable {
    let script: String
    let delay: Duration
    let repeats: Bool
    let run: @Sendable (Robot) async throws -> Void
}

extension Robot {
    func startSchedule() {
        for work in schedule { start(work) }
    }

    private func start(_ work: ScheduledWork) {
        timers.after(work.delay) { [weak self] in
            guard let self else { return }
            inFlight.begin()
            Task { [self] in
                if !switches.off.contains(work.script) {
                    await runner.run(ScriptOrigin(script: work.script, part: work.repeats ? "every" : "after")) {
                        try await work.run(self)
                    }
                }
                if work.repeats { start(work) }
                inFlight.end()
            }
        }
    }
}
