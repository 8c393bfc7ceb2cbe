extension Response {
    /// The number of commands that led to this one, each by ``run(_:)``; 0 if a user has said it.
    package var commandDepth: Int { context.inbound.depth }

    /// Whether the message's author has just said it, or a command that led to it; false for what runs at a time.
    package var isRequested: Bool { context.inbound.isRequested }

    /// Handles a text as a command of the message's author in the same room, after what they have said before.
    ///
    /// So it runs with the author's rights, asks the author to confirm, and is refused as if they had said it. It answers no
    /// question that a script has asked. The script must limit ``commandDepth``, or a command that runs itself runs forever.
    package func run(_ command: String) async {
        var message = context.message
        message.content = .text(command)
        message.isAddressed = true
        await context.robot.enqueue(context.inbound.followUp(message))
    }
}
