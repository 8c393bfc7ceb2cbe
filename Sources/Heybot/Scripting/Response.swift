public import Logging

/// What a listener's closure works with: the match, the message, and ways to answer.
///
/// What one closure sends reaches the room in the order it was sent, each `send` awaited before the next.
public struct Response<Match: Sendable>: Sendable {
    /// What the listener's matcher found: for a regex its captures, as `res.match.1` or by name.
    public let match: Match
    let exchange: Exchange

    /// The message that matched.
    public var message: Message { exchange.message }
    /// Where answers go.
    public var envelope: Envelope { exchange.envelope }
    /// The robot that heard it.
    public var robot: Robot { exchange.robot }
    /// What is said to the robot, its name taken off; nil if the message is for others.
    public var addressed: Substring? { Candidate(exchange.message, exchange.robot.dispatcher.addressing).addressed }
    /// What the robot remembers.
    public var brain: Brain { exchange.robot.brain }
    /// What reaches the web.
    public var http: any HTTPClient { exchange.robot.http }
    /// Says by itself which script, listener, room and user it is about.
    public var logger: Logger { exchange.logger }

    /// Says it in the room the message came from, each text a message of its own.
    public func send(_ texts: String...) async throws {
        for text in texts { try await exchange.say(.text(text)) }
    }

    /// Says it to whoever wrote the message.
    public func reply(_ texts: String...) async throws {
        for text in texts { try await exchange.say(.reply(text)) }
    }

    /// Says it to whoever wrote the message, where nobody else hears it if the service has such a place, else in the
    /// room.
    ///
    /// - Returns: Whether that is somewhere else than where the message came from.
    @discardableResult
    public func sendPrivately(_ texts: String...) async throws -> Bool {
        let envelope = exchange.privateEnvelope
        for text in texts { try await exchange.say(.text(text), to: envelope) }
        return envelope.room.id != message.room.id
    }

    /// Says the next page of an answer that was too long for one; false if there is none.
    public func showMore() async throws -> Bool {
        try await exchange.robot.adapter(of: message.room, as: (any Paging).self)?.showMore(exchange.envelope) ?? false
    }

    /// Does it, as `/me` does.
    public func emote(_ texts: String...) async throws {
        for text in texts { try await exchange.say(.emote(text)) }
    }

    /// Hands out a file; if the service takes none, its alternative is said.
    public func send(_ attachment: Attachment) async throws {
        try await exchange.say(.attachment(attachment))
    }

    /// Sets the room's topic.
    public func topic(_ text: String) async throws {
        try await exchange.say(.topic(text))
    }

    /// Asks whoever wrote the message, and returns what they say next in this room, the robot's name taken off.
    ///
    /// While it waits the closure's deadline stands still, and the message goes on to the listeners after this one. The
    /// answer goes to no listener. Questions to the same person in the same room are answered in the order asked.
    ///
    /// - Throws: ``NoAnswer`` when the time is over.
    public func ask(_ question: String, within limit: Duration = .minutes(5)) async throws -> String {
        try await exchange.robot.dispatcher.ask(question, within: limit, exchange)
    }

    /// One of them, by chance; nil if there is none.
    public func random<Items: Collection>(_ items: Items) -> Items.Element? {
        exchange.robot.random(items)
    }

    /// A number of the range, by chance.
    public func random(in range: ClosedRange<Int>) -> Int {
        exchange.robot.random(in: range)
    }

    /// Does it later: `res.after(.minutes(10)) { try await res.reply("Tea is ready.") }`.
    ///
    /// It has a deadline of its own, and ends with the robot: what must outlive that belongs in the brain.
    @discardableResult
    public func after(_ delay: Duration, _ work: @escaping @Sendable () async throws -> Void) -> Appointment {
        let (robot, exchange) = (exchange.robot, exchange)
        let token = robot.timers.after(delay) { [weak robot] in
            guard let robot else { return }
            robot.activity.begin()
            Task {
                await Cause.$message.withValue(exchange.message.id) {
                    let listener = exchange.listener
                    let outcome = await robot.runner.invoke(listener.part, deadline: listener.deadline, work)
                    await robot.dispatcher.report(outcome, exchange)
                }
                robot.activity.end()
            }
        }
        return Appointment(timers: robot.timers, token: token)
    }

    /// Keeps the message from the listeners after this one.
    public func finish() {
        exchange.finish()
    }
}

/// Delayed work that has not been done yet.
public struct Appointment: Sendable {
    fileprivate let timers: Timers
    fileprivate let token: Timers.Token

    /// Takes it back; nothing if it is being done or done already.
    public func cancel() {
        timers.cancel(token)
    }
}

extension Duration {
    /// So many minutes.
    public static func minutes(_ minutes: Int) -> Duration { .seconds(product(minutes, 60)) }
    /// So many hours.
    public static func hours(_ hours: Int) -> Duration { .seconds(product(hours, 3_600)) }

    /// As many as there can be, if it would be more: the number may be one somebody typed.
    private static func product(_ number: Int, _ seconds: Int) -> Int {
        let (product, overflows) = number.multipliedReportingOverflow(by: seconds)
        return overflows ? (number < 0 ? .min : .max) : product
    }
}
