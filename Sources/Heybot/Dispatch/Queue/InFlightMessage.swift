import Synchronization

/// A message on its way through the robot, with what has been done about it.
final class InFlightMessage: Sendable {
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
