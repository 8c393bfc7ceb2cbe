import FoundationEssentials
public import Heybot

/// Tells whether the robot is well, and ends it.
public struct Diagnostics: Script {
    public init() {}

    public func register(on robot: inout RobotBuilder) {
        robot.respond(/ping$/, help: "ping - Answer PONG", example: "ping") { res in
            try await res.send("PONG")
        }

        robot.respond(
            /adapter$/, help: "adapter - Tell which adapter this is, and how it is", example: "adapter"
        ) { res in
            let name = res.message.room.id.adapter
            let status = res.robot.adapters.first { $0.name == name }?.status
            try await res.send("\(name), \(status?.description ?? "gone")")
        }

        robot.respond(/(?s)echo\s+(.+)$/, help: "echo <text> - Say the text", example: "echo hi there") { res in
            try await res.send(String(res.match.1))
        }

        robot.respond(/time$/, help: "time - Tell the server's time", example: "time") { res in
            try await res.send("Server time is: \(res.robot.date.formatted(.iso8601))")
        }

        robot.respond(/die$/, help: "die - End the robot", example: "die", allow: .admins) { res in
            try await res.send("Goodbye, cruel world.")
            res.robot.stop()
        }
    }
}
