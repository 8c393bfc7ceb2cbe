import Logging

/// What one run of a listener and its ``Response`` work with: the robot, the listener, and the message.
struct ListenerRunContext: Sendable {
    let robot: Robot
    /// A reference, because the context is copied often.
    private let registered: IndexedListener
    let inbound: InFlightMessage

    init(robot: Robot, registered: IndexedListener, inbound: InFlightMessage) {
        (self.robot, self.registered, self.inbound) = (robot, registered, inbound)
    }

    var listener: Listener { registered.listener }
    var message: Message { inbound.message }

    /// Where an answer goes: the room of the message.
    var envelope: Envelope { message.answerEnvelope }

    /// Where a direct message to the sender goes; the room of the message if the adapter has no direct messages.
    var privateEnvelope: Envelope {
        let adapter = robot.adapter(of: message.room, as: (any PrivateMessaging).self)
        guard !message.room.isPrivate, let adapter else { return envelope }
        var envelope = envelope
        envelope.room = adapter.privateRoom(of: message.user)
        envelope.thread = nil
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
        if listener.trigger == .catchAll { robot.dispatcher.markHandled(inbound) }
    }

    /// Whether a script is enabled in the message's room.
    func isOn(_ script: String) -> Bool { robot.switches.isOn(script, in: message.room) }

    /// Sends an answer to the message, through the response middleware.
    ///
    /// - Parameter other: Where to send it; nil for the message's room.
    /// - Returns: The message that was sent; nil if middleware dropped the answer.
    /// - Throws: `CancellationError` if the closure's deadline has passed, and what middleware and the adapter throw.
    @discardableResult
    func send(_ utterance: Utterance, to other: Envelope? = nil) async throws -> SentMessage? {
        let envelope = other ?? envelope
        guard let passed = try await passResponseMiddleware(utterance, to: envelope) else { return nil }
        let id = try await deliver(passed, to: envelope)
        return SentMessage(id: id, envelope: envelope, utterance: utterance, context: self)
    }

    /// Sends a text whose delivery a script waits for.
    ///
    /// - Parameter isPrivate: Whether it goes to the user alone, if the adapter can do that.
    func sendTracked(_ text: String, privately isPrivate: Bool) async throws -> SentMessage {
        var envelope = isPrivate ? privateEnvelope : envelope
        try checkReachesUser(envelope)
        envelope.isTracked = true
        return try await send(.text(text), to: envelope)
            ?? SentMessage(id: nil, envelope: envelope, utterance: nil, context: self)
    }

    /// - Throws: A refusal if the envelope is that of a direct message that could reach another user.
    func checkReachesUser(_ envelope: Envelope) throws {
        // Somebody else may have the name of a user who isn't there.
        guard envelope.room.id != message.room.id, inbound.delegation?.reachesUser == false else { return }
        throw Refusal("I can't send \(message.user.name) the answer privately, because I don't see them now.")
    }

    /// Shows in the room that the robot is writing, if it is this context's run that is running.
    func showTyping() {
        guard let scriptRun = ScriptRun.current, scriptRun.inbound === inbound else { return }
        scriptRun.beginTyping()
    }

    /// Sends answers in order.
    ///
    /// - Returns: The message of the last one.
    func sendAll(_ utterances: [Utterance]) async throws -> SentMessage {
        var last: SentMessage?
        for utterance in utterances { last = try await send(utterance) }
        return last ?? SentMessage(id: nil, envelope: envelope, utterance: nil, context: self)
    }

    /// Replaces the content of a message that was sent, through the response middleware; if its adapter can't do that, the new
    /// content is sent as a further message.
    func edit(_ id: Message.ID?, to utterance: Utterance, in envelope: Envelope) async throws {
        guard let passed = try await passResponseMiddleware(utterance, to: envelope) else { return }
        if let id, try await change(id, .edit(passed), in: envelope) { return }
        _ = try await deliver(passed, to: envelope)
    }

    /// Changes a message.
    ///
    /// - Returns: False if its adapter can't do that.
    func change(_ id: Message.ID, _ change: MessageChange, in envelope: Envelope) async throws -> Bool {
        try checkMaySend()
        guard try await robot.change(id, change, in: envelope) else { return false }
        inbound.countAnswer()
        return true
    }

    /// What middleware makes of an utterance; nil if it drops it.
    private func passResponseMiddleware(_ utterance: Utterance, to envelope: Envelope) async throws -> Utterance? {
        var utterance = utterance
        for entry in robot.dispatcher.registry.middleware.response(for: listener) where isOn(entry.script) {
            let present = utterance
            let next = try await AttributedError.attributing(
                to: RunningScriptPart(script: entry.script, part: "response middleware")
            ) {
                try await entry.run(present, envelope, robot)
            }
            guard let next else { return nil }
            utterance = next
        }
        return utterance
    }

    /// - Throws: `CancellationError` if the closure's deadline has passed.
    private func checkMaySend() throws {
        try Task.checkCancellation()
        if ScriptRun.current?.isCancelled == true { throw CancellationError() }
    }

    /// Delivers an utterance, and counts it as an answer.
    private func deliver(_ utterance: Utterance, to envelope: Envelope) async throws -> Message.ID? {
        try checkMaySend()
        let limiter = robot.dispatcher.commandLimiter
        let unsaid = limiter.queuedLines(for: envelope)
        let id = try await robot.send(utterance, to: envelope)
        // The user of a scheduled command may not even be there.
        if inbound.isRequested {
            limiter.countAnswer(utterance, to: message, envelope, unsaid: unsaid)
        }
        inbound.countAnswer()
        return id
    }
}

extension Message {
    /// Where an answer to it goes: to its room.
    package var answerEnvelope: Envelope {
        var envelope = Envelope(room: room, user: user, message: id)
        if let thread { envelope.thread = thread }
        return envelope
    }
}
