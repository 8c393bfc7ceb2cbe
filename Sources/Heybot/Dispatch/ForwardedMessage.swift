package import HeybotSupport

/// Gets the messages of a robot that doesn't handle them itself, in order, perhaps on an adapter's thread, so it must be fast.
///
/// It returns what the robot waits for before it passes on the next messages; nil if it needn't wait.
package typealias MessageSink = @Sendable ([ForwardedMessage]) -> OneShotPromise<Void>?

/// Returns the commands that a user may use in a room, of a robot whose scripts run in another process.
package typealias CommandSource = @Sendable (User, Room) async -> [HelpLine]

/// A message that another process handles.
package final class ForwardedMessage: Sendable {
    /// The message.
    package let message: Message
    private let onEnd: @Sendable () -> Void

    init(_ message: Message, onEnd: @escaping @Sendable () -> Void) { (self.message, self.onEnd) = (message, onEnd) }

    /// Says that everything that the message has caused has ended; until then, it counts as being handled.
    package func end() { onEnd() }
}

extension RobotBuilder {
    /// Passes all messages on, instead of running listeners.
    ///
    /// Only what adapters receive is passed on, within their limits for commands.
    ///
    /// - Parameter commands: Returns the commands of the process that handles them; nil if it has none.
    package mutating func forward(to sink: @escaping MessageSink, commands: CommandSource? = nil) {
        (self.sink, commandSource) = (sink, commands)
    }
}

extension Robot {
    /// Sends what a script in another process says.
    ///
    /// - Parameter message: The message that it answers, toward whose sender's command limit it counts; nil if it answers none.
    /// - Returns: The message's id; nil if it can't be changed.
    package func send(
        _ utterance: Utterance, to envelope: Envelope, answering message: Message?
    ) async throws -> Message.ID? {
        let limiter = dispatcher.commandLimiter
        let unsaid = limiter.queuedLines(for: envelope)
        let id = try await send(utterance, to: envelope)
        if let message { limiter.countAnswer(utterance, to: message, envelope, unsaid: unsaid) }
        return id
    }
}

extension Inbox {
    /// Puts in messages that another process has received, in order; it limits the commands of users, and the number of
    /// messages.
    ///
    /// - Parameter whenDone: Called with a message's index when everything that it has caused has ended, or waits for a user's
    ///   answer; perhaps more than once.
    /// - Returns: The indices of the messages that no listener can match; `whenDone` isn't called for them.
    package func receive(_ messages: [Message], whenDone: @escaping @Sendable (_ index: Int) -> Void) -> [Int] {
        var unhandled: [Int] = []
        var others: [InFlightMessage] = []
        for (index, message) in messages.enumerated() {
            // Behind one that is handled, any message may be the answer to its question.
            if others.isEmpty, concernsNobody(message) {
                unhandled.append(index)
            } else {
                others.append(InFlightMessage(message, inFlight: InFlightCounter { whenDone(index) }))
            }
        }
        if !others.isEmpty { queue.putAll(others) }
        return unhandled
    }

    /// The commands that a user may use in a room, as ``commands(for:in:)``, also if the scripts run in another process.
    package func presentCommands(for user: User, in room: Room) async -> [HelpLine] {
        guard let commandSource else { return availableCommands(user, room) }
        return await commandSource(user, room)
    }
}

extension Robot {
    /// Whether a message is addressed to the robot.
    package func isAddressed(_ message: Message) -> Bool { dispatcher.isAddressed(message) }

    /// Sets what is called with the message that has led to a question to a user, when the question is asked, and when it is over.
    package func onQuestions(_ observation: @escaping @Sendable (Message, _ isOpen: Bool) -> Void) {
        dispatcher.questions.onChange(observation)
    }
}

extension Message {
    /// Returns the message with at most one byte more text than the limit, which is enough for the process that handles it to refuse it.
    func cut(to limit: Int) -> Message {
        func cut(_ text: String) -> String? {
            text.utf8.count > limit ? String(decoding: text.utf8.prefix(limit + 1), as: UTF8.self) : nil
        }
        var message = self
        switch content {
        case .text(let text): if let text = cut(text) { message.content = .text(text) }
        case .topic(let text): if let text = cut(text) { message.content = .topic(text) }
        case .leave(let text?): if let text = cut(text) { message.content = .leave(reason: text) }
        case .enter, .leave(nil), .reaction, .retraction, .profile: break
        }
        return message
    }
}
