import Synchronization

/// A message on its way through the robot, with what has been done about it.
final class InFlightMessage: Sendable {
    private struct State {
        var message: Message
        var permit: MessageScheduler.Permit?
        var ticket: RoomSequencer.Ticket?
        /// Whether a script has changed the text since it was matched.
        var hasNewText = false
        var atEnd: [@Sendable () -> Void] = []
        var isOver = false
    }

    private static let lastNumber = Atomic(0)

    /// A number that no other message of this process has.
    let number = InFlightMessage.lastNumber.add(1, ordering: .relaxed).newValue
    /// Identifies the sender for the order of messages.
    let sender: User.ID
    /// Where the message comes from if a script has put it into the robot.
    let injection: InjectionOrigin?
    /// How the robot runs it in the name of its user; nil if the robot has received it.
    let delegation: DelegatedCommand?
    /// Whether it, or the message that caused it, was sent while the robot was disconnected.
    let isLate: Bool
    private let state: Mutex<State>
    private let inFlight: InFlightCounter?
    private let finished = Atomic(false)
    private let answered = Atomic(0)
    private let ended = Atomic(false)

    init(
        _ message: Message, inFlight: InFlightCounter?, injection: InjectionOrigin? = nil,
        delegation: DelegatedCommand? = nil
    ) {
        (self.injection, self.delegation, isLate, sender) = (injection, delegation, message.isLate, message.sender)
        state = Mutex(State(message: message.withBoundedMarks))
        self.inFlight = inFlight
        inFlight?.begin()
    }

    var message: Message { state.withLock { $0.message } }
    /// Whether an adapter has received it, so that its user is there.
    var isReceived: Bool { injection == nil && delegation == nil }
    /// Whether its user has just said it, or a command that led to it; false for what runs at a time.
    var isRequested: Bool { delegation?.isRequested ?? true }
    /// The number of messages of scripts and commands that led to this one, including itself; 0 if an adapter has received it.
    var depth: Int { injection?.depth ?? delegation?.depth ?? 0 }
    /// The permit to handle the message; nil until the scheduler grants it.
    var permit: MessageScheduler.Permit? { state.withLock { $0.permit } }
    /// The message's place in the order of its room; nil if there is no receive middleware.
    var ticket: RoomSequencer.Ticket? { state.withLock { $0.ticket } }

    /// Replaces the message by the one that middleware returned.
    func replaceMessage(_ message: Message) { state.withLock { $0.message = message } }

    /// Replaces the text, because a script has changed it.
    ///
    /// The listeners that follow are matched against the new text.
    func replaceText(_ text: String) {
        state.withLock {
            var message = $0.message
            switch message.content {
            case .text: message.content = .text(text)
            case .topic: message.content = .topic(text)
            case .enter, .leave, .reaction, .retraction, .profile: return
            }
            ($0.message, $0.hasNewText) = (message.withBoundedMarks, true)
        }
    }

    /// Whether a script has changed the text since this was called last.
    func takeNewText() -> Bool {
        state.withLock { state in
            defer { state.hasNewText = false }
            return state.hasNewText
        }
    }

    /// Calls `action` when the message is done; at once if it is.
    func atEnd(_ action: @escaping @Sendable () -> Void) {
        let isOver = state.withLock {
            if !$0.isOver { $0.atEnd.append(action) }
            return $0.isOver
        }
        if isOver { action() }
    }

    /// Counts work that the message has caused, until ``endFollowUp()``: a caller that waits for the message waits for it too.
    func beginFollowUp() { inFlight?.begin() }

    /// Ends work that was counted by ``beginFollowUp()``.
    func endFollowUp() { inFlight?.end() }

    /// Returns a command that this message has caused; a caller that waits for this message waits for it too.
    func followUp(_ command: Message) -> InFlightMessage {
        InFlightMessage(command, inFlight: inFlight, delegation: DelegatedCommand(by: self))
    }

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
        let actions = state.withLock { state in
            defer { (state.atEnd, state.isOver) = ([], true) }
            return state.atEnd
        }
        for action in actions { action() }
        inFlight?.end()
        return true
    }
}
