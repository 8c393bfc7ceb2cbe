public import Heybot
import Logging

/// Deploys apps with the commands of hubot-deploy: by GitHub's deployments, by a webhook, or by a command.
public struct Deploys: Script {
    static let appsFile = ScriptSetting(
        "DEPLOY_APPS_JSON", "the path of `apps.json`, which lists the apps to deploy and their environments")
    static let token = ScriptSetting(
        "DEPLOY_GITHUB_TOKEN", "a GitHub token that may create deployments", isSecret: true)
    static let environment = ScriptSetting(
        "DEPLOY_DEFAULT_ENVIRONMENT", "the environment to deploy to if a command names none", default: "production")
    static let commands = ScriptSetting(
        "DEPLOY_COMMANDS", "whether the robot may run the commands in `apps.json`", default: false)

    /// The time between two looks at the open deploys.
    private let interval: Duration

    public init() { self.init(interval: .seconds(15)) }

    /// Creates the script with another time between two looks at the open deploys, for tests.
    package init(interval: Duration) { self.interval = interval }

    public var topic: ScriptTopic { .work }
    public var settings: [any AnyScriptSetting] {
        [Self.appsFile, Self.token, Self.environment, Self.commands, GitHub.secret, Repositories.service]
    }

    public func register(on robot: inout RobotBuilder) {
        guard let path = robot.value(of: Self.appsFile) else {
            registerHint(on: &robot)
            return
        }
        let coordinator = DeployCoordinator(
            DeployCoordinator.Settings(
                appsFile: path, githubToken: robot.value(of: Self.token),
                githubService: robot.value(of: Repositories.service),
                defaultEnvironment: robot.value(of: Self.environment), allowsCommands: robot.value(of: Self.commands),
                hasGitHubWebhook: robot.value(of: GitHub.secret) != nil))
        registerDeploying(coordinator, on: &robot)
        registerLocks(coordinator, on: &robot)
        registerLists(coordinator, on: &robot)
        registerRecord(coordinator, on: &robot)
        registerFollowing(coordinator, on: &robot)
    }

    /// Without apps.json there are no commands, so that other scripts can have some with these names.
    private func registerHint(on robot: inout RobotBuilder) {
        robot.catchAll(onlyAddressed: true) { res in
            let beginning = res.match.prefix(8).lowercased()
            guard beginning.hasPrefix("deploy ") || beginning == "deploy! " else { throw SkipListener() }
            try await res.reply(
                "I have nothing to deploy yet: set HEYBOT_DEPLOY_APPS_JSON to the path of your apps.json.")
            res.finish()
        }
    }

    private func registerFollowing(_ coordinator: DeployCoordinator, on robot: inout RobotBuilder) {
        robot.after(.zero) { robot in
            do throws(Refusal) {
                _ = try coordinator.apps()
            } catch {
                robot.logger.error("can't use apps.json: \(error.userMessage)")
            }
            await coordinator.follow(robot)
        }

        robot.every(interval) { robot in await coordinator.follow(robot) }

        robot.on(GitHub.deploymentStatus) { update, robot in try await coordinator.receive(update, robot) }

        let hasWebhooks = (try? coordinator.apps().hasWebhooks) ?? false
        robot.post("/deploys/:app", limit: 64 << 10, startsServer: hasWebhooks) { request in
            try await coordinator.receive(request)
            return .text("recorded")
        }

        robot.accompany(with: RobotCompanion(start: { _ in }, stop: { await coordinator.stop($0) }))
    }
}
