import Foundation
import Heybot
import Synchronization

/// An adapter that a test controls.
package final class ChatAdapter: MessageChanging, StatusAnnouncing, OutboundQueueing {
    private struct State {
        var inbox: Inbox?
        var said: [String] = []
        var observations: [String] = []
        var typing: [Bool] = []
        var status = AdapterStatus.up(since: .distantPast)
        var onStatusChange: (@Sendable () -> Void)?
        var hasEnded = false
        var queued = 0
        /// The number of messages in the queue after the next one.
        var nextQueued = 0
    }

    package let name = "chat"
    package let messageFeatures: Set<MessageFeature> = [.edits]
    private let state = Mutex(State())
    private static let numbers = Atomic(0)

    /// Creates an adapter.
    package init() {}

    package var status: AdapterStatus { state.withLock { $0.status } }
    package var queuedMessages: Int { state.withLock { $0.queued } }
    /// What the robot has said.
    package var said: [String] { state.withLock { $0.said } }
    /// What the code of observers has said.
    package var observations: [String] { state.withLock { $0.observations } }
    /// How the robot has begun and ended to write.
    package var typing: [Bool] { state.withLock { $0.typing } }

    package func run(_ inbox: Inbox) async throws {
        state.withLock { $0.inbox = inbox }
        let (forever, _) = AsyncStream<Void>.makeStream()
        for await _ in forever {}
        state.withLock { $0.hasEnded = true }
    }

    package func send(_ utterance: Utterance, to envelope: Envelope) async throws -> Message.ID? {
        if case .topic = utterance { throw AdapterError(.notAllowed, "nobody may set the topic") }
        if state.withLock({ $0.hasEnded }) { throw AdapterError(.notConnected, "the connection has ended") }
        return state.withLock { state in
            state.said.append(utterance.content)
            state.queued = state.nextQueued
            if MessageContext.isObserver { state.observations.append(utterance.content) }
            return Message.ID(adapter: name, value: "sent-\(state.said.count)")
        }
    }

    package func change(
        _ message: Message.ID, _ change: MessageChange, in envelope: Envelope
    ) async throws -> Bool {
        guard case .edit(let utterance) = change else { return false }
        state.withLock { $0.said.append("\(message.value) is \(utterance.content)") }
        return true
    }

    package func onStatusChange(_ action: @escaping @Sendable () -> Void) {
        state.withLock { $0.onStatusChange = action }
    }

    /// So many messages are in the queue when the next one has been sent.
    package func queue(_ count: Int) { state.withLock { $0.nextQueued = count } }

    /// The queue is sent.
    package func flush() { state.withLock { ($0.queued, $0.nextQueued) = (0, 0) } }

    /// The connection is lost.
    package func disconnect() {
        let announce = state.withLock { state in
            state.status = .down(since: .distantPast, reason: "no route")
            return state.onStatusChange
        }
        announce?()
    }

    package func showTyping(_ isTyping: Bool, in envelope: Envelope) { state.withLock { $0.typing.append(isTyping) } }

    /// A user says something.
    package func hear(_ text: String, by user: String = "al", in room: String = "#a") async {
        while true {
            if let inbox = state.withLock({ $0.inbox }) {
                let number = Self.numbers.add(1, ordering: .relaxed).newValue
                return await inbox.receive(
                    Message(
                        id: .init(adapter: name, value: "m\(number)"),
                        user: User(id: .init(adapter: name, value: user), name: user),
                        room: Room(id: .init(adapter: name, value: room)), content: .text(text)))
            }
            await Task.yield()
        }
    }

    /// The commands that a user may use.
    package func commands(of user: String) async -> [String] {
        guard let inbox = state.withLock({ $0.inbox }) else { return [] }
        let user = User(id: .init(adapter: name, value: user), name: user)
        return await inbox.presentCommands(for: user, in: Room(id: .init(adapter: name, value: "#a"))).map(\.usage)
    }

    /// Waits until the robot has said so much.
    package func hasSaid(_ count: Int) async {
        while said.count < count { try? await Task.sleep(for: .milliseconds(1)) }
    }
}
