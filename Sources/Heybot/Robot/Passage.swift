import Synchronization

/// A task that sees messages through the robot, from outside: what it looks at just now, and how to do without it.
final class Passage: Sendable {
    private struct State {
        /// What it matches; nil while it runs a closure, which has a deadline.
        var matching: (delivery: Delivery, slot: Slots.Slot?)?
        /// The listener that is tried, or was last.
        var looksAt: RegisteredListener?
        /// What that listener is tried for.
        var message: Message.ID?
        var task: Task<Void, Never>?
        var isCancelled = false

        var part: ScriptPart {
            guard let listener = looksAt?.listener else { return ScriptPart(script: "Heybot", part: "receive") }
            return ScriptPart(script: listener.script, part: listener.id, message: message)
        }
    }

    private let scanning: Atomic<Bool>
    private let state = Mutex(State())

    /// - Parameter isScanning: Whether it takes messages out of the inbox.
    init(isScanning: Bool = false) {
        scanning = Atomic(isScanning)
    }

    // MARK: The inbox

    var isScanning: Bool { scanning.load(ordering: .acquiring) }

    /// Leaves the inbox to another task; false where that was done already.
    func stopScanning() -> Bool { scanning.exchange(false, ordering: .acquiringAndReleasing) }

    // MARK: Where it is

    func match(_ delivery: Delivery, _ slot: Slots.Slot? = nil) {
        state.withLock { $0.matching = (delivery, slot) }
    }

    func look(at listener: RegisteredListener, for message: Message.ID) {
        let part = state.withLock {
            ($0.looksAt, $0.message) = (listener, message)
            return $0.part
        }
        CrashContext.enter(part)
    }

    /// A listener matches, and its closure runs from here on.
    func run() { state.withLock { $0.matching = nil } }

    /// What is done there just now.
    var part: ScriptPart { state.withLock { $0.part } }

    /// Gives up what it matches: the message counts as dealt with, though the task may come back.
    func giveUp(_ end: (Delivery) -> Void) {
        guard let (delivery, slot) = state.withLock({ $0.matching.take() }) else { return }
        slot?.giveBack()
        end(delivery)
    }

    // MARK: Its task

    /// To be called once, with the task that this is.
    func begin(_ task: Task<Void, Never>) {
        let isCancelled = state.withLock {
            $0.task = task
            return $0.isCancelled
        }
        if isCancelled { task.cancel() }
    }

    /// Cancels the task; its handlers for that run here.
    func cancel() {
        let task = state.withLock {
            $0.isCancelled = true
            return $0.task
        }
        task?.cancel()
    }
}
