import Foundation
import GatewayHost
import GatewayLink
import Heybot
import HeybotTesting
import Logging
import Synchronization
import TestServers

/// An adapter that a test controls.
final class ChatAdapter: MessageChanging, StatusAnnouncing, OutboundQueueing {
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

    let name = "chat"
    let messageFeatures: Set<MessageFeature> = [.edits]
    private let state = Mutex(State())
    private static let numbers = Atomic(0)

    var status: AdapterStatus { state.withLock { $0.status } }
    var queuedMessages: Int { state.withLock { $0.queued } }
    /// What the robot has said.
    var said: [String] { state.withLock { $0.said } }
    /// What the code of observers has said.
    var observations: [String] { state.withLock { $0.observations } }
    /// How the robot has begun and ended to write.
    var typing: [Bool] { state.withLock { $0.typing } }

    func run(_ inbox: Inbox) async throws {
        state.withLock { $0.inbox = inbox }
        let (forever, _) = AsyncStream<Void>.makeStream()
        for await _ in forever {}
        state.withLock { $0.hasEnded = true }
    }

    func send(_ utterance: Utterance, to envelope: Envelope) async throws -> Message.ID? {
        if case .topic = utterance { throw AdapterError(.notAllowed, "nobody may set the topic") }
        if state.withLock({ $0.hasEnded }) { throw AdapterError(.notConnected, "the connection has ended") }
        return state.withLock { state in
            state.said.append(utterance.content)
            state.queued = state.nextQueued
            if MessageContext.isObserver { state.observations.append(utterance.content) }
            return Message.ID(adapter: name, value: "sent-\(state.said.count)")
        }
    }

    func change(_ message: Message.ID, _ change: MessageChange, in envelope: Envelope) async throws -> Bool {
        guard case .edit(let utterance) = change else { return false }
        state.withLock { $0.said.append("\(message.value) is \(utterance.content)") }
        return true
    }

    func onStatusChange(_ action: @escaping @Sendable () -> Void) { state.withLock { $0.onStatusChange = action } }

    /// So many messages are in the queue when the next one has been sent.
    func queue(_ count: Int) { state.withLock { $0.nextQueued = count } }

    /// The queue is sent.
    func flush() { state.withLock { ($0.queued, $0.nextQueued) = (0, 0) } }

    /// The connection is lost.
    func disconnect() {
        let announce = state.withLock { state in
            state.status = .down(since: .distantPast, reason: "no route")
            return state.onStatusChange
        }
        announce?()
    }

    func showTyping(_ isTyping: Bool, in envelope: Envelope) { state.withLock { $0.typing.append(isTyping) } }

    /// A user says something.
    func hear(_ text: String, by user: String = "al", in room: String = "#a") async {
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
    func commands(of user: String) async -> [String] {
        guard let inbox = state.withLock({ $0.inbox }) else { return [] }
        let user = User(id: .init(adapter: name, value: user), name: user)
        return await inbox.presentCommands(for: user, in: Room(id: .init(adapter: name, value: "#a"))).map(\.usage)
    }

    /// Waits until the robot has said so much.
    func hasSaid(_ count: Int) async {
        while said.count < count { try? await Task.sleep(for: .milliseconds(1)) }
    }
}

/// Runs a worker that never becomes ready.
final class StuckLauncher: WorkerLauncher {
    private let started = Atomic(false)

    /// Whether the worker was started.
    var hasStarted: Bool { started.load(ordering: .acquiring) }

    func run(
        _ socket: CInt, generation: Int, _ body: @Sendable (_ kill: @escaping @Sendable () -> Void) async -> Void
    ) async throws -> WorkerEnd {
        started.store(true, ordering: .releasing)
        await body { _ = shutdown(socket, Int32(SHUT_RDWR)) }
        close(socket)
        return WorkerEnd("signal 9")
    }
}

/// Runs `body` with a robot that consists of a gateway and workers.
func withSplitRobot(
    _ script: any Script, body: (ChatAdapter, GatewayDriver, LocalLauncher) async throws -> Void
) async throws {
    let logger = Logger(label: "gateway") { _ in SwiftLogNoOpLogHandler() }
    let (adapter, launcher) = (ChatAdapter(), LocalLauncher([script], for: [ChatAdapter()]))
    let driver = GatewayDriver(launcher, logger: logger, metrics: { "up 1\n" })
    let robot = Robot(
        name: "Heybot", adapters: [adapter], brain: Brain(store: MemoryStore()), scripts: [driver.script],
        logger: logger)
    async let running: Void = robot.run()
    do {
        try await body(adapter, driver, launcher)
        robot.stop()
        try await running
    } catch {
        robot.stop()
        try await running
        throw error
    }
}
