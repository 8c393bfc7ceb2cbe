import FoundationEssentials
import Heybot
import Synchronization

/// The adapter of a ``TestRobot``: it gives access to the inbox, and records what the robot sends.
final class TestAdapter: MessageChanging {
    private struct State {
        var inbox: Inbox?
        var isOver = false
        var waiting: [CheckedContinuation<Inbox?, Never>] = []
        var lines: [TestRobot.SentUtterance] = []
        var changes: [TestRobot.SentChange] = []
        var typing: [TestRobot.ShownTyping] = []
        /// The rooms that see the robot writing.
        var typingRooms: Set<String> = []
        var confirmed: DeliveryStage? = .seen
    }

    let name = "test"
    let messageFeatures: Set<MessageFeature>
    private let state = Mutex(State())

    init(_ messageFeatures: Set<MessageFeature>) { self.messageFeatures = messageFeatures }

    var status: AdapterStatus { .up(since: .distantPast) }

    /// The robot's inbox, as soon as the robot is ready; nil if it doesn't run or has stopped.
    var inbox: Inbox? {
        get async {
            await withCheckedContinuation { continuation in
                let (inbox, isReady) = state.withLock { state in
                    let isReady = state.inbox != nil || state.isOver
                    if !isReady { state.waiting.append(continuation) }
                    return (state.inbox, isReady)
                }
                if isReady { continuation.resume(returning: inbox) }
            }
        }
    }

    var lines: [TestRobot.SentUtterance] { state.withLock { $0.lines } }

    var changes: [TestRobot.SentChange] { state.withLock { $0.changes } }

    var typing: [TestRobot.ShownTyping] { state.withLock { $0.typing } }

    /// Sets how far the service confirms that messages come; nil if it confirms nothing.
    func confirm(upTo stage: DeliveryStage?) { state.withLock { $0.confirmed = stage } }

    func run(_ inbox: Inbox) async throws {
        set(inbox)
        // Runs until the robot is stopped.
        let (forever, _) = AsyncStream<Never>.makeStream()
        for await _ in forever {}
    }

    /// Called when the robot has stopped.
    func end() { set(nil) }

    private func set(_ inbox: Inbox?) {
        let waiting = state.withLock { state in
            defer { state.waiting = [] }
            state.inbox = inbox
            state.isOver = inbox == nil
            return state.waiting
        }
        for continuation in waiting { continuation.resume(returning: inbox) }
    }

    func send(_ utterance: Utterance, to envelope: Envelope) async throws -> Message.ID? {
        let count = state.withLock { state in
            state.lines.append(TestRobot.SentUtterance(utterance: utterance, envelope: envelope))
            state.typingRooms.remove(envelope.room.name)
            return state.lines.count
        }
        return id("sent-\(count)")
    }

    func change(_ message: Message.ID, _ change: MessageChange, in envelope: Envelope) async throws -> Bool {
        let feature: MessageFeature =
            switch change {
            case .edit: .edits
            case .react, .unreact: .reactions
            case .retract: .retractions
            }
        guard messageFeatures.contains(feature) else { return false }
        state.withLock { $0.changes.append(TestRobot.SentChange(message: message, change: change)) }
        return true
    }

    func showTyping(_ isTyping: Bool, in envelope: Envelope) {
        let room = envelope.room.name
        state.withLock { state in
            // What the robot has said in the room has ended the writing.
            if isTyping { state.typingRooms.insert(room) } else if state.typingRooms.remove(room) == nil { return }
            state.typing.append(TestRobot.ShownTyping(isTyping: isTyping, room: room))
        }
    }

    func waitUntil(
        _ message: Message.ID, is stage: DeliveryStage, within limit: Duration, in envelope: Envelope
    ) async throws -> Bool {
        guard let confirmed = state.withLock({ $0.confirmed }) else { return false }
        return confirmed == .seen || stage == .delivered
    }
}
