extension Robot {
    /// Sends texts to a room, without a message that they answer.
    ///
    /// Each text is a message of its own.
    ///
    /// - Parameters:
    ///   - room: The room's name with its adapter, such as `irc:#swift`; the adapter may be omitted if there is only one.
    ///   - texts: The texts, in this order.
    /// - Throws: ``RobotError`` if the adapter is unknown or ambiguous, and what the adapter throws.
    public func messageRoom(_ room: String, _ texts: String...) async throws {
        let id = try self.room(room)
        for text in texts { try await deliver(.text(text), to: Envelope(room: Room(id: id))) }
    }

    /// Sends texts to a room, without a message that they answer.
    ///
    /// Each text is a message of its own.
    public func messageRoom(_ room: Room.ID, _ texts: String...) async throws {
        for text in texts { try await deliver(.text(text), to: Envelope(room: Room(id: room))) }
    }

    /// Sends a file to a room, or ``Attachment/plainText`` if the service doesn't support files.
    ///
    /// - Parameters:
    ///   - room: The room's name with its adapter, such as `xmpp:dev@conference.example.org`; the adapter may be omitted if there
    ///     is only one.
    ///   - attachment: The file.
    /// - Throws: ``AttachmentError`` if the file is too large, ``RobotError`` if the adapter is unknown or ambiguous, and what the
    ///   adapter throws.
    public func messageRoom(_ room: String, _ attachment: Attachment) async throws {
        try await messageRoom(self.room(room), attachment)
    }

    /// Sends a file to a room, or ``Attachment/plainText`` if the service doesn't support files.
    public func messageRoom(_ room: Room.ID, _ attachment: Attachment) async throws {
        try attachment.checkSize()
        try await deliver(.attachment(attachment), to: Envelope(room: Room(id: room)))
    }

    /// Delivers an utterance through the adapter of the envelope's room, and passes it to the observers of deliveries.
    package func deliver(_ utterance: Utterance, to envelope: Envelope) async throws {
        _ = try await send(utterance, to: envelope)
    }

    /// Delivers an utterance that no script observes, such as a relayed text.
    package func deliverUnobserved(_ utterance: Utterance, to envelope: Envelope) async throws {
        _ = try await sendUnobserved(utterance, to: envelope)
    }

    /// Delivers as ``deliver(_:to:)`` does.
    ///
    /// - Returns: The message's id; nil if it can't be changed.
    func send(_ utterance: Utterance, to envelope: Envelope) async throws -> Message.ID? {
        let id = try await sendUnobserved(utterance, to: envelope)
        await showObservers(utterance, envelope, isEdit: false)
        return id
    }

    /// Shows the observers of deliveries what the robot has said.
    ///
    /// - Parameter isEdit: Whether it replaces an earlier utterance.
    func showObservers(_ utterance: Utterance, _ envelope: Envelope, isEdit: Bool) async {
        for observer in dispatcher.registry.deliveryObservers where switches.isOn(observer.script, in: envelope.room) {
            await observer.observation(utterance, envelope, isEdit, self)
        }
    }

    private func sendUnobserved(_ utterance: Utterance, to envelope: Envelope) async throws -> Message.ID? {
        let name = envelope.room.id.adapter
        let id: Message.ID?
        if let adapter = messageChangers.first(where: { $0.name == name }) {
            id = try await adapter.send(utterance, to: envelope)
        } else if let adapter = adapters.first(where: { $0.name == name }) {
            try await adapter.deliver(utterance, to: envelope)
            id = nil
        } else {
            throw RobotError.unknownAdapter(name, known: adapters.map(\.name))
        }
        metrics.sent(by: name)
        return id
    }

    /// The adapter of a room, if it has that capability.
    package func adapter<Capability>(of room: Room, as capability: Capability.Type) -> Capability? {
        adapters.first { $0.name == room.id.adapter } as? Capability
    }

    private func room(_ text: String) throws -> Room.ID {
        if let id = Room.ID(text), adapters.contains(where: { $0.name == id.adapter }) { return id }
        guard adapters.count == 1 else {
            throw RobotError.ambiguousRoom(room: text, known: adapters.map(\.name))
        }
        return Room.ID(adapter: adapters[0].name, value: text)
    }
}
