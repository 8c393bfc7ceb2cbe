import FoundationEssentials
import Heybot

/// What all robots that share the brain know about an environment: its lock, the deploys under way, and what is live.
///
/// It is one entry of the brain, so that no deploy can begin after a lock, and no app is deployed twice at a time.
struct DeployEnvironmentState: Codable, Hashable, Sendable {
    struct Lock: Codable, Hashable, Sendable {
        let user: User
        let reason: String
        let date: Date

        /// Such as `ada 3 min ago: payroll`.
        func line(at now: Date) -> String { "\(String(oneLine: user.name, limit: 60)) \(date.ago(at: now)): \(reason)" }
    }

    /// A deploy that isn't over, or whose room doesn't know yet how it went.
    struct OpenDeploy: Codable, Hashable, Sendable {
        /// The time after which a deploy that no robot follows doesn't keep others from deploying its app, in seconds.
        static let lease = 600.0

        let id: DeployID
        /// Whether the app can't be deployed meanwhile.
        var isRunning: Bool
        /// When a robot looked at it last, give or take a minute.
        fileprivate(set) var followed: Date

        /// The time since a robot looked at it, in seconds.
        func silence(at now: Date) -> Double {
            // Absolute, since the clock may have been set back.
            abs(now.timeIntervalSince(followed))
        }
    }

    /// The deploy of an app that succeeded last.
    struct LiveDeploy: Codable, Hashable, Sendable {
        let id: DeployID
        let version: String
        let user: String
        let date: Date
    }

    /// The greatest number of open deploys.
    private static let most = 100

    private(set) var lock: Lock?
    private(set) var open: [OpenDeploy] = []
    /// By app.
    private(set) var live: [String: LiveDeploy] = [:]
    /// The number of times it was locked or unlocked.
    private(set) var lockChanges = 0
    private(set) var lastLockChange: TrackedDeploy.Step?

    /// Adds a deploy that somebody has asked for.
    ///
    /// - Throws: A ``Refusal`` if it can't be deployed now.
    mutating func add(_ id: DeployID, to environment: String, at now: Date) throws(Refusal) {
        try check(id.app, environment, at: now)
        guard open.count < Self.most else { throw Refusal("Too many deploys to \(environment) are open already.") }
        open.append(OpenDeploy(id: id, isRunning: false, followed: now))
    }

    /// Reserves the environment for a deploy of its app.
    ///
    /// - Throws: A ``Refusal`` if it was locked, or the app is being deployed.
    mutating func claim(_ id: DeployID, in environment: String, at now: Date) throws(Refusal) {
        try check(id.app, environment, at: now)
        remove(id)
        // No robot follows the app's other deploys now. One that comes back only tells its room how they ended.
        for index in open.indices where open[index].id.app == id.app { open[index].isRunning = false }
        open.append(OpenDeploy(id: id, isRunning: true, followed: now))
    }

    /// A robot follows a deploy.
    mutating func renew(_ id: DeployID, at now: Date) {
        if let index = open.firstIndex(where: { $0.id == id }) { open[index].followed = now }
    }

    /// - Throws: A ``Refusal`` if it is locked, or the app is being deployed.
    func check(_ app: String, _ environment: String, at now: Date) throws(Refusal) {
        if let lock {
            throw Refusal(
                "\(environment) is locked by \(lock.line(at: now)). To unlock it, say \"unlock \(environment)\".")
        }
        let running = open.filter { $0.isRunning && $0.id.app == app }
        if let other = running.first(where: { $0.silence(at: now) <= OpenDeploy.lease }) {
            throw Refusal("\(app) is being deployed to \(environment) already: see \"deploy status\" for \(other.id).")
        }
    }

    /// Takes note of how far a deploy is.
    mutating func settle(_ deploy: TrackedDeploy) {
        guard deploy.isOver else { return }
        if deploy.state == .succeeded, live[deploy.id.app].map({ $0.date <= deploy.changed }) ?? true {
            live[deploy.id.app] = LiveDeploy(
                id: deploy.id, version: deploy.version, user: deploy.plan.userName, date: deploy.changed)
        }
        guard let index = open.firstIndex(where: { $0.id == deploy.id }) else { return }
        // News about an unknown deploy may still come.
        if deploy.unsent.isEmpty, deploy.state != .unknown {
            open.remove(at: index)
        } else {
            open[index].isRunning = false
        }
    }

    /// Removes a deploy.
    mutating func remove(_ id: DeployID) { open.removeAll { $0.id == id } }

    /// Locks it.
    ///
    /// - Throws: A ``Refusal`` if it is locked.
    mutating func setLock(
        on environment: String, by user: User, _ reason: String, at now: Date
    ) throws(Refusal) {
        if let lock { throw Refusal("\(environment) is locked already, by \(lock.line(at: now)).") }
        lock = Lock(user: user, reason: reason, date: now)
        lockChanges += 1
        let name = String(oneLine: user.name, limit: 60)
        lastLockChange = TrackedDeploy.Step(date: now, text: "\(name) locked \(environment): \(reason)")
    }

    /// Unlocks it.
    ///
    /// - Throws: A ``Refusal`` if it isn't locked.
    mutating func removeLock(from environment: String, by user: User, at now: Date) throws(Refusal) {
        guard let old = lock else { throw Refusal("\(environment) isn't locked.") }
        lock = nil
        lockChanges += 1
        let name = String(oneLine: user.name, limit: 60)
        lastLockChange = TrackedDeploy.Step(
            date: now, text: "\(name) unlocked \(environment), which was locked by \(old.line(at: now))")
    }
}
