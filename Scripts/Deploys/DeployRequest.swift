import FoundationEssentials
import Heybot

/// A user's request to deploy: checks whether they may, asks, waits for an approval, and starts the deploy.
struct DeployRequest<Match: Sendable>: Sendable {
    private let order: DeployOrder
    private let coordinator: DeployCoordinator
    private let res: Response<Match>
    private let app: DeployApp
    private let environment: DeployApp.Environment

    private var record: DeployRecord { DeployRecord(brain: res.brain) }
    private var userName: String { String(oneLine: res.message.user.name, limit: 60) }

    /// - Throws: A ``Refusal`` if there is no such app or environment.
    init(_ order: DeployOrder, _ coordinator: DeployCoordinator, _ res: Response<Match>) throws(Refusal) {
        (self.order, self.coordinator, self.res) = (order, coordinator, res)
        app = try coordinator.apps().app(named: order.app)
        environment = try app.environment(named: order.environment ?? coordinator.settings.defaultEnvironment)
    }

    /// Deploys what was ordered.
    func perform() async throws {
        let place = order.hosts.isEmpty ? environment.name : "\(environment.name)/\(order.hosts)"
        let what = order.ref.map { "\(app.name)/\($0)" } ?? app.name
        try await recordingRefusals(to: "\(order.task) \(what) to \(place)") {
            try checkAccess()
            try await checkEnvironment()
        }
        let plan = plan(ref: try await ref(), isRollback: false)
        try await deploy(plan, question: "\(Self.capitalized(plan.command))?")
    }

    /// Deploys what was live before.
    func rollBack() async throws {
        try await recordingRefusals(to: "roll back in \(environment.name)") {
            try checkAccess()
            try await checkEnvironment()
        }
        let previous = try await previous()
        let plan = plan(ref: previous.sha ?? previous.plan.ref, isRollback: true)
        let when = "\(previous.plan.userName) deployed that \(previous.changed.ago(at: res.robot.date))"
        try await deploy(
            plan, question: "Roll back \(app.name) in \(environment.name) to \(previous.version)? \(when).")
    }

    private static func capitalized(_ text: String) -> String { text.prefix(1).uppercased() + text.dropFirst() }

    private func plan(ref: String, isRollback: Bool) -> DeployPlan {
        var repository: String?
        if case .github(let name) = environment.target { repository = name }
        return DeployPlan(
            app: app.name, ref: ref, task: order.task, environment: environment.name, hosts: order.hosts,
            isForced: order.isForced, isRollback: isRollback, target: environment.target.kind, repository: repository,
            user: res.message.user, room: res.message.room.id)
    }

    // MARK: What is deployed

    /// The branch, tag or commit to deploy: the default branch if the user has named none.
    private func ref() async throws -> String {
        if let ref = order.ref ?? app.branch { return ref }
        guard case .github(let repository) = environment.target else { return "main" }
        let client = try coordinator.github(repository, app, res.robot)
        do {
            let branch = try await client.defaultBranch(at: res.robot.date)
            guard DeployOrder.isRef(branch) else { throw Refusal("Which branch? I can't use the default branch.") }
            return branch
        } catch let error as GitHubError {
            throw Refusal(error.reason())
        }
    }

    /// The deploy to go back to: the last one that succeeded, or the one before it if that is live now.
    private func previous() async throws -> TrackedDeploy {
        let name = environment.name
        let found = try await record.latest(of: app.name, atMost: 100) { deploy in
            deploy.plan.environment == name && deploy.plan.hosts == order.hosts && deploy.started != nil
                && deploy.isOver
                && deploy.state != .notStarted
        }
        // One that waited long for its approval has a lower number than others that ended before it.
        let ended = found.sorted { $0.changed > $1.changed }
        let succeeded = ended.filter { $0.state == .succeeded }
        guard let last = ended.first, let live = succeeded.first else { throw nothingToGoBackTo }
        // A deploy that failed may have left something behind.
        if last.state != .succeeded { return live }
        guard let previous = succeeded.first(where: { ($0.sha ?? $0.plan.ref) != (live.sha ?? live.plan.ref) }) else {
            throw nothingToGoBackTo
        }
        return previous
    }

    private var nothingToGoBackTo: Refusal {
        Refusal(
            """
            I know of nothing else that was live in \(environment.name). Name it: deploy \(app.name)/<commit> to \
            \(environment.name)
            """)
    }

    // MARK: Whether it may be deployed

    private func checkAccess() throws(Refusal) {
        let access = DeployCoordinator.access(to: environment, res.robot)
        let roles = res.robot.roles(of: res.message.user)
        let refusal = access.refusal(ofUserWith: roles, in: res.message.room, on: res.robot.adapters)
        if let refusal { throw Refusal(refusal) }
    }

    private func checkEnvironment() async throws {
        try await record.environment(environment.name).check(app.name, environment.name, at: res.robot.date)
    }

    private func recordingRefusals(to what: String, _ check: () async throws -> Void) async throws {
        do {
            try await check()
        } catch let refusal as Refusal {
            let text = "\(userName) may not \(what): \(refusal.userMessage)"
            try await record.refuse(app.name, text, at: res.robot.date)
            throw refusal
        }
    }

    // MARK: The steps

    private func deploy(_ plan: DeployPlan, question: String) async throws {
        let (robot, record) = (res.robot, record)
        let id = try await record.nextID(of: app.name)
        try await coordinator.beginWork(on: id, robot)
        defer { coordinator.endWork(on: id) }
        let now = robot.date
        try await recordingRefusals(to: plan.command) {
            try await record.update(environment.name) { try $0.add(id, to: environment.name, at: now) }
        }
        try await record.add(
            TrackedDeploy(
                id: id, plan, robot: robot.name, mark: UUID().uuidString, process: coordinator.process, at: now))
        do {
            try await ask(id, plan, question)
            // Both may have changed meanwhile.
            try checkAccess()
            try await record.update(environment.name) { try $0.claim(id, in: environment.name, at: robot.date) }
        } catch let error as any UserFacingError where !error.isFailure {
            try await record.apply(.declined(error.userMessage), to: id, at: robot.date)
            throw error
        }
        guard let deploy = try await record.apply(.started, to: id, at: robot.date), deploy.state == .starting else {
            throw Refusal("The deploy \(id) was withdrawn meanwhile.")
        }
        try await coordinator.start(deploy, app, environment, robot)
    }

    /// Asks the user and a second one, as the environment demands.
    private func ask(_ id: DeployID, _ plan: DeployPlan, _ question: String) async throws {
        if environment.confirms {
            try await res.confirm(question)
            try await coordinator.apply(.confirmed, to: id, res.robot)
        }
        if let approval = environment.approval {
            let approver = try await res.approval(by: approval.role, of: plan.command, within: approval.limit)
            let name = String(oneLine: approver.name, limit: 60)
            try await coordinator.apply(.approved(by: name), to: id, res.robot)
        }
    }
}
