import HeybotSupport

/// What the session's owner has to do about an ad-hoc command that a user gives (XEP-0050).
package struct CommandRequest: Hashable, Sendable {
    /// The id for the owner's answer.
    package let id: String
    /// The chat command, as a direct message of the user; the text is empty if none is to run.
    package let event: IncomingEvent
    /// Whether to run the command, and answer with ``Session/finishCommand(_:_:)``.
    ///
    /// Otherwise the answer is ``Session/allowCommands(_:for:at:)``, with the commands that the user may use.
    package let isRun: Bool

    init(id: String, by user: JID, _ command: String = "", isRun: Bool) {
        (self.id, self.isRun) = (id, isRun)
        event = IncomingEvent(content: .text(command), from: user, person: user.bare, isPublic: false, room: nil)
    }
}
