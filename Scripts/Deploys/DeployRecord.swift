import FoundationEssentials
import Heybot

/// The record of all deploys, refusals and locks, in the brain.
///
/// Entries are only added, and steps are only appended to a deploy. The oldest entries are removed: of each app, the last 2,000
/// deploys and 1,000 refusals are kept, and of each environment the last 1,000 times that it was locked or unlocked.
struct DeployRecord: Sendable {
    private static let most = (deploys: 2_000, refusals: 1_000, lockChanges: 1_000)

    private static let deploys = BrainCollection<TrackedDeploy>("deploys.record")
    private static let refusals = BrainCollection<TrackedDeploy.Step>("deploys.refusals")
    private static let locks = BrainCollection<TrackedDeploy.Step>("deploys.locks")
    /// The last number of an app's deploys and refusals.
    private static let numbers = BrainCollection<Int>("deploys.numbers")
    private static let environments = BrainCollection<DeployEnvironmentState>("deploys.environments")
    /// The processes that work on deploys, and when they were last seen.
    private static let processes = BrainCollection<Date>("deploys.processes")

    let brain: Brain

    // MARK: Deploys

    /// Returns the number of the next deploy of an app.
    func nextID(of app: String) async throws -> DeployID {
        let number = try await next("deploys \(app)")
        if number > Self.most.deploys {
            try await brain.forget(Self.deploys, "\(DeployID(app: app, number: number - Self.most.deploys))")
        }
        return DeployID(app: app, number: number)
    }

    private func next(_ name: String) async throws -> Int {
        try await brain.update(Self.numbers, name, default: 0) { number in
            number &+= 1
            return number
        }
    }

    func add(_ deploy: TrackedDeploy) async throws { try await brain.remember(Self.deploys, "\(deploy.id)", deploy) }

    func deploy(_ id: DeployID) async throws -> TrackedDeploy? { try await brain.recall(Self.deploys, "\(id)") }

    /// Applies what has happened to a deploy.
    ///
    /// - Returns: The deploy; nil if it isn't in the record any more.
    @discardableResult
    func apply(_ event: DeployEvent, to id: DeployID, at date: Date) async throws -> TrackedDeploy? {
        try await change(id) { deploy in _ = deploy.apply(event, at: date) }
    }

    /// The room has got a line.
    func removeSent(_ line: String, of id: DeployID) async throws {
        try await change(id) { deploy in deploy.removeSent(line) }
    }

    @discardableResult
    private func change(_ id: DeployID, _ change: (inout TrackedDeploy) -> Void) async throws -> TrackedDeploy? {
        let changed = try await brain.update(Self.deploys, "\(id)") {
            (deploy: inout TrackedDeploy?) -> TrackedDeploy? in
            guard var present = deploy else { return nil }
            change(&present)
            deploy = present
            return present
        }
        guard let changed else { return nil }
        if changed.isOver { try await update(changed.plan.environment) { $0.settle(changed) } }
        return changed
    }

    /// Returns the last deploys of an app that meet a condition, the newest first.
    ///
    /// - Parameter scanned: The number of deploys that are looked at.
    func latest(
        of app: String, atMost count: Int, among scanned: Int = 200,
        where isMeant: (TrackedDeploy) -> Bool = { _ in true }
    ) async throws -> [TrackedDeploy] {
        let last = try await brain.recall(Self.numbers, "deploys \(app)") ?? 0
        var found: [TrackedDeploy] = []
        var number = last
        while number > 0, number > last - scanned, found.count < count {
            if let deploy = try await deploy(DeployID(app: app, number: number)), isMeant(deploy) {
                found.append(deploy)
            }
            number -= 1
        }
        return found
    }

    // MARK: Refusals

    /// The name under which the refusals to lock an environment are recorded; no app can have it.
    static func name(of environment: String) -> String { "/\(environment.lowercased())" }

    /// Records that somebody may not do something with an app.
    func refuse(_ app: String, _ text: String, at date: Date) async throws {
        let number = try await next("refusals \(app)")
        let step = TrackedDeploy.Step(date: date, text: String(oneLine: text, limit: 400))
        try await brain.remember(Self.refusals, "\(app) \(number)", step)
        if number > Self.most.refusals {
            try await brain.forget(Self.refusals, "\(app) \(number - Self.most.refusals)")
        }
    }

    /// Returns the last refusals, the newest first.
    func refusals(of app: String, atMost count: Int) async throws -> [TrackedDeploy.Step] {
        let last = try await brain.recall(Self.numbers, "refusals \(app)") ?? 0
        return try await newest(Self.refusals, app, last, count)
    }

    private func newest(
        _ collection: BrainCollection<TrackedDeploy.Step>, _ name: String, _ last: Int, _ count: Int
    ) async throws -> [TrackedDeploy.Step] {
        var steps: [TrackedDeploy.Step] = []
        var number = last
        while number > 0, number > last - count {
            if let step = try await brain.recall(collection, "\(name) \(number)") { steps.append(step) }
            number -= 1
        }
        return steps
    }

    // MARK: Environments

    func environment(_ name: String) async throws -> DeployEnvironmentState {
        try await brain.recall(Self.environments, name.lowercased()) ?? DeployEnvironmentState()
    }

    /// Returns all environments that were used, by name in lower case.
    func allEnvironments() async throws -> [String: DeployEnvironmentState] {
        var found: [String: DeployEnvironmentState] = [:]
        for try await (name, state) in brain.entries(Self.environments) { found[name] = state }
        return found
    }

    /// Changes an environment.
    func update<Result>(
        _ environment: String, _ change: (inout DeployEnvironmentState) throws -> Result
    ) async throws -> Result {
        try await brain.update(
            Self.environments, environment.lowercased(), default: DeployEnvironmentState(), change)
    }

    /// Locks or unlocks an environment, and records that.
    func updateLock<Result>(
        of environment: String, _ change: (inout DeployEnvironmentState) throws -> Result
    ) async throws -> Result {
        // The previous change, which wasn't recorded if its process was killed just then.
        try await recordLockChange(of: environment, try await self.environment(environment))
        let (result, state) = try await update(environment) { state in
            let result = try change(&state)
            return (result, state)
        }
        try await recordLockChange(of: environment, state)
        return result
    }

    private func recordLockChange(of environment: String, _ state: DeployEnvironmentState) async throws {
        guard let step = state.lastLockChange else { return }
        let name = environment.lowercased()
        try await brain.remember(Self.locks, "\(name) \(state.lockChanges)", step)
        let old = state.lockChanges - Self.most.lockChanges
        if old > 0 { try await brain.forget(Self.locks, "\(name) \(old)") }
    }

    /// Returns the last times that an environment was locked or unlocked, the newest first.
    func lockChanges(of environment: String, atMost count: Int) async throws -> [TrackedDeploy.Step] {
        let state = try await self.environment(environment)
        try await recordLockChange(of: environment, state)
        return try await newest(Self.locks, environment.lowercased(), state.lockChanges, count)
    }

    // MARK: Processes

    /// Records that a process works on deploys.
    func see(_ process: String, at date: Date) async throws { try await brain.remember(Self.processes, process, date) }

    /// When a process was last seen; nil if never.
    func lastSeen(_ process: String) async throws -> Date? { try await brain.recall(Self.processes, process) }

    func forget(_ process: String) async throws { try await brain.forget(Self.processes, process) }
}
