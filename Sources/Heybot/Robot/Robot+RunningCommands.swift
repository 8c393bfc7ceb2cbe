/// What the robot would do with a command.
package enum CommandAdmission: Hashable, Sendable {
    /// It is a command of these scripts, and its user may use it.
    case admitted(scripts: Set<String>)
    /// Its user may not use it, for this reason.
    case refused(String)
    /// No script knows it.
    case unknown
}

/// How the robot runs a command in the name of a user who hasn't just said it.
///
/// Such a command has the rights that its user has when it is handled. It answers no question that a script has asked, and no
/// observer gets it.
package struct DelegatedCommand: Hashable, Sendable {
    /// Whether the user has just caused it, by another command.
    let isRequested: Bool
    /// Whether a direct message to the user reaches that user, and nobody else who has the name now.
    let reachesUser: Bool
    /// The number of messages of scripts and commands that led to it by ``Response/run(_:)``, including itself.
    let depth: Int

    /// A command that runs at a time, whether its user is there or not.
    ///
    /// - Parameter reachesUser: Whether a direct message to the user reaches that user, and nobody else who has the name now.
    package init(reachesUser: Bool) { (isRequested, self.reachesUser, depth) = (false, reachesUser, 0) }

    /// A command that another one runs.
    init(by inbound: InFlightMessage) {
        isRequested = inbound.isRequested
        reachesUser = inbound.delegation?.reachesUser ?? true
        depth = inbound.depth + 1
    }
}

extension Robot {
    /// Returns whether a message is a command that its user may use in its room now.
    ///
    /// Commands without listeners are known too. What only a listener's closure finds out, such as an unknown place, isn't.
    package func admission(of message: Message) -> CommandAdmission {
        guard !users.ignores(senderOf: message) else { return .refused("I ignore \(message.user.name).") }
        let input = RoutingInput(message, dispatcher.addressing)
        let disabled = switches
        let listeners = dispatcher.registry.listenerIndex.listeners(matching: input)
        let others = runtimeCommands(
            for: message.user, in: message.room, matching: String(input.addressed ?? ""))
        let commands = (listeners + others).filter { listener in
            let isCommand = listener.trigger == .respond || (listener.trigger != .catchAll && !listener.help.isEmpty)
            return isCommand && disabled.isOn(listener.script, in: message.room)
        }
        let granted = roles(of: message.user)
        var scripts: Set<String> = []
        var refusals: [String] = []
        for listener in commands {
            let rule = access(to: listener)
            if let refusal = rule.refusal(ofUserWith: granted, in: message.room, on: adapters) {
                refusals.append(refusal)
            } else {
                scripts.insert(listener.script)
            }
        }
        if !scripts.isEmpty { return .admitted(scripts: scripts) }
        return refusals.first.map { .refused($0) } ?? .unknown
    }

    /// Handles a command in the name of its user.
    ///
    /// It returns as soon as the command is in the inbox. While the inbox is full, this waits for a moment; then the newest
    /// message of the user who sent most is dropped.
    package func run(_ command: Message, _ delegation: DelegatedCommand) async {
        await enqueue(InFlightMessage(command, inFlight: nil, delegation: delegation))
    }

    /// Puts a message into the inbox, also while the robot handles what it has before it stops.
    func enqueue(_ inbound: InFlightMessage) async {
        // Detached, so that the message isn't handled as a part of the code that calls this.
        await Task.detached { [queue] in await queue.put([inbound], timeout: Inbox.receiveTimeout, whileDraining: true)
        }
        .value
    }
}

extension Response {
    /// The number of commands that led to this one, each by ``run(_:)``; 0 if a user has said it.
    package var commandDepth: Int { context.inbound.depth }

    /// Whether the message's author has just said it, or a command that led to it.
    ///
    /// False for what runs at a time, and for what was said while the robot was disconnected.
    package var isRequested: Bool { context.inbound.isRequested && !context.inbound.isLate }

    /// Handles a text as a command of the message's author in the same room, after what they have said before.
    ///
    /// So it runs with the author's rights, asks the author to confirm, and is refused as if they had said it. It answers no
    /// question that a script has asked. The script must limit ``commandDepth``, or a command that runs itself runs forever.
    package func run(_ command: String) async {
        var message = context.message
        message.content = .text(command)
        message.isAddressed = true
        message.correction = nil
        await context.robot.enqueue(context.inbound.followUp(message))
    }
}
