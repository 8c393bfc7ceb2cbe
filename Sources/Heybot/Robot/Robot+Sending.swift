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

    /// Delivers through the adapter of the envelope's room.
    package func deliver(_ utterance: Utterance, to envelope: Envelope) async throws {
        let name = envelope.room.id.adapter
        guard let adapter = adapters.first(where: { $0.name == name }) else {
            throw RobotError.unknownAdapter(name, known: adapters.map(\.name))
        }
        try await adapter.deliver(utterance, to: envelope)
        metrics.sent(by: name)
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
