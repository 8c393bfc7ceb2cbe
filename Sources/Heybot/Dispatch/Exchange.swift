import Logging

/// One listener's part in one message: what a ``Response`` works with.
struct Exchange: Sendable {
    let robot: Robot
    let listener: Listener
    let delivery: Delivery

    var message: Message { delivery.message }

    var envelope: Envelope {
        var envelope = Envelope(room: message.room, user: message.user, message: message.id)
        envelope.isHint = listener.trigger == .catchAll
        return envelope
    }

    /// Where only whoever wrote the message hears it, or where it came from if there is no such place.
    var privateEnvelope: Envelope {
        let adapter = robot.adapter(of: message.room, as: (any PrivateMessaging).self)
        guard !message.room.isPrivate, let adapter else { return envelope }
        var envelope = envelope
        envelope.room = adapter.privateRoom(of: message.user)
        return envelope
    }

    var logger: Logger {
        var logger = robot.logger
        logger[metadataKey: "script"] = "\(listener.script)"
        logger[metadataKey: "listener"] = "\(listener.id)"
        logger[metadataKey: "message"] = "\(message.id)"
        logger[metadataKey: "room"] = "\(message.room.id)"
        logger[metadataKey: "user"] = "\(message.user.id)"
        return logger
    }

    func finish() {
        delivery.finish()
    }

    /// Whether a script is on where the message came from.
    func isOn(_ script: String) -> Bool { robot.switches.isOn(script, in: message.room) }

    /// Says it in answer to the message; false if middleware keeps it unsaid.
    ///
    /// A closure that has been given up can't speak any more.
    @discardableResult
    func say(_ utterance: Utterance, to other: Envelope? = nil) async throws -> Bool {
        let envelope = other ?? envelope
        var utterance = utterance
        for (script, run) in robot.dispatcher.middleware.response where isOn(script) {
            let present = utterance
            let next = try await BlamedError.blaming(ScriptPart(script: script, part: "response middleware")) {
                try await run(present, envelope, robot)
            }
            guard let next else { return false }
            utterance = next
        }
        try Task.checkCancellation()
        if Invocation.current?.isCancelled == true { throw CancellationError() }
        let limits = robot.dispatcher.commandLimits
        let unsaid = limits.unsaidLines(for: envelope)
        try await robot.deliver(utterance, to: envelope)
        limits.countAnswer(utterance, to: message, envelope, unsaid: unsaid)
        delivery.countAnswer()
        return true
    }
}
