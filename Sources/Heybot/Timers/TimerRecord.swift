import FoundationEssentials

/// A timer as it is kept in the brain: for when it is set, and what it does.
///
/// A robot that fires a timer first takes a lease: it postpones ``due`` to the end of the lease. If the robot's process is
/// killed, the timer is due again at that time, for any robot that shares the brain.
struct TimerRecord: Codable, Hashable, Sendable {
    /// The time for which it is set.
    private(set) var date: Date
    /// When a robot has to look at it: at ``date``, at the next attempt, or at the end of the lease.
    private(set) var due: Date
    /// The time between two firings, in seconds; nil if it has no fixed interval.
    let interval: Int?
    /// The payload, as JSON.
    let payload: String
    /// How often a robot has tried to fire it at ``date``.
    private(set) var attempts: Int
    /// The robot that has the lease; nil if none has.
    private(set) var robot: String?

    init(date: Date, interval: Int? = nil, payload: String) {
        (self.date, due, self.interval, self.payload, attempts) = (date, date, interval, payload, 0)
    }

    /// Throws if a number is so large that calculating with it could overflow: the timer may have been imported.
    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        date = try container.decode(Date.self, forKey: .date)
        due = try container.decode(Date.self, forKey: .due)
        interval = try container.decodeIfPresent(Int.self, forKey: .interval)
        payload = try container.decode(String.self, forKey: .payload)
        attempts = try container.decode(Int.self, forKey: .attempts)
        robot = try container.decodeIfPresent(String.self, forKey: .robot)
        let dates = Date(timeIntervalSince1970: 0)...ScheduleError.latest
        guard dates.contains(date), dates.contains(due), 0...Self.mostAttempts ~= attempts,
            1...Int(ScheduleError.longestInterval) ~= interval ?? 1
        else {
            throw DecodingError.dataCorruptedError(
                forKey: .due, in: container, debugDescription: "a date or a number is out of range")
        }
    }

    /// The greatest number of attempts that can be read.
    private static let mostAttempts = 1_000_000

    /// Takes the lease of a timer that is due.
    ///
    /// If the same robot had the lease, it doesn't count as another attempt: the robot didn't learn that it had the lease, so it
    /// didn't call the handler.
    ///
    /// - Returns: False if it isn't due; another robot may have taken the lease.
    mutating func takeLease(for robot: String, at now: Date, until end: Date) -> Bool {
        guard DueTime.seconds(of: due) <= DueTime.seconds(of: now) else { return false }
        if self.robot != robot { attempts = min(attempts + 1, Self.mostAttempts) }
        self.robot = robot
        due = end
        return true
    }

    /// How the firing of a timer went.
    enum Outcome: Hashable, Sendable {
        /// There is nothing more to do at this time; nil if it isn't set for another one.
        case done(next: Date?)
        /// It failed or was interrupted, and is tried again.
        case failed(retry: Date)
        /// The handler wasn't called, so it doesn't count as an attempt.
        case notCalled(retry: Date)
    }

    /// Gives the lease back, unless the timer was changed meanwhile, or another robot has taken the lease.
    ///
    /// - Parameters:
    ///   - record: The timer in the brain; nil if it was canceled.
    ///   - leased: The timer as it was when the lease was taken.
    /// - Returns: Whether it gave the lease back.
    @discardableResult
    static func settle(_ record: inout TimerRecord?, leased: TimerRecord, _ outcome: Outcome) -> Bool {
        guard var settled = record, settled == leased else { return false }
        settled.robot = nil
        switch outcome {
        case .done(next: nil):
            record = nil
            return true
        case .done(let next?):
            (settled.date, settled.due, settled.attempts) = (next, next, 0)
        case .failed(let retry):
            settled.due = retry
        case .notCalled(let retry):
            settled.due = retry
            settled.attempts -= 1
        }
        record = settled
        return true
    }

    /// The first time after another at which a timer with an interval fires; nil if it has no interval, or the time is after the
    /// year 9999.
    func nextTime(after time: Date) -> Date? {
        guard let interval, interval > 0 else { return nil }
        let intervals = (max(time.timeIntervalSince(date), 0) / Double(interval)).rounded(.down) + 1
        let next = date + intervals * Double(interval)
        return next <= ScheduleError.latest ? next : nil
    }
}

extension Date {
    /// The date rounded up to a whole second.
    var roundedUpToSecond: Date { Date(timeIntervalSinceReferenceDate: timeIntervalSinceReferenceDate.rounded(.up)) }
}

extension Duration {
    /// The duration in seconds.
    var inSeconds: Double { Double(components.seconds) + Double(components.attoseconds) / 1e18 }
}
