import Heybot
import HeybotTesting
import StandardScripts
import TestServers
import Testing

/// A robot that deploys, a fake GitHub, and an apps.json.
final class DeployBench: Sendable {
    static let apps = """
        {
            // ada's shop
            "shop": {
                "provider": "heroku", "repository": "Ada/Shop", "heroku_name": "ada-shop",
                "environments": [
                    "staging",
                    {
                        "name": "production", "role": "releaser", "approve": {"role": "ops", "minutes": 15},
                        "required_contexts": ["ci/build"]
                    },
                    {"name": "demo", "role": "everyone", "allowed_rooms": ["#ops"], "auto_merge": false}
                ]
            },
            "forum": {
                "environments": ["live"], "branch": "trunk",
                "webhook": {"url": "https://deploy.example.org/forum", "secret": "0123456789abcdef"}
            },
            "wiki": {
                "environments": ["live"],
                "command": ["/bin/sh", "-c", "echo $DEPLOY_APP $DEPLOY_REF $DEPLOY_ENVIRONMENT; exit 3"]
            }
        }
        """

    let github: FakeGitHub
    let web: StubHTTPClient
    let store: KillableStore
    let file: AppsFile
    let robot: TestRobot
    /// The number of the command that waits for approval; 0 if none does.
    var waiting: Int { robot.robot.pendingApprovals.first?.id ?? 0 }

    init(
        name: String = "hubot", apps: String = DeployBench.apps, settings: [String: String] = [:],
        base: MemoryStore = MemoryStore(), github: FakeGitHub = FakeGitHub()
    ) throws {
        let (web, store, file) = (StubHTTPClient(), KillableStore(base), try AppsFile(apps))
        (self.github, self.web, self.store, self.file) = (github, web, store, file)
        var all = ["DEPLOY_APPS_JSON": file.path, "DEPLOY_GITHUB_TOKEN": FakeGitHub.token]
        all.merge(settings) { $1 }
        web.answerOthers(.custom { try github.answer($0) })
        robot = TestRobot(
            name: name, admins: ["root"], brain: Brain(store: store), settings: all, web: web, AccessControl(),
            Deploys(), GitHub())
    }

    /// Gives users a role.
    func give(_ role: String, to names: String...) async throws {
        // The brain is open.
        _ = await robot.advance(by: .zero)
        for name in names {
            let user = User(id: User.ID(adapter: "test", value: name), name: name)
            try await robot.robot.set(role: role, of: user, to: true)
        }
    }

    /// Says something to the robot; returns its answers.
    func says(_ text: String, from user: String = "ada", in room: String = "#ops") async -> [String] {
        await robot.hears("\(robot.robot.name) \(text)", from: user, in: room).map(\.content)
    }

    /// Lets time pass; returns what the robot says meanwhile, with the rooms.
    func after(_ time: Duration = .seconds(15)) async -> [String] {
        await robot.advance(by: time).map { "\($0.room): \($0.utterance.content)" }
    }

    /// Everything that the robot has said so far, with the rooms.
    var said: [String] { robot.lines.map { "\($0.room): \($0.utterance.content)" } }

    /// Waits until the robot says something in a room.
    func waits(for line: String, in room: String = "#ops") async throws {
        try await wait(for: "\(line) in \(robot.said(in: room).map(\.content))") {
            robot.said(in: room).contains { $0.content == line }
        }
    }
}
