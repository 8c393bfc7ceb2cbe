public import Logging

/// The argument of a listener's closure: the match, the message, and ways to answer.
///
/// What one closure sends reaches the room in order, if each `send` is awaited before the next.
public struct Response<Match: Sendable>: Sendable {
    /// The listener's match: for a regex its captures, such as `res.match.1`, or by name.
    public let match: Match
    let context: ListenerRunContext

    /// The message that matched.
    public var message: Message { context.message }
    /// The destination of answers.
    public var envelope: Envelope { context.envelope }
    /// The robot that received the message.
    public var robot: Robot { context.robot }
    /// The text without the robot's name; nil if the message isn't addressed to the robot.
    public var addressed: Substring? { RoutingInput(context.message, context.robot.dispatcher.addressing).addressed }
    /// Whether the text begins with the robot's name or alias.
    package var isAddressedByName: Bool {
        message.text.map { context.robot.dispatcher.addressing.isAddressed($0) } ?? false
    }
    /// The robot's persistent memory.
    public var brain: Brain { context.robot.brain }
    /// The robot's HTTP client.
    public var http: any HTTPClient { context.robot.http }
    /// A logger whose metadata contains the script, listener, room and user.
    public var logger: Logger { context.logger }

    /// Sends texts to the message's room, each as a message of its own.
    ///
    /// - Returns: The last message, which can be changed: `try await sent.edit("Done.")`.
    @discardableResult
    public func send(_ texts: String...) async throws -> SentMessage {
        try await context.sendAll(texts.map { .text($0) })
    }

    /// Sends texts to the message's room, addressed to its author, and as replies to the message if the service has replies.
    ///
    /// - Returns: The last message, which can be changed.
    @discardableResult
    public func reply(_ texts: String...) async throws -> SentMessage {
        try await context.sendAll(texts.map { .reply($0) })
    }

    /// Sends texts to the message's author as direct messages, or to the room if the adapter doesn't support those.
    ///
    /// - Returns: Whether the texts went to another room than the message's.
    @discardableResult
    public func sendPrivately(_ texts: String...) async throws -> Bool {
        let envelope = context.privateEnvelope
        try context.checkReachesUser(envelope)
        for text in texts { try await context.send(.text(text), to: envelope) }
        return envelope.room.id != message.room.id
    }

    /// Sends the next page of a long answer.
    ///
    /// - Returns: False if there is no further page.
    public func showMore() async throws -> Bool {
        let pager = context.robot.adapter(of: message.room, as: (any AnswerPaging).self)
        return try await pager?.showMore(context.envelope) ?? false
    }

    /// Sends actions, like `/me`.
    ///
    /// - Returns: The last message, which can be changed.
    @discardableResult
    public func emote(_ texts: String...) async throws -> SentMessage {
        try await context.sendAll(texts.map { .emote($0) })
    }

    /// Sends a file, or ``Attachment/plainText`` if the service doesn't support files.
    ///
    /// - Returns: The message, which can be changed.
    /// - Throws: ``AttachmentError`` if the file is too large, and an error of the adapter if the file can't be sent and there is
    ///   no text in its place.
    @discardableResult
    public func send(_ attachment: Attachment) async throws -> SentMessage {
        try attachment.checkSize()
        return try await context.sendAll([.attachment(attachment)])
    }

    /// Sets the room's topic.
    public func topic(_ text: String) async throws {
        try await context.send(.topic(text))
    }

    /// Asks the message's author a question, and returns their answer in this room, without the robot's name.
    ///
    /// While it waits, the closure's deadline is paused, and later listeners get the message. The answer goes to no listener.
    /// Several questions to the same user in the same room are answered in the order in which they were asked.
    ///
    /// For a number, or for yes or no, see ``ask(_:for:within:)``; for one of several choices, ``ask(_:choices:within:)``.
    ///
    /// Without `accepting`, the answer is the author's next message. With it, the author can talk to others meanwhile: what isn't
    /// accepted and isn't addressed to the robot goes to the listeners, and the question stays open, but from then on its answer
    /// has to be addressed to the robot. If what isn't accepted is addressed to the
    /// robot, or said in a direct conversation, and a `respond` listener matches it, that command runs instead, and the question
    /// is closed. Otherwise it is returned, so that the closure can ask again.
    ///
    /// - Parameters:
    ///   - question: The question.
    ///   - limit: How long the robot waits for an answer.
    ///   - accepting: Returns quickly whether a text is meant as an answer.
    /// - Throws: ``AskTimeoutError`` if there is no answer within the limit, ``QuestionAbandonedError`` if the author gives a
    ///   command instead.
    public func ask(
        _ question: String, within limit: Duration = .minutes(5),
        accepting: @escaping @Sendable (String) -> Bool = { _ in true }
    ) async throws -> String {
        try await context.robot.dispatcher.ask(question, within: limit, accepting: accepting, context)
    }

    /// Returns a random element; nil if there is none.
    public func random<Items: Collection>(_ items: Items) -> Items.Element? {
        context.robot.random(items)
    }

    /// Returns a random number in a range.
    public func random(in range: ClosedRange<Int>) -> Int {
        context.robot.random(in: range)
    }

    /// Runs a closure later: `res.after(.minutes(10)) { try await res.reply("Tea is ready.") }`.
    ///
    /// The closure has a deadline of its own. It is lost if the robot stops before: store what must survive in the brain.
    @discardableResult
    public func after(_ delay: Duration, _ work: @escaping @Sendable () async throws -> Void) -> DelayedTask {
        let (robot, context) = (context.robot, context)
        let token = robot.timers.after(delay) { [weak robot] in
            guard let robot else { return }
            robot.inFlight.begin()
            Task {
                await MessageContext.$cause.withValue(MessageContext.Cause(context.message.id)) {
                    let listener = context.listener
                    let outcome = await robot.runner.invoke(listener.origin, deadline: listener.deadline, work)
                    await robot.dispatcher.report(outcome, context)
                }
                robot.inFlight.end()
            }
        }
        return DelayedTask(timers: robot.timers, token: token)
    }

    /// Stops routing: later listeners don't get the message.
    public func finish() {
        context.finish()
    }
}

/// A closure that runs later.
public struct DelayedTask: Sendable {
    fileprivate let timers: TimerQueue
    fileprivate let token: TimerQueue.Token

    /// Cancels the closure.
    ///
    /// This has no effect if it is running or has run.
    public func cancel() {
        timers.cancel(token)
    }
}
