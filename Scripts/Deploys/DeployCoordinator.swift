import FoundationEssentials
import Heybot
import Logging
import Synchronization

/// Starts deploys, and follows them until they are over.
final class DeployCoordinator: Sendable {
    /// The values of the script's settings.
    struct Settings: Sendable {
        /// The path of apps.json.
        let appsFile: String
        let githubToken: String?
        /// The base URL of GitHub's API.
        let githubService: String
        let defaultEnvironment: String
        let allowsCommands: Bool
        /// Whether GitHub may report by a webhook, so that the robot asks it less often.
        let hasGitHubWebhook: Bool
    }

    /// The time after which a process that wasn't seen doesn't work on its deploys any more, in seconds.
    private static let longestSilence = 45.0

    let settings: Settings
    /// A name for this process, so that another one knows which deploys were abandoned.
    let process = UUID().uuidString
    let announcer = DeployAnnouncer()
    let commands = DeployCommands()
    let polls = GitHubPolls()
    /// The deploys that this process works on.
    private let working = Mutex<[DeployID: Int]>([:])

    init(_ settings: Settings) { self.settings = settings }

    // MARK: The apps

    /// Reads apps.json.
    ///
    /// - Throws: A ``Refusal`` that says what is wrong with it.
    func apps() throws(Refusal) -> DeployApps {
        guard let data = try? Data(contentsOf: URL(filePath: settings.appsFile)) else {
            throw Refusal("I can't read apps.json: HEYBOT_DEPLOY_APPS_JSON must be the path of a file that I may read.")
        }
        do {
            return try DeployApps(data)
        } catch {
            throw Refusal("There is an error in apps.json. \(error.description).")
        }
    }

    /// Who may deploy to an environment: as apps.json says, otherwise whom an admin has allowed to deploy from chat,
    /// otherwise the users with the role deployer.
    static func access(to environment: DeployApp.Environment, _ robot: Robot) -> Access {
        var access = usualAccess(robot)
        if let roles = environment.roles { access = access.roles(roles.isEmpty ? nil : roles) }
        if let rooms = environment.rooms { access = access.rooms(rooms) }
        return access
    }

    private static func usualAccess(_ robot: Robot) -> Access {
        let changes = robot.changedAccess.entries.filter { $0.script == "Deploys" }
        let change = changes.last { $0.command == "deploy" } ?? changes.last { $0.command == nil }
        return change?.access ?? .role("deployer")
    }

    /// Returns a client for a repository's deployments.
    ///
    /// - Throws: A ``Refusal`` if there is no token.
    func github(_ repository: String, _ app: DeployApp?, _ robot: Robot) throws(Refusal) -> GitHubDeployments {
        guard let token = app?.token ?? settings.githubToken else {
            throw Refusal(
                "I have no GitHub token for \(repository): set HEYBOT_DEPLOY_GITHUB_TOKEN, or github_token in apps.json."
            )
        }
        return GitHubDeployments(
            service: app?.api ?? settings.githubService, token: token, repository: repository, http: robot.http)
    }

    // MARK: Work of this process

    /// Begins to work on a deploy, so that no other process takes it for abandoned.
    func beginWork(on id: DeployID, _ robot: Robot) async throws {
        working.withLock { $0[id, default: 0] += 1 }
        do {
            try await DeployRecord(brain: robot.brain).see(process, at: robot.date)
        } catch {
            endWork(on: id)
            throw error
        }
    }

    func endWork(on id: DeployID) {
        working.withLock { working in
            let count = (working[id] ?? 0) - 1
            working[id] = count > 0 ? count : nil
        }
    }

    /// Records that this process still works on deploys, if it does.
    func showWork(_ record: DeployRecord, _ robot: Robot) async throws {
        if working.withLock({ !$0.isEmpty }) { try await record.see(process, at: robot.date) }
    }

    /// Whether no process works on a deploy any more.
    func isAbandoned(_ deploy: TrackedDeploy, _ record: DeployRecord, _ robot: Robot) async throws -> Bool {
        guard let owner = deploy.process else { return true }
        if owner == process { return working.withLock { $0[deploy.id] == nil } }
        guard let seen = try await record.lastSeen(owner) else { return true }
        return abs(robot.date.timeIntervalSince(seen)) > Self.longestSilence
    }

    /// Whether this robot is the one that tells a deploy's room about it.
    static func isOwn(_ deploy: TrackedDeploy, _ robot: Robot) -> Bool {
        deploy.robot == robot.name && robot.adapters.contains { $0.name == deploy.plan.room.adapter }
    }

    /// Applies what has happened to a deploy, and tells its room.
    @discardableResult
    func apply(_ event: DeployEvent, to id: DeployID, _ robot: Robot) async throws -> TrackedDeploy? {
        let record = DeployRecord(brain: robot.brain)
        let deploy = try await record.apply(event, to: id, at: robot.date)
        await announcer.announce(id, record, robot)
        return deploy
    }

    /// Ends the commands that run, because the robot stops, and what else this process works on.
    func stop(_ robot: Robot) async {
        await commands.stop()
        // Otherwise another process would wait a while before it takes over.
        try? await DeployRecord(brain: robot.brain).forget(process)
    }
}
