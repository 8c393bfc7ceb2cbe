package import Logging

/// A listener whose code runs in another process, such as a Hubot script.
package struct RemoteListener: Sendable {
    /// The kind of messages that it handles.
    package var trigger: Listener.Trigger
    /// Its regex, as JavaScript writes it, without slashes; nil if it must be asked about each message of its kind.
    package var pattern: String?
    /// The regex's flags, such as `i`.
    package var flags: String
    /// Its id; nil for the script's name and a number.
    package var id: String?
    /// Its help, a line for each command.
    package var help: [String]
    /// Whether it can match at all now; called for each message of its kind.
    package var isActive: @Sendable () -> Bool

    package init(
        _ trigger: Listener.Trigger, pattern: String? = nil, flags: String = "", id: String? = nil, help: [String] = [],
        isActive: @escaping @Sendable () -> Bool = { true }
    ) {
        (self.trigger, self.pattern, self.flags, self.id, self.help) = (trigger, pattern, flags, id, help)
        self.isActive = isActive
    }
}

extension Listener.Trigger {
    /// Whether a remote listener of this kind may be asked about a message.
    func accepts(_ input: RoutingInput) -> Bool {
        switch (self, input.message.content) {
        // Hubot has none of them.
        case (_, .reaction), (_, .retraction), (_, .profile), (.reaction, _), (.retraction, _), (.profile, _): false
        case (.respond, _): input.remoteAddressed != nil
        // To Hubot, a topic is a text.
        case (.hear, .text), (.hear, .topic), (.listen, _), (.catchAll, _): true
        case (.enter, .enter), (.leave, .leave), (.topic, .topic): true
        case (.hear, _), (.enter, _), (.leave, _), (.topic, _): false
        }
    }
}

/// One message for one remote listener: what the other process may do about it.
package struct RemoteListenerCall: Sendable {
    let context: ListenerRunContext
    /// What the message says to the robot, without its name; nil if it doesn't address the robot.
    package let command: String?

    /// The message.
    package var message: Message { context.message }
    /// The message on its way through the robot.
    package var routed: InFlightMessageHandle { InFlightMessageHandle(inbound: context.inbound) }
    /// The robot.
    package var robot: Robot { context.robot }
    /// The listener.
    package var listener: Listener { context.listener }
    /// A logger whose metadata contains the script, listener, room and user.
    package var logger: Logger { context.logger }
    /// Where an answer goes.
    package var envelope: Envelope { context.envelope }
    /// Whether a direct message to the sender reaches that user, and nobody else who has the name now.
    package var reachesSender: Bool { context.inbound.delegation?.reachesUser ?? true }

    /// Whether something in this process decides, between the match and the listener, whether the listener runs: middleware, or
    /// access to the command that an admin has restricted.
    package var hasConditions: Bool {
        let dispatcher = context.robot.dispatcher
        return dispatcher.accessRules.access(to: context.listener) != .everyone
            || dispatcher.registry.middleware.listener(for: context.listener).contains { context.isOn($0.script) }
    }

    /// Whether response middleware of this process runs for what the listener sends.
    package var hasResponseMiddleware: Bool {
        !context.robot.dispatcher.registry.middleware.response(for: context.listener).isEmpty
    }

    /// Whether the sender may use all commands of a script here, as far as admins have changed that from chat.
    package func mayUse(_ script: String) -> Bool {
        let change = context.robot.changedAccess.entries.last { $0.script == script && $0.command == nil }
        let (robot, message) = (context.robot, context.message)
        return change?.access.refusal(
            ofUserWith: robot.roles(of: message.user), in: message.room, on: robot.adapters) == nil
    }

    /// Whether the listener may run.
    ///
    /// - Throws: The refusal to send to the user, and what middleware throws.
    package func mayRun() async throws -> Bool {
        try await context.robot.dispatcher.mayRun(context, isAddressed: command != nil)
    }

    /// Sends something, as ``Response`` does.
    ///
    /// - Parameter envelope: Where to send it; nil for the message's room.
    package func send(_ utterance: Utterance, to envelope: Envelope? = nil) async throws {
        try await context.send(utterance, to: envelope)
    }

    /// Tells the user something in the robot's own name, with a deadline.
    package func notify(_ text: String) async { await context.robot.dispatcher.notify(text, context) }

    /// Shows in the message's room that the robot is writing, or that it has stopped, if users can see that.
    package func showTyping(_ isTyping: Bool) {
        _ = context.robot.dispatcher.showTyping(isTyping ? .due : .ended, context.inbound)
    }

    /// Later listeners don't get the message.
    package func finish() { context.finish() }

    /// Later listeners get the message with this text, unless it is longer than ``Robot/Limits/text``.
    package func replaceText(_ text: String) {
        guard text.utf8.count <= context.robot.limits.text else {
            return context.logger.warning(
                "the new text that a script gave a message exceeds the limit, so later listeners get the old text"
            )
        }
        context.inbound.replaceText(text)
    }
}

/// Thrown by a remote listener whose process ended before it said whether the listener matches.
///
/// Later listeners get the message, but catch-alls don't. If no other listener answers, the cause is reported.
package struct UnconfirmedMatchError: Error {
    let cause: any UserFacingError

    package init(_ cause: any UserFacingError) { self.cause = cause }
}

/// Work that accompanies a robot.
package struct RobotCompanion: Sendable {
    /// Called when the brain is open, before the adapters connect.
    package let start: @Sendable (Robot) async -> Void
    /// Called when the robot stops and has handled its messages, while the adapters are still connected; unless the time for
    /// that has passed.
    package let finish: @Sendable (Robot) async -> Void
    /// Called when the time for that is over, before the robot refuses the messages that it hasn't handled, and cancels what runs.
    package let giveUp: @Sendable () -> Void
    /// Called when the robot stops, while the brain is still open.
    package let stop: @Sendable (Robot) async -> Void

    package init(
        start: @escaping @Sendable (Robot) async -> Void, finish: @escaping @Sendable (Robot) async -> Void = { _ in },
        giveUp: @escaping @Sendable () -> Void = {}, stop: @escaping @Sendable (Robot) async -> Void
    ) {
        (self.start, self.finish, self.giveUp, self.stop) = (start, finish, giveUp, stop)
    }
}

extension RobotBuilder {
    /// Leaves out the listeners with these ids, because the script's own replace them.
    package mutating func replaceListeners(_ ids: Set<String>) { replacedListeners.formUnion(ids) }

    /// Adds listener middleware whose code runs in another process, which runs it itself for its own listeners.
    package mutating func remoteListenerMiddleware(_ run: @escaping ListenerMiddleware) {
        middleware.add(run, of: script, isRemote: true)
    }

    /// Adds response middleware whose code runs in another process, which runs it itself for its own listeners.
    package mutating func remoteResponseMiddleware(_ run: @escaping ResponseMiddleware) {
        middleware.add(run, of: script, isRemote: true)
    }
}
