import Synchronization

/// A task that sees messages through the robot, from outside: what it looks at just now, and how to do without it.
final class Passage: Sendable {
    /// What its task is doing.
    enum Work {
        /// It runs, or is ready to.
        case running
        /// It waits for something, after it has run that many times.
        case waiting(Int)
    }

    private struct State {
        var isScanning: Bool
        /// What it took on last from the inbox.
        var scanned: Delivery?
        /// What it matches; nil while it runs a closure, which has a deadline.
        var matching: Delivery?
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

    /// The number of its pass over the inbox; 0 if it makes none.
    let number: Int
    private let state: Mutex<State>
    private let begun = Atomic(0)
    private let ended = Atomic(0)

    /// - Parameter number: The number of the pass over the inbox that it makes, if it takes messages out of it.
    init(scanning number: Int? = nil) {
        self.number = number ?? 0
        state = Mutex(State(isScanning: number != nil))
    }

    // MARK: The inbox

    /// Leaves the inbox to another task; false if that was done already.
    func stopScanning() -> Bool {
        state.withLock { state in
            defer { (state.isScanning, state.scanned) = (false, nil) }
            return state.isScanning
        }
    }

    /// Takes on a message from the inbox; false if another task has the inbox now, and the message too.
    func scan(_ delivery: Delivery) -> Bool {
        state.withLock {
            guard $0.isScanning else { return false }
            ($0.scanned, $0.matching) = (delivery, delivery)
            return true
        }
    }

    // MARK: Where it is

    func match(_ delivery: Delivery) { state.withLock { $0.matching = delivery } }

    func look(at listener: RegisteredListener, for message: Message.ID) {
        let part = state.withLock {
            ($0.looksAt, $0.message) = (listener, message)
            return $0.part
        }
        CrashContext.enter(part)
    }

    /// What it matched last is dealt with: a closure runs from here on, or the message waits for its turn.
    func run() { state.withLock { $0.matching = nil } }

    /// What is done there just now.
    var part: ScriptPart { state.withLock { $0.part } }

    /// Gives up what it matches, and the inbox: the message counts as dealt with, though the task may come back.
    ///
    /// - Returns: The message; whether the inbox is free for another task; and what this one took on last from the inbox.
    func giveUp() -> (matching: Delivery?, wasScanning: Bool, scanned: Delivery?) {
        state.withLock { state in
            defer { state.isScanning = false }
            return (state.matching.take(), state.isScanning, state.scanned.take())
        }
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

    func jobBegins() { begun.add(1, ordering: .acquiringAndReleasing) }

    func jobEnded() { ended.add(1, ordering: .acquiringAndReleasing) }

    var work: Work {
        // In this order: what has begun since counts as running.
        let ended = ended.load(ordering: .acquiring)
        let begun = begun.load(ordering: .acquiring)
        return begun == ended ? .waiting(begun) : .running
    }
}
