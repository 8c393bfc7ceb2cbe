import Synchronization

/// The bounded queue between the adapters and the robot: adapters put incoming messages into it.
///
/// While it is full, `receive` waits.
public struct Inbox: Sendable {
    /// The robot's name; its nick on a network may differ.
    public let robotName: String
    let queue: InboundQueue
    let limiter: CommandLimiter
    let availableCommands: @Sendable (User, Room) -> [HelpLine]

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
        if limiter.admit(message) { await queue.put([InboundMessage(message, inFlight: nil)]) }
    }

    /// Puts messages in, in order.
    ///
    /// Waits until all are in.
    ///
    /// This costs far less than one call for each message.
    public func receive(_ messages: [Message]) async {
        await queue.put(admitted(messages))
    }

    private func admitted(_ messages: [Message]) -> [InboundMessage] {
        messages.compactMap { limiter.admit($0) ? InboundMessage($0, inFlight: nil) : nil }
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

    /// Puts a message in, and waits until everything it caused has ended or waits for a user's answer.
    ///
    /// Returns early if the task is cancelled.
    public func handle(_ message: Message) async {
        guard limiter.admit(message) else { return }
        let inFlight = InFlightCounter()
        await queue.put([InboundMessage(message, inFlight: inFlight)])
        await inFlight.waitUntilIdle()
    }

    /// The commands that a user may use in a room, sorted, without the robot's name: for completion, or for a service's own menu
    /// of commands.
    public func commands(for user: User, in room: Room) -> [HelpLine] {
        availableCommands(user, room)
    }
}

/// A message on its way through the robot, with what has been done about it.
final class InboundMessage: Sendable {
    private struct State {
        var message: Message
        var permit: MessageScheduler.Permit?
        var ticket: RoomSequencer.Ticket?
    }

    private let state: Mutex<State>
    private let inFlight: InFlightCounter?
    private let finished = Atomic(false)
    private let answered = Atomic(0)
    private let ended = Atomic(false)

    init(_ message: Message, inFlight: InFlightCounter?) {
        state = Mutex(State(message: message.withBoundedMarks))
        self.inFlight = inFlight
        inFlight?.begin()
    }

    var message: Message { state.withLock { $0.message } }
    /// The permit to handle the message; nil until the scheduler grants it.
    var permit: MessageScheduler.Permit? { state.withLock { $0.permit } }
    /// The message's place in the order of its room; nil if there is no receive middleware.
    var ticket: RoomSequencer.Ticket? { state.withLock { $0.ticket } }

    /// Replaces the message by the one that middleware returned.
    func replaceMessage(_ message: Message) { state.withLock { $0.message = message } }

    /// Sets the permit, and the place in the order of the room.
    func begin(_ permit: MessageScheduler.Permit, at ticket: RoomSequencer.Ticket?) {
        state.withLock { ($0.permit, $0.ticket) = (permit, ticket) }
    }

    /// Whether a listener has stopped the ones after it.
    var isFinished: Bool { finished.load(ordering: .acquiring) }

    /// The number of answers sent.
    var answers: Int { answered.load(ordering: .acquiring) }

    /// Counts an answer.
    func countAnswer() { answered.add(1, ordering: .acquiringAndReleasing) }

    /// Stops the listeners that come after the current one.
    func finish() {
        finished.store(true, ordering: .releasing)
    }

    /// Marks the message as done: everything it caused has ended, or waits for a user.
    ///
    /// - Returns: False if it was done before.
    func end() -> Bool {
        guard !ended.exchange(true, ordering: .acquiringAndReleasing) else { return false }
        inFlight?.end()
        return true
    }
}
