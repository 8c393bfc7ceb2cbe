public import Heybot

/// Announces deployments in a room.
public struct Deploys: Script {
    static let token = ScriptSetting("DEPLOYS_TOKEN", "the token of the program that deploys", isSecret: true)

    public init() {}

    public var settings: [any AnyScriptSetting] { [Self.token] }

    private struct Deploy: Decodable {
        let app: String
        let version: String
    }

    public func register(on robot: inout RobotBuilder) {
        guard let token = robot.value(of: Self.token) else { return }

        robot.post("/deploys/:room", proof: .token(token)) { request in
            let deploy = try request.json(Deploy.self)
            try await request.robot.messageRoom(request.parameters.room, "\(deploy.app) \(deploy.version) is live.")
            return .text("posted")
        }
    }
}
