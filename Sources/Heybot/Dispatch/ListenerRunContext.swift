import Logging

/// What one run of a listener and its ``Response`` work with: the robot, the listener, and the message.
struct ListenerRunContext: Sendable {
    let robot: Robot
    let listener: Listener
    let inbound: InFlightMessage

    var message: Message { inbound.message }

    /// Where an answer goes: the room of the message.
    var envelope: Envelope {
        let message = message
        var envelope = Envelope(room: message.room, user: message.user, message: message.id)
        envelope.isHint = listener.trigger == .catchAll
        return envelope
    }

    /// Where a direct message to the sender goes; the room of the message if the adapter has no direct messages.
    var privateEnvelope: Envelope {
        let adapter = robot.adapter(of: message.room, as: (any PrivateMessaging).self)
        guard !message.room.isPrivate, let adapter else { return envelope }
        var envelope = envelope
        envelope.room = adapter.privateRoom(of: message.user)
        return envelope
    }

    /// The robot's logger, with the script, the listener, the message, the room and the user as metadata.
    var logger: Logger {
        var logger = robot.logger
        logger[metadataKey: "script"] = "\(listener.script)"
        logger[metadataKey: "listener"] = "\(listener.id)"
        logger[metadataKey: "message"] = "\(message.id)"
        logger[metadataKey: "room"] = "\(message.room.id)"
        logger[metadataKey: "user"] = "\(message.user.id)"
        return logger
    }

    /// Stops the listeners after this one.
    func finish() {
        inbound.finish()
    }

    /// Whether a script is enabled in the message's room.
    func isOn(_ script: String) -> Bool { robot.switches.isOn(script, in: message.room) }

    /// Sends an answer to the message, through the response middleware.
    ///
    /// - Parameter other: Where to send it; nil for the message's room.
    /// - Returns: False if middleware dropped the answer.
    /// - Throws: `CancellationError` if the closure's deadline has passed, and what middleware and the adapter throw.
    @discardableResult
    func send(_ utterance: Utterance, to other: Envelope? = nil) async throws -> Bool {
        let envelope = other ?? envelope
        var utterance = utterance
        for entry in robot.dispatcher.registry.middleware.response(for: listener) where isOn(entry.script) {
            let present = utterance
            let next = try await AttributedError.attributing(
                to: RunningScriptPart(script: entry.script, part: "response middleware")
            ) {
                try await entry.run(present, envelope, robot)
            }
            guard let next else { return false }
            utterance = next
        }
        try Task.checkCancellation()
        if ScriptRun.current?.isCancelled == true { throw CancellationError() }
        let limiter = robot.dispatcher.commandLimiter
        let unsaid = limiter.queuedLines(for: envelope)
        try await robot.deliver(utterance, to: envelope)
        // The user of a scheduled command may not even be there.
        if inbound.isRequested {
            limiter.countAnswer(utterance, to: message, envelope, unsaid: unsaid)
        }
        inbound.countAnswer()
        return true
    }
}
