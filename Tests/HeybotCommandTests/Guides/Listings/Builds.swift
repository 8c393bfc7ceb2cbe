public import Heybot

/// Announces builds in a room.
public struct Builds: Script {
    static let token = ScriptSetting("BUILDS_TOKEN", "the token of the program that builds", isSecret: true)

    public init() {}

    public var settings: [any AnyScriptSetting] { [Self.token] }

    private struct Build: Decodable {
        let app: String
        let version: String
    }

    public func register(on robot: inout RobotBuilder) {
        guard let token = robot.value(of: Self.token) else { return }

        robot.post("/builds/:room", proof: .token(token)) { request in
            let build = try request.json(Build.self)
            try await request.robot.messageRoom(request.parameters.room, "\(build.app) \(build.version) is built.")
            return .text("posted")
        }
    }
}
