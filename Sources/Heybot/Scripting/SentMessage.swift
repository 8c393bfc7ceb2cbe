/// A message that the robot has sent in answer to another.
///
/// A script can edit it, react to it and retract it, as far as the service allows; see ``Robot/messageFeatures(in:)``.
public struct SentMessage: Sendable {
    /// Its id; nil if it can't be changed, or middleware has dropped it.
    public let id: Message.ID?
    /// Where it was sent.
    public let envelope: Envelope
    private let context: ListenerRunContext
    /// Nil if nothing was sent.
    private let utterance: Utterance?

    init(id: Message.ID?, envelope: Envelope, utterance: Utterance?, context: ListenerRunContext) {
        (self.id, self.envelope, self.utterance, self.context) = (id, envelope, utterance, context)
    }

    /// Replaces its text: `try await sent.edit("Done.")`.
    ///
    /// If the service can't do that, the new text is sent as a further message. If middleware has dropped the message, nothing
    /// happens.
    public func edit(_ text: String) async throws {
        guard let utterance else { return }
        let edited: Utterance =
            switch utterance {
            case .text, .attachment, .topic: .text(text)
            case .reply: .reply(text)
            case .emote: .emote(text)
            }
        try await context.edit(id, to: edited, in: envelope)
    }

    /// Reacts to it, usually with an emoji.
    ///
    /// - Returns: False if the service can't do that; then nothing is sent.
    @discardableResult
    public func react(_ reaction: String) async throws -> Bool { try await change(.react(reaction)) }

    /// Takes back a reaction to it.
    ///
    /// - Returns: False if the service can't do that.
    @discardableResult
    public func unreact(_ reaction: String) async throws -> Bool { try await change(.unreact(reaction)) }

    /// Retracts it.
    ///
    /// - Returns: False if the service can't do that; then it stays.
    @discardableResult
    public func retract() async throws -> Bool { try await change(.retract) }

    // MARK: Delivery

    /// Waits until it has arrived: in the room, or at the user's client.
    ///
    /// The wait counts toward the closure's deadline.
    ///
    /// - Parameter limit: How long to wait.
    /// - Returns: False if the service doesn't confirm it within the limit; the message may have arrived nevertheless.
    /// - Throws: ``AdapterError`` if the service confirms no such message; see ``Response/send(tracked:privately:)``.
    public func delivered(within limit: Duration = .seconds(10)) async throws -> Bool {
        try await reaches(.delivered, within: limit)
    }

    /// Waits until the user has seen it.
    ///
    /// The wait counts toward the closure's deadline.
    ///
    /// - Parameter limit: How long to wait.
    /// - Returns: False if the service doesn't confirm it within the limit; the user may have seen it nevertheless.
    /// - Throws: ``AdapterError`` if the service confirms no such message; see ``Response/send(tracked:privately:)``.
    public func seen(within limit: Duration = .seconds(10)) async throws -> Bool {
        try await reaches(.seen, within: limit)
    }

    private func reaches(_ stage: DeliveryStage, within limit: Duration) async throws -> Bool {
        // What middleware has dropped doesn't arrive.
        guard utterance != nil else { return false }
        return try await context.robot.waitUntil(id, is: stage, within: limit, in: envelope)
    }

    private func change(_ change: MessageChange) async throws -> Bool {
        guard let id else { return false }
        return try await context.change(id, change, in: envelope)
    }
}

extension Response {
    /// Sends a text, and asks the service to confirm it, so that the closure can wait for that:
    /// `try await res.send(tracked: "Dinner!").delivered()`.
    ///
    /// Whether the service can do that, ``Robot/messageFeatures(in:)`` tells with ``MessageFeature/delivery`` and
    /// ``MessageFeature/reading``. If not, the text is sent nevertheless.
    ///
    /// - Parameters:
    ///   - text: The text; if it is sent in parts, the first one is confirmed.
    ///   - isPrivate: Whether it goes to the message's author as a direct message, or to the room if the adapter doesn't support
    ///     those.
    public func send(tracked text: String, privately isPrivate: Bool = false) async throws -> SentMessage {
        try await context.sendTracked(text, privately: isPrivate)
    }

    /// Shows in the room that the robot is writing, until the closure sends something or ends.
    ///
    /// The robot does this by itself if a closure that answers a message to the robot takes longer than a second. Nothing happens
    /// if the service can't show it, or in code that runs later.
    public func typing() { context.showTyping() }

    /// Reacts to the message, usually with an emoji: `try await res.react("👍")`.
    ///
    /// - Returns: False if the service can't do that; then nothing is sent.
    @discardableResult
    public func react(_ reaction: String) async throws -> Bool {
        try await context.change(message.id, .react(reaction), in: envelope)
    }

    /// Takes back a reaction to the message.
    ///
    /// - Returns: False if the service can't do that.
    @discardableResult
    public func unreact(_ reaction: String) async throws -> Bool {
        try await context.change(message.id, .unreact(reaction), in: envelope)
    }
}
