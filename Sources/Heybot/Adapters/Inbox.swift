/// The bounded queue between the adapters and the robot: adapters put incoming messages into it.
///
/// While it is full, `receive` waits.
public struct Inbox: Sendable {
    /// The robot's name; its nick on a network may differ.
    public let robotName: String
    let queue: InboundQueue
    let limiter: UserCommandRateLimiter
    /// Whether a message needs no handling, because no listener can match it; see ``Dispatcher/concernsNobody(_:)``.
    let concernsNobody: @Sendable (Message) -> Bool
    let availableCommands: @Sendable (User, Room) -> [HelpLine]
    /// Returns the commands if the scripts run in another process; nil if they run in this one.
    let commandSource: CommandSource?

    /// The longest time that an adapter leaves its connection unread while the inbox is full.
    ///
    /// It is far shorter than the time after which servers close a connection that doesn't answer pings.
    public static var receiveTimeout: Duration { .seconds(1) }

    /// Puts a message in.
    ///
    /// Waits while the inbox is full.
    ///
    /// A robot that is stopping ignores it.
    public func receive(_ message: Message) async {
        let admitted = admitted([message])
        if !admitted.isEmpty { await queue.put(admitted) }
    }

    /// Puts messages in, in order.
    ///
    /// Waits until all are in.
    ///
    /// This costs far less than one call for each message.
    public func receive(_ messages: [Message]) async {
        let admitted = admitted(messages)
        if !admitted.isEmpty { await queue.put(admitted) }
    }

    /// The messages to handle, without those that the sender's limit excludes or that concern nobody.
    private func admitted(_ messages: [Message]) -> [InFlightMessage] {
        var admitted: [InFlightMessage] = []
        for message in messages where limiter.admit(message) {
            // Behind one that is handled, any message may be the answer to its question.
            if admitted.isEmpty, concernsNobody(message) { continue }
            admitted.append(InFlightMessage(message, inFlight: nil))
        }
        return admitted
    }

    /// Puts messages in, in order.
    ///
    /// Returns after `timeout` at the latest.
    ///
    /// For a connection whose server closes it if pings aren't answered. If the inbox stays full until the timeout, the newest
    /// messages of the users with most messages in it are dropped, logged and counted. After that, calls don't wait until half
    /// of the inbox is empty again.
    public func receive(_ messages: [Message], timeout: Duration) async {
        let admitted = admitted(messages)
        if !admitted.isEmpty { await queue.put(admitted, timeout: timeout) }
    }

    /// Puts in what `read` returns, as ``receive(_:timeout:)`` does.
    ///
    /// If the robot is stopped meanwhile, they are still handled: what an adapter has confirmed to its server isn't lost.
    ///
    /// - Parameter read: Returns the messages, and a result for the caller. If the robot is stopping, as its argument tells,
    ///   the messages are ignored.
    /// - Returns: The result.
    package func receive<Result>(
        timeout: Duration, _ read: (_ isStopping: Bool) -> (messages: [Message], result: Result)
    ) async -> Result {
        let isOpen = queue.beginReceiving()
        let (messages, result) = read(!isOpen)
        guard isOpen else { return result }
        let admitted = admitted(messages)
        if !admitted.isEmpty { await queue.put(admitted, timeout: timeout, whileDraining: true) }
        queue.endReceiving()
        return result
    }

    /// Puts a message in, and waits until everything it caused has ended or waits for a user's answer.
    ///
    /// Returns early if the task is canceled.
    public func handle(_ message: Message) async {
        guard limiter.admit(message) else { return }
        let inFlight = InFlightCounter()
        await queue.put([InFlightMessage(message, inFlight: inFlight)])
        await inFlight.waitUntilIdle()
    }

    /// The commands that a user may use in a room, sorted, without the robot's name: for completion, or for a service's own menu
    /// of commands.
    public func commands(for user: User, in room: Room) -> [HelpLine] {
        availableCommands(user, room)
    }
}
