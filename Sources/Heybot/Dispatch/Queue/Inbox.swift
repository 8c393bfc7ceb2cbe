import Synchronization

/// Where an adapter puts what happens.
///
/// It is bounded: while it is full, putting something in waits.
public struct Inbox: Sendable {
    /// The robot's name, whatever its nick on a network is.
    public let robotName: String
    let queue: DeliveryQueue
    let limits: CommandLimits
    let offers: @Sendable (User, Room) -> [HelpLine]

    /// How long a connection is left unread while there is no room: far less than a server waits for the answer to its
    /// ping, or a person for the robot's.
    public static var patience: Duration { .seconds(1) }

    /// Puts the message in; returns when there was room for it.
    ///
    /// A robot that is stopping takes nothing more.
    public func receive(_ message: Message) async {
        if limits.admit(message) { await queue.put([Delivery(message, activity: nil)]) }
    }

    /// Puts the messages in, in order; returns when there was room for all of them.
    ///
    /// For a service that sends many at once: it costs far less than one after the other.
    public func receive(_ messages: [Message]) async {
        await queue.put(deliveries(messages))
    }

    private func deliveries(_ messages: [Message]) -> [Delivery] {
        messages.compactMap { limits.admit($0) ? Delivery($0, activity: nil) : nil }
    }

    /// Puts the messages in, in order; returns after `patience` at the latest.
    ///
    /// For a connection that must be read on, since its server closes it if pings aren't answered. If there is no room for
    /// that long, the newest messages of whoever has most in the inbox are dropped, logged and counted; nobody is waited for
    /// again until half of the inbox is free.
    public func receive(_ messages: [Message], patience: Duration) async {
        let deliveries = deliveries(messages)
        if !deliveries.isEmpty { await queue.put(deliveries, patience: patience) }
    }

    /// Puts the message in, and returns when all it set in motion has ended, or waits for somebody's answer, or when the
    /// task is cancelled.
    public func handle(_ message: Message) async {
        guard limits.admit(message) else { return }
        let activity = Activity()
        await queue.put([Delivery(message, activity: activity)])
        await activity.idle()
    }

    /// The commands somebody may use in a room, sorted, without the robot's name: to complete what they type, or for a
    /// service's own menu of commands.
    public func commands(for user: User, in room: Room) -> [HelpLine] {
        offers(user, room)
    }
}

/// A message on its way through the robot, and what it has set in motion.
final class Delivery: Sendable {
    private struct State {
        var message: Message
        var turn: Turns.Turn?
        var place: RoomOrder.Place?
    }

    private let state: Mutex<State>
    private let activity: Activity?
    private let finished = Atomic(false)
    private let answered = Atomic(0)
    private let ended = Atomic(false)

    init(_ message: Message, activity: Activity?) {
        state = Mutex(State(message: message.withBoundedMarks))
        self.activity = activity
        activity?.begin()
    }

    var message: Message { state.withLock { $0.message } }
    /// The right to be handled; nil until the message has it.
    var turn: Turns.Turn? { state.withLock { $0.turn } }
    /// The message's place in its room, if the receive middleware has it or is to have it.
    var place: RoomOrder.Place? { state.withLock { $0.place } }

    /// Goes on with the message as middleware made it.
    func replaceMessage(_ message: Message) { state.withLock { $0.message = message } }

    /// Takes its turn, and its place in its room if it needs one.
    func begin(_ turn: Turns.Turn, at place: RoomOrder.Place?) {
        state.withLock { ($0.turn, $0.place) = (turn, place) }
    }

    var isFinished: Bool { finished.load(ordering: .acquiring) }

    /// How many times something was said in answer to it.
    var answers: Int { answered.load(ordering: .acquiring) }

    func countAnswer() { answered.add(1, ordering: .acquiringAndReleasing) }

    func finish() {
        finished.store(true, ordering: .releasing)
    }

    /// Everything it set in motion has ended, or waits for somebody; false if that was known already.
    func end() -> Bool {
        guard !ended.exchange(true, ordering: .acquiringAndReleasing) else { return false }
        activity?.end()
        return true
    }
}
