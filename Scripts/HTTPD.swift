import FoundationEssentials
public import Heybot

/// Serves the robot's health, and Hubot's routes for version, ping, time and info.
public struct HTTPD: GatewayScript {
    public init() {}

    public var topic: ScriptTopic { .administration }

    public func register(on robot: inout RobotBuilder) {
        robot.get("/healthz", startsServer: false) { request in
            let health = await request.robot.health()
            return try .json(health, status: health.isGood ? 200 : 503)
        }

        // Monitoring that was set up for Hubot keeps working.
        for prefix in ["/heybot", "/hubot"] {
            robot.get("\(prefix)/version", startsServer: false) { _ in .text(heybotVersion) }
            robot.get("\(prefix)/ping", startsServer: false) { _ in .text("PONG") }
            robot.post("\(prefix)/ping", startsServer: false) { _ in .text("PONG") }
            robot.get("\(prefix)/time", startsServer: false) { request in
                .text("Server time is: \(request.robot.date.formatted(.iso8601))")
            }
            robot.get("\(prefix)/info", startsServer: false) { request in
                let robot = request.robot
                let (scripts, listeners) = (robot.scripts.count, robot.listeners.count)
                let adapters = robot.adapters.map { "\($0.name) \($0.status)" }.joined(separator: ", ")
                return .text(
                    """
                    I'm \(robot.name), running Heybot \(heybotVersion) with \(scripts) script\(scripts == 1 ? "" : "s") and \
                    \(listeners) listener\(listeners == 1 ? "" : "s"). Adapters: \(adapters).
                    """)
            }
        }
    }
}
