public import Heybot

/// Deploys our apps.
public struct Deploy: Script {
    static let url = ScriptSetting("DEPLOY_URL", "the address of the build server")
    static let token = ScriptSetting("DEPLOY_TOKEN", "the token of the build server", isSecret: true)
    static let last = BrainCollection<String>("deploy.last")

    public init() {}

    public var settings: [any AnyScriptSetting] { [Self.url, Self.token] }

    private struct Order: Encodable {
        let app, environment: String
    }

    private struct Receipt: Decodable {
        let url: String
    }

    public func register(on robot: inout RobotBuilder) {
        let (url, token) = (robot.value(of: Self.url), robot.value(of: Self.token))

        robot.respond(
            /deploy (?<app>\w+)(?: to (?<place>\w+))?$/,
            help: "deploy <app> to <environment> - Deploy an app; to staging if you don't say where",
            example: "deploy shop to production"
        ) { res in
            guard res.robot.roles(of: res.message.user).contains("deployer") else {
                throw Refusal("You need the deployer role.")
            }
            guard let url, let token else { throw Refusal("Set HEYBOT_DEPLOY_URL and HEYBOT_DEPLOY_TOKEN first.") }
            let (app, place) = (String(res.match.app), String(res.match.place ?? "staging"))
            let order = Order(app: app, environment: place)
            let answer = try await res.http.post("\(url)/deploys", .json(order), auth: .bearer(token))
            let receipt = try answer.json(Receipt.self)
            try await res.brain.remember(Self.last, app, res.message.user.name)
            try await res.send("\(app) is on its way to \(place): \(receipt.url)")
        }

        robot.respond(
            /last deploy of (\w+)$/, help: "last deploy of <app> - Show who deployed it last",
            example: "last deploy of shop"
        ) { res in
            let name = try await res.brain.recall(Self.last, String(res.match.1))
            try await res.send(name.map { "\($0) did." } ?? "Nobody.")
        }
    }
}
