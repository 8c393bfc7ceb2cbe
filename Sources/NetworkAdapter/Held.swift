package import Heybot
package import Logging
import Synchronization

/// What an adapter is on its network at this moment: a state that has things to tell, and wants to be looked at in time.
package protocol NetworkPresence: Sendable {
    /// Something to tell whoever runs the robot.
    associatedtype Remark: Sendable

    /// When it is looked at next.
    var alarm: Alarm? { get set }
    /// When it wants to be looked at; nil where there is nothing to wait for.
    func due(at now: Duration) -> Duration?
    /// Does what is due.
    mutating func tick(at now: Duration)
    /// What there is to tell, once.
    mutating func takeRemarks() -> [Remark]
    /// What went over the connection, once, in order, as it may be logged, with a `>` or `<` in front.
    mutating func takeTrace() -> [String]
    /// Who isn't heard for a while from now on, once.
    mutating func takeRestrained() -> [Restrained]
}

/// When a presence is looked at, and what takes that back.
package struct Alarm: Sendable {
    fileprivate let due: Duration
    fileprivate let token: Timers.Token
}

/// A presence that several threads change, one after the other, and that gets its time.
package final class Held<Presence: NetworkPresence>: Sendable {
    package let timers: Timers
    private let presence: Mutex<Presence>
    private let timeline: Timeline
    private let logger: Logger
    private let tell: @Sendable (Presence.Remark) -> Void

    /// - Parameter tell: Told each remark.
    package init(
        _ presence: Presence, _ timeline: Timeline, _ logger: Logger,
        tell: @escaping @Sendable (Presence.Remark) -> Void
    ) {
        self.presence = Mutex(presence)
        self.timeline = timeline
        self.logger = logger
        self.tell = tell
        timers = Timers(timeline)
    }

    /// Looks at it, or changes what neither has to be told nor changes when it wants to be looked at.
    package func withLock<Result>(_ body: (inout Presence) -> Result) -> Result {
        presence.withLock { body(&$0) }
    }

    /// Changes it, and does what comes of that: tells, and wakes up when it is time.
    @discardableResult
    package func act<Result>(_ change: (inout Presence) -> Result) -> Result {
        let (result, remarks, trace, restrained) = presence.withLock { presence in
            let result = change(&presence)
            wake(&presence)
            return (result, presence.takeRemarks(), presence.takeTrace(), presence.takeRestrained())
        }
        for remark in remarks { tell(remark) }
        for one in restrained { one.log(to: logger) }
        for line in trace { logger.trace("\(line)") }
        return result
    }

    /// Sees to it that it gets its time when it wants it, and not much earlier.
    private func wake(_ presence: inout Presence) {
        let now = timeline.now()
        guard let due = presence.due(at: now) else { return }
        if let alarm = presence.alarm, alarm.due <= due { return }
        if let alarm = presence.alarm { timers.cancel(alarm.token) }
        let token = timers.after(due - now) { [weak self] in
            guard let self else { return }
            act { presence in
                presence.alarm = nil
                presence.tick(at: self.timeline.now())
            }
        }
        presence.alarm = Alarm(due: due, token: token)
    }
}
