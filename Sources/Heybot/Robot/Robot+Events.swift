extension Robot {
    /// Tells every script that waits for the event, in registration order; returns when all have dealt with it.
    public func emit<Payload>(_ event: Event<Payload>, _ payload: Payload) async {
        for handler in handlers where handler.event == event.name && !switches.off.contains(handler.script) {
            await run(ScriptPart(script: handler.script, part: "on \(event.name)")) { robot in
                try await handler.handle(payload, robot)
            }
        }
    }
}
