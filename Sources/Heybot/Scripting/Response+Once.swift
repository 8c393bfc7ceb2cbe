import FoundationEssentials
import Synchronization

extension Response {
    /// Does something at most once for this message: if the process ends, another one may handle the message again.
    ///
    /// That happens to robots whose scripts have processes of their own (<doc:OperatingHeybot>). Answers are sent once anyway. If the
    /// process ends while the closure runs, or the closure is canceled at its deadline, it isn't run again, and nobody knows how far it
    /// came. If the closure throws another error, it is run again with the message.
    ///
    /// ```swift
    /// try await res.once("charge") { try await charge(account) }
    /// ```
    ///
    /// - Parameters:
    ///   - name: A name, different from those of the other things that the closure does once for the message.
    ///   - work: What to do.
    /// - Returns: Whether the closure was run this time. The brain remembers that for a day.
    @discardableResult
    public func once(_ name: String, _ work: () async throws -> Void) async throws -> Bool {
        let (robot, key) = (robot, "\(message.id) \(name)")
        let now = robot.date
        let isFirst = try await brain.update(OnceRecords.collection, key) { (date: inout Date?) -> Bool in
            defer { date = date ?? now }
            return date == nil
        }
        guard isFirst else { return false }
        do {
            try await work()
        } catch {
            // One that was canceled may have done it.
            if !(error is CancellationError) { try? await brain.forget(OnceRecords.collection, key) }
            throw error
        }
        if robot.onceRecords.isTidyDue(at: now) { try? await OnceRecords.tidy(brain, at: now) }
        return true
    }
}

/// What closures have done once.
final class OnceRecords: Sendable {
    /// The times of what was done, by message and name.
    static let collection = BrainCollection<Date>("once")
    /// How long they are kept, and how often old ones are removed, in seconds.
    private static let (lifetime, interval): (Double, Double) = (86_400, 3_600)

    private let lastTidied = Mutex<Date?>(nil)

    /// Whether old ones should be removed now; true once an hour.
    func isTidyDue(at now: Date) -> Bool {
        lastTidied.withLock { last in
            if let last, now.timeIntervalSince(last) < Self.interval { return false }
            last = now
            return true
        }
    }

    /// Removes old ones.
    static func tidy(_ brain: Brain, at now: Date) async throws {
        for try await (key, date) in brain.entries(collection) where now.timeIntervalSince(date) > lifetime {
            try await brain.forget(collection, key)
        }
    }
}
