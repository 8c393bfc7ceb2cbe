package import Heybot

/// The latest messages whose delivery scripts may wait for, and the scripts that wait.
package struct DeliveryTracker: Sendable {
    private struct Entry: Sendable {
        let id: String
        /// A user who has seen a message has seen the earlier ones of the same conversation.
        let conversation: String
        /// Nil until it has arrived.
        var stage: DeliveryStage?
    }

    private struct Waiter: Sendable {
        let number: Int
        let id: String
        let stage: DeliveryStage
        let continuation: CheckedContinuation<Bool, Never>
    }

    private static let limit = 200

    private var entries: [Entry] = []
    private var waiters: [Waiter] = []
    /// The callers that have a number, and don't wait yet.
    private var newcomers: Set<Int> = []
    private var lastNumber = 0

    package init() {}

    /// Whether no message is tracked.
    package var isEmpty: Bool { entries.isEmpty }

    /// Tracks a message from now on, in place of the oldest if there are too many.
    package mutating func track(_ id: String, in conversation: String) {
        if entries.count >= Self.limit { entries.removeFirst() }
        entries.append(Entry(id: id, conversation: conversation))
    }

    /// Records that a message has come so far; one that isn't tracked is ignored.
    package mutating func confirm(_ id: String, _ stage: DeliveryStage) {
        guard let last = entries.lastIndex(where: { $0.id == id }) else { return }
        let conversation = entries[last].conversation
        var changed: Set<String> = [id]
        if entries[last].stage != .seen { entries[last].stage = stage }
        if stage == .seen {
            for index in entries[..<last].indices where entries[index].conversation == conversation {
                entries[index].stage = .seen
                changed.insert(entries[index].id)
            }
        }
        resume(true) { changed.contains($0.id) && ($0.stage == .delivered || stage == .seen) }
    }

    /// Records that a message won't arrive, unless it has arrived.
    package mutating func fail(_ id: String) {
        guard let last = entries.lastIndex(where: { $0.id == id }), entries[last].stage == nil else { return }
        entries.remove(at: last)
        resume(false) { $0.id == id }
    }

    /// Returns the number of the next caller that waits.
    package mutating func nextNumber() -> Int {
        lastNumber += 1
        newcomers.insert(lastNumber)
        return lastNumber
    }

    /// Resumes the continuation with true as soon as a message has come so far, and with false if it isn't tracked, or by
    /// ``abandon(_:)``, also if that was called before.
    package mutating func wait(
        _ number: Int, for id: String, _ stage: DeliveryStage, _ continuation: CheckedContinuation<Bool, Never>
    ) {
        let mayWait = newcomers.remove(number) != nil
        guard let entry = entries.last(where: { $0.id == id }) else { return continuation.resume(returning: false) }
        let isThere = entry.stage == .seen || entry.stage == .delivered && stage == .delivered
        guard !isThere, mayWait else { return continuation.resume(returning: isThere) }
        waiters.append(Waiter(number: number, id: id, stage: stage, continuation: continuation))
    }

    /// Lets a caller wait no longer.
    package mutating func abandon(_ number: Int) {
        // The limit may be over before the wait has begun.
        if newcomers.remove(number) == nil { resume(false) { $0.number == number } }
    }

    private mutating func resume(_ isThere: Bool, where isMeant: (Waiter) -> Bool) {
        let meant = waiters.filter(isMeant)
        if meant.isEmpty { return }
        waiters.removeAll(where: isMeant)
        for waiter in meant { waiter.continuation.resume(returning: isThere) }
    }
}

/// A session manager that knows what has become of sent messages.
package protocol DeliveryTracking: SessionManager {
    /// The messages whose delivery scripts may wait for.
    var deliveries: DeliveryTracker { get set }
}

extension SessionDriver where Manager: DeliveryTracking {
    /// Waits until a message has come so far; false if that isn't confirmed within the limit, or the task is canceled.
    package func waitUntil(_ id: String, is stage: DeliveryStage, within limit: Duration) async -> Bool {
        let number = withLock { $0.deliveries.nextNumber() }
        let timer = timers.after(limit) { [weak self] in self?.withLock { $0.deliveries.abandon(number) } }
        defer { timers.cancel(timer) }
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                withLock { $0.deliveries.wait(number, for: id, stage, continuation) }
            }
        } onCancel: {
            withLock { $0.deliveries.abandon(number) }
        }
    }
}
