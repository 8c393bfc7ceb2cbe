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

    private func change(_ change: MessageChange) async throws -> Bool {
        guard let id else { return false }
        return try await context.change(id, change, in: envelope)
    }
}

extension Response {
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
