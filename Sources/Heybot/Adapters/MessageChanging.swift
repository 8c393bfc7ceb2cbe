/// What a service can do with messages.
///
/// What it can't do, the robot does with plain texts or leaves out.
public enum MessageFeature: String, CaseIterable, Codable, Hashable, Sendable {
    /// A message can be marked as the reply to another; without it, a reply only begins with the user's name.
    case replies
    /// Messages can belong to a thread; without it, they are ordinary messages in the room.
    case threads
    /// The robot can edit its messages; without it, the new text is a further message.
    case edits
    /// The robot can react to messages; without it, nothing is sent.
    case reactions
    /// The robot can retract its messages; without it, they stay.
    case retractions
    /// Users see that the robot is writing; without it, they see nothing.
    case typing
    /// The robot can wait until a message has arrived; without it, waiting for that throws an error.
    case delivery
    /// The robot can wait until somebody has read a message; without it, waiting for that throws an error.
    case reading
}

/// How far a message of the robot has come.
public enum DeliveryStage: Int, Codable, Hashable, Sendable {
    /// It has arrived: in a room, or at a user's client.
    case delivered
    /// The user has seen it.
    case seen
}

/// A change of a message that was sent or received before.
public enum MessageChange: Hashable, Sendable {
    /// The robot's message gets another content.
    case edit(Utterance)
    /// The robot reacts to the message, usually with an emoji; it has 64 bytes at most.
    case react(String)
    /// The robot takes back a reaction to the message.
    case unreact(String)
    /// The robot's message is retracted.
    case retract
}

/// An adapter whose service lets users change messages after they were sent, or react to them.
public protocol MessageChanging: Adapter {
    /// What the service can do.
    var messageFeatures: Set<MessageFeature> { get }

    /// Sends an utterance, as ``Adapter/deliver(_:to:)`` does.
    ///
    /// - Returns: The message's id, by which it can be changed; nil if it can't be.
    func send(_ utterance: Utterance, to envelope: Envelope) async throws -> Message.ID?

    /// Changes a message of this adapter.
    ///
    /// - Parameters:
    ///   - message: The id of a message that the robot has sent, or, for reactions, received.
    ///   - change: The change.
    ///   - envelope: Where the message was sent.
    /// - Returns: False if the service can't change this message like that, for example because the message is too old.
    func change(_ message: Message.ID, _ change: MessageChange, in envelope: Envelope) async throws -> Bool

    /// Shows in the envelope's room that the robot is writing, or that it has stopped.
    ///
    /// While the robot writes, this is called every three seconds. What the robot sends to the room ends the writing too; the call
    /// that ends it follows nevertheless, and then shows nothing. The method returns at once.
    func showTyping(_ isTyping: Bool, in envelope: Envelope)

    /// Waits until a message has come so far.
    ///
    /// This is called only for tracked messages (``Envelope/isTracked``), and for stages that ``messageFeatures`` has. By default,
    /// a message has arrived when ``send(_:to:)`` has returned.
    ///
    /// - Parameters:
    ///   - message: The id of a message that the robot has sent.
    ///   - stage: How far it has to come.
    ///   - limit: How long to wait.
    ///   - envelope: Where the message was sent.
    /// - Returns: False if the service doesn't confirm it within the limit.
    /// - Throws: ``AdapterError`` if the service never confirms that.
    func waitUntil(
        _ message: Message.ID, is stage: DeliveryStage, within limit: Duration, in envelope: Envelope
    ) async throws -> Bool
}

extension AdapterError {
    /// The error if a message wasn't sent to be confirmed.
    fileprivate static let untracked = AdapterError(
        .unsupported, "I can't tell what became of that message: send it with `send(tracked:)`")

    /// The error if a service doesn't confirm that a message has come so far.
    fileprivate static func unconfirmable(_ stage: DeliveryStage, by adapter: String) -> AdapterError {
        let what = stage == .delivered ? "the message has arrived" : "the message was read"
        return AdapterError(.unsupported, "I can't tell whether \(what), because \(adapter) doesn't confirm that")
    }
}

extension MessageChanging {
    /// Does nothing, which is right if the service shows no writing.
    public func showTyping(_ isTyping: Bool, in envelope: Envelope) {}

    /// Returns true for a message that has to arrive, which is right if ``send(_:to:)`` waits for that.
    ///
    /// - Throws: ``AdapterError`` if it has to be seen.
    public func waitUntil(
        _ message: Message.ID, is stage: DeliveryStage, within limit: Duration, in envelope: Envelope
    ) async throws -> Bool {
        guard stage == .delivered else { throw AdapterError.unconfirmable(stage, by: name) }
        return true
    }

    /// Sends an utterance without regard to its id.
    public func deliver(_ utterance: Utterance, to envelope: Envelope) async throws {
        _ = try await send(utterance, to: envelope)
    }
}

extension Robot {
    /// Returns what the service of a room can do with messages.
    public func messageFeatures(in room: Room) -> Set<MessageFeature> {
        adapter(of: room, as: (any MessageChanging).self)?.messageFeatures ?? []
    }

    /// Waits until a message has come so far.
    ///
    /// - Parameter message: The message's id; nil if its service has given it none.
    func waitUntil(
        _ message: Message.ID?, is stage: DeliveryStage, within limit: Duration, in envelope: Envelope
    ) async throws -> Bool {
        let adapter = adapter(of: envelope.room, as: (any MessageChanging).self)
        guard let adapter, adapter.messageFeatures.contains(stage == .delivered ? .delivery : .reading) else {
            throw AdapterError.unconfirmable(stage, by: envelope.room.id.adapter)
        }
        guard let message, envelope.isTracked else { throw AdapterError.untracked }
        return try await adapter.waitUntil(message, is: stage, within: limit, in: envelope)
    }

    /// In bytes: an emoji, or a short word.
    private static let longestReaction = 64

    /// Changes a message.
    ///
    /// - Returns: False if its adapter can't do that, or a reaction is empty or too long.
    func change(_ message: Message.ID, _ change: MessageChange, in envelope: Envelope) async throws -> Bool {
        switch change {
        case .react(let reaction), .unreact(let reaction):
            guard (1...Self.longestReaction).contains(reaction.utf8.count) else { return false }
        case .edit, .retract: break
        }
        guard let adapter = messageChangers.first(where: { $0.name == message.adapter }) else { return false }
        guard try await adapter.change(message, change, in: envelope) else { return false }
        if case .edit(let utterance) = change { await showObservers(utterance, envelope, isEdit: true) }
        return true
    }
}
