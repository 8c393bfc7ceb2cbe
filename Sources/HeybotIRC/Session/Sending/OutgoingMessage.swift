/// A message to a user or a channel.
package struct OutgoingMessage: Hashable, Sendable {
    /// A nick, or a channel name.
    package var target: String
    package var text: String
    /// Whether to send a CTCP ACTION (`/me`).
    package var isAction: Bool
    /// The user whose message it answers; nil if it isn't an answer.
    ///
    /// A private answer isn't sent if the user is seen to leave, or another user to have the nick. It follows the user to a new
    /// nick.
    package var requester: RequesterIdentity?
    /// The server's id of the message that it answers, for clients that show replies; only the first line has it.
    package var reply: String?
    /// By what the session's owner recognizes the message when the server has received it; nil if it doesn't wait for that.
    package var tracking: String?
    /// When the message was queued, or when its last line was sent, on the session's clock.
    package var since: Duration
    /// Whether an earlier connection has sent it, and ended before the server acknowledged it.
    package var isRepeated = false

    /// Creates a message with a text of any length and any number of lines.
    package init(
        to target: String, _ text: String, isAction: Bool = false, requester: RequesterIdentity? = nil,
        since: Duration = .zero
    ) {
        self.target = target
        self.text = text
        self.isAction = isAction
        self.requester = requester
        self.since = since
    }
}
