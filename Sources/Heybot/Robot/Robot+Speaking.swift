extension Robot {
    /// Says something in a room outside of any conversation, each text a message of its own.
    ///
    /// The room is named as `irc:#swift`, or without the adapter if there is only one.
    ///
    /// - Throws: ``RobotError`` if the adapter isn't clear, and what the adapter throws.
    public func messageRoom(_ room: String, _ texts: String...) async throws {
        let id = try self.room(room)
        for text in texts { try await deliver(.text(text), to: Envelope(room: Room(id: id))) }
    }

    /// Says something in a room outside of any conversation, each text a message of its own.
    public func messageRoom(_ room: Room.ID, _ texts: String...) async throws {
        for text in texts { try await deliver(.text(text), to: Envelope(room: Room(id: room))) }
    }

    /// Tells the adapter whose room it is.
    func deliver(_ utterance: Utterance, to envelope: Envelope) async throws {
        let name = envelope.room.id.adapter
        guard let adapter = adapters.first(where: { $0.name == name }) else {
            throw RobotError.noAdapter(name, known: adapters.map(\.name))
        }
        try await adapter.deliver(utterance, to: envelope)
        counters.sent(by: name)
    }

    /// The adapter whose room it is, if it can do that.
    func adapter<Ability>(of room: Room, as ability: Ability.Type) -> Ability? {
        adapters.first { $0.name == room.id.adapter } as? Ability
    }

    private func room(_ text: String) throws -> Room.ID {
        if let id = Room.ID(text), adapters.contains(where: { $0.name == id.adapter }) { return id }
        guard adapters.count == 1 else {
            throw RobotError.whichAdapter(room: text, known: adapters.map(\.name))
        }
        return Room.ID(adapter: adapters[0].name, value: text)
    }
}
