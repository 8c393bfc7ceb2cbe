import FoundationEssentials
import Heybot
import HeybotXMPP
import Logging

/// What the brain has about a robot that runs, so that the next one knows what to do if it is killed.
struct RobotRun: Codable, Hashable, Sendable {
    /// A command in an archive.
    struct Command: Hashable, Sendable {
        /// The address of the room or of the account.
        let archive: String
        let id: String

        /// Its key in the brain: ids of different archives may be the same.
        var key: String { "\(archive) \(id)" }
    }

    /// How many robots have begun to handle a command that an earlier one hadn't answered.
    struct Attempts: Codable, Hashable, Sendable {
        var count: Int
        /// When the last one began.
        var last: Date
        /// Identifies the last one.
        var robot: String
    }

    /// Identifies the robot.
    let id: String
    /// The time since which commands may not be handled, by this robot or by those that were killed before it.
    var since: Date
    /// By ``Command/key``.
    var attempts: [String: Attempts] = [:]

    private static let maxAttempts = 2_000

    /// Counts attempts to handle commands; several attempts of a robot count as one.
    ///
    /// - Parameter earliest: Attempts before this time are forgotten: the commands are too old.
    mutating func count(_ commands: [Command], by robot: String, at date: Date, notBefore earliest: Date) {
        for key in Set(commands.map(\.key)) {
            let before = attempts[key]
            // The brain may be damaged.
            let count = min(max(before?.count ?? 0, 0), Self.maxAttempts)
            attempts[key] = Attempts(count: before?.robot == robot ? count : count + 1, last: date, robot: robot)
        }
        attempts = attempts.filter { $0.value.last >= earliest }
        guard attempts.count > Self.maxAttempts else { return }
        // A command that has ended few robots is more likely harmless.
        let kept = attempts.sorted { $0.value.count > $1.value.count }.prefix(Self.maxAttempts)
        attempts = Dictionary(uniqueKeysWithValues: kept.map { ($0.key, $0.value) })
    }

    /// Forgets the attempts of a robot: it wasn't killed.
    mutating func forgetAttempts(of robot: String) {
        for (key, attempt) in attempts where attempt.robot == robot { attempts[key]?.count = max(attempt.count, 1) - 1 }
    }
}

/// Keeps the ``RobotRun`` of a robot in the brain.
struct RobotRunKeeper: Sendable {
    private let brain: Brain?
    /// The last robot with the account that has begun to run, unless it has ended by itself.
    private let key: BrainKey<RobotRun>
    /// Identifies this robot.
    private let id = UUID().uuidString
    private let logger: Logger

    /// - Parameters:
    ///   - adapter: The adapter's name.
    ///   - account: The robot's account: robots with other accounts may share the brain.
    ///   - brain: If it is nil, nothing is known about earlier robots.
    init(of adapter: String, account: JID, in brain: Brain?, logger: Logger) {
        (self.brain, self.logger) = (brain, logger)
        key = BrainKey("\(adapter).run.\(account.bare)")
    }

    /// Records that this robot runs.
    ///
    /// - Parameters:
    ///   - since: The time since which it answers commands, if no earlier robot was killed.
    ///   - earliest: The time before which commands are too old to be answered.
    ///   - date: The current time.
    /// - Returns: What this robot takes over from an earlier one that was killed or still runs; nil if there is none.
    func begin(since: Date, notBefore earliest: Date, at date: Date) async -> RobotRun? {
        guard let brain else { return nil }
        do {
            return try await brain.update(key) { (last: inout RobotRun?) -> RobotRun? in
                guard let killed = last else {
                    last = RobotRun(id: id, since: max(since, earliest))
                    return nil
                }
                // The clock may have been set back.
                var run = RobotRun(id: id, since: min(max(killed.since, earliest), date), attempts: killed.attempts)
                run.count([], by: id, at: date, notBefore: earliest)
                last = run
                return run
            }
        } catch {
            // Storing the session at the stop reports such an error.
            return nil
        }
    }

    /// Records that commands before a time are handled.
    ///
    /// - Parameter earliest: The time before which commands are too old to be answered.
    func recordHandled(before date: Date, notBefore earliest: Date) async {
        // The next call tries it again.
        _ = try? await brain?.update(key) { (run: inout RobotRun?) -> Void in
            // Another robot may have begun.
            guard run?.id == id, let since = run?.since else { return }
            run?.since = max(since, date)
            run?.count([], by: id, at: date, notBefore: earliest)
        }
    }

    /// Records that this robot is about to handle commands that an earlier one may have been killed by.
    ///
    /// - Parameter earliest: The time before which commands are too old to be answered.
    func recordAttempts(_ commands: [RobotRun.Command], at date: Date, notBefore earliest: Date) async {
        do {
            try await brain?.update(key) { (run: inout RobotRun?) -> Void in
                run?.count(commands, by: id, at: date, notBefore: earliest)
            }
        } catch {
            logger.warning("can't record which commands of an earlier robot I handle: \(error)")
        }
    }

    /// How a robot ends by itself.
    enum End {
        /// It has handled everything, or the next robot resumes its session.
        case complete
        /// It hasn't taken over yet everything that an earlier robot has left.
        case takingOver
        /// It has lost the session that it was to leave open, so it is as if it had been killed.
        case sessionLost
    }

    /// Records that this robot has ended by itself.
    func end(_ end: End) async {
        _ = try? await brain?.update(key) { (last: inout RobotRun?) -> Void in
            // Another robot may have begun, and run on.
            guard last?.id == id else { return }
            switch end {
            case .complete: last = nil
            case .takingOver: last?.forgetAttempts(of: id)
            case .sessionLost: break
            }
        }
    }
}
