import Synchronization

extension Robot {
    /// Calls every script's handler of an event, in registration order.
    ///
    /// Returns when all have ended.
    public func emit<Payload>(_ event: ScriptEvent<Payload>, _ payload: Payload) async {
        for handler in handlers where handler.event == event.name && !switches.off.contains(handler.script) {
            await runner.run(RunningScriptPart(script: handler.script, part: "on \(event.name)")) {
                try await handler.handle(payload, self)
            }
        }
    }
}

/// Work that a script does once after a delay, or periodically.
struct RegisteredTimer: Sendable {
    let script: String
    let delay: Duration
    let repeats: Bool
    let run: @Sendable (Robot) async throws -> Void
}

extension Robot {
    func startRegisteredTimers() {
        for timer in startTimers { start(timer) }
    }

    /// Fires no more timers that scripts have registered, because the same ones are registered in another process.
    package func endRegisteredTimers() { hasEndedTimers.store(true, ordering: .releasing) }

    /// Has the timers that scripts have registered do nothing, or work again, because another process fires them meanwhile.
    package func holdRegisteredTimers(_ holds: Bool) { holdsTimers.store(holds, ordering: .releasing) }

    private func start(_ timer: RegisteredTimer) {
        timers.after(timer.delay) { [weak self] in
            guard let self, !self.hasEndedTimers.load(ordering: .acquiring) else { return }
            inFlight.begin()
            Task { [self] in
                if !switches.off.contains(timer.script), !holdsTimers.load(ordering: .acquiring) {
                    await runner.run(RunningScriptPart(script: timer.script, part: timer.repeats ? "every" : "after")) {
                        try await timer.run(self)
                    }
                }
                if timer.repeats { start(timer) }
                inFlight.end()
            }
        }
    }
}
