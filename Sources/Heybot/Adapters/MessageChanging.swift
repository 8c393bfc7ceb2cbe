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
}

extension MessageChanging {
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
        let found = adapters.first { $0.name == message.adapter }
        guard let adapter = found as? any MessageChanging else { return false }
        return try await adapter.change(message, change, in: envelope)
    }
}
