import Dispatch
import FoundationEssentials
import Heybot
import HeybotTesting
import Logging
import Synchronization

/// An adapter that a test controls.
final class ManualAdapter: Adapter {
    private struct State {
        var inbox: Inbox?
        var said: [(Utterance, Envelope)] = []
        var waiting: [(count: Int, Signal)] = []
        var status = AdapterStatus.starting
    }

    let name: String
    private let state = Mutex(State())
    private let isReady = Signal()
    private let isOver = Signal()
    private let onDeliver: @Sendable (Utterance) async throws -> Void

    init(_ name: String = "hand", onDeliver: @escaping @Sendable (Utterance) async throws -> Void = { _ in }) {
        self.name = name
        self.onDeliver = onDeliver
    }

    var status: AdapterStatus { state.withLock { $0.status } }
    var said: [Utterance] { state.withLock { $0.said.map(\.0) } }
    var texts: [String] { said.map(\.content) }

    /// Connects, or disconnects: an adapter is starting until then.
    func setStatus(_ status: AdapterStatus) { state.withLock { $0.status = status } }

    func run(_ inbox: Inbox) async throws {
        state.withLock { $0.inbox = inbox }
        isReady.set()
        await withTaskCancellationHandler {
            await isOver.wait()
        } onCancel: {
            isOver.set()
        }
    }

    func deliver(_ utterance: Utterance, to envelope: Envelope) async throws {
        try await onDeliver(utterance)
        let due = state.withLock { state in
            state.said.append((utterance, envelope))
            let due = state.waiting.filter { $0.count <= state.said.count }
            state.waiting.removeAll { $0.count <= state.said.count }
            return due
        }
        for (_, signal) in due { signal.set() }
    }

    /// Ends the adapter.
    func end() { isOver.set() }

    func message(_ text: String, _ user: String = "alice", in room: String = "#test") -> Message {
        Message(
            id: .init(adapter: name, value: "\(Self.numbers.add(1, ordering: .relaxed).newValue)"),
            user: User(id: .init(adapter: name, value: user), name: user),
            room: Room(id: .init(adapter: name, value: room)), content: .text(text))
    }

    func receive(_ text: String, _ user: String = "alice", in room: String = "#test") async {
        await isReady.wait()
        await state.withLock { $0.inbox }?.receive(message(text, user, in: room))
    }

    /// Receives what another process has received.
    func receive(_ text: String, whenDone: @escaping @Sendable () -> Void) async {
        let unhandled = await receive([text]) { _ in whenDone() }
        if !unhandled.isEmpty { whenDone() }
    }

    /// Receives what another process has received, and returns the indices of the messages that no listener can match.
    func receive(_ texts: [String], whenDone: @escaping @Sendable (Int) -> Void) async -> [Int] {
        await isReady.wait()
        return state.withLock { $0.inbox }?.receive(texts.map { message($0) }, whenDone: whenDone) ?? []
    }

    func receive(_ messages: [Message], timeout: Duration) async {
        await isReady.wait()
        await state.withLock { $0.inbox }?.receive(messages, timeout: timeout)
    }

    /// Receives what `read` returns, as the adapters of networks do.
    func receive(_ read: (_ isStopping: Bool) -> [Message]) async {
        await isReady.wait()
        await state.withLock { $0.inbox }?.receive(timeout: .seconds(600)) { (read($0), ()) }
    }

    func handle(_ text: String, _ user: String = "alice", in room: String = "#test") async {
        await handle(message(text, user, in: room))
    }

    func handle(_ message: Message) async {
        await isReady.wait()
        await state.withLock { $0.inbox }?.handle(message)
        await SplitRobots.waitUntilDone(message.id)
    }

    /// Waits until a number of utterances have been delivered.
    func hasSaid(_ count: Int) async {
        let signal = Signal()
        let isDone = state.withLock { state in
            if state.said.count < count { state.waiting.append((count, signal)) }
            return state.said.count >= count
        }
        if !isDone { await signal.wait() }
    }

    private static let numbers = Atomic(0)
}

/// An event that happens once.
///
/// A task can wait for it, and a thread can spin until it happens.
final class Signal: Sendable {
    private let state = Mutex<(isSet: Bool, waiting: [CheckedContinuation<Void, Never>])>((false, []))

    var isSet: Bool { state.withLock { $0.isSet } }

    func set() {
        let waiting = state.withLock { state in
            defer { state = (true, []) }
            return state.waiting
        }
        for continuation in waiting { continuation.resume() }
    }

    func wait() async {
        await withCheckedContinuation { continuation in
            let isSet = state.withLock { state in
                if !state.isSet { state.waiting.append(continuation) }
                return state.isSet
            }
            if isSet { continuation.resume() }
        }
    }

    /// Blocks the thread until the signal is set.
    func spin() {
        while !isSet {}
    }
}

/// A store in memory with hooks, to make it wait or fail.
final class HookedStore: Store {
    private let store = MemoryStore()
    private let onOpen: @Sendable () async throws -> Void
    /// Called after each read.
    private let onRead: @Sendable () async -> Void

    init(
        onOpen: @escaping @Sendable () async throws -> Void = {}, onRead: @escaping @Sendable () async -> Void = {}
    ) {
        self.onOpen = onOpen
        self.onRead = onRead
    }

    func open() async throws {
        try await onOpen()
        try await store.open()
    }

    func close() async { await store.close() }

    func value(for key: StoreKey) async throws -> [UInt8]? {
        let value = try await store.value(for: key)
        await onRead()
        return value
    }

    func set(_ value: [UInt8]?, for key: StoreKey) async throws { try await store.set(value, for: key) }

    func compareAndSet(_ value: [UInt8]?, for key: StoreKey, expecting: [UInt8]?) async throws -> Bool {
        try await store.compareAndSet(value, for: key, expecting: expecting)
    }

    func page(of collection: String?, after cursor: String?, limit: Int) async throws -> StorePage {
        try await store.page(of: collection, after: cursor, limit: limit)
    }

    func collections(after cursor: String?, limit: Int) async throws -> (names: [String], next: String?) {
        try await store.collections(after: cursor, limit: limit)
    }
}

/// Runs `body` with a running robot.
func withRobot<Result: Sendable>(
    adapters: [any Adapter], brain: Brain = Brain(store: MemoryStore()), limits: Robot.Limits = Robot.Limits(),
    logger: Logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }, _ scripts: any Script...,
    body: (Robot) async throws -> Result
) async throws -> Result {
    var limits = limits
    limits.shutdownGracePeriod = .milliseconds(50)
    // On a busy machine, a closure that waits for its test may wait for minutes.
    if limits.deadline == Robot.Limits().deadline { limits.deadline = .seconds(1_800) }
    // A thread that doesn't get the processor isn't stalled.
    if limits.stallThreshold == Robot.Limits().stallThreshold { limits.stallThreshold = .seconds(60) }
    var split: SplitRobot?
    if let link = SplitRobots.link { split = try await SplitRobot(link, adapters, brain, scripts, limits, logger) }
    let robot =
        split?.gateway
        ?? Robot(name: "Heybot", adapters: adapters, brain: brain, scripts: scripts, limits: limits, logger: logger)
    async let running: Void = robot.run()
    do {
        let handled = split?.waitUntilDone ?? SplitRobots.waitUntilDone
        let worker = await split?.worker() ?? robot
        let result = try await SplitRobots.$waitUntilDone.withValue(handled) { try await body(worker) }
        await split?.end()
        robot.stop()
        try await running
        return result
    } catch {
        await split?.end()
        robot.stop()
        try await running
        throw error
    }
}
