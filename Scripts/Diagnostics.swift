import FoundationEssentials
public import Heybot

/// Tells whether the robot is well, and ends it.
public struct Diagnostics: Script {
    public init() {}

    public var topic: Topic { .administration }

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

        robot.respond(
            /adapters$/, help: "adapters - Tell which networks I'm on, and how that is", example: "adapters"
        ) { res in
            try await res.send(res.robot.adapters.map { "\($0.name), \($0.status)" }.joined(separator: "\n"))
        }

        robot.respond(/uptime\??$/, help: "uptime - Tell how long I've been up", example: "uptime") { res in
            let seconds = Int(res.robot.date.timeIntervalSince(res.robot.startDate))
            let since = res.robot.startDate.formatted(.iso8601)
            try await res.send("I've been up for \(Self.words(seconds: max(0, seconds))), since \(since).")
        }

        robot.respond(/(?s)echo\s+(.+)$/, help: "echo <text> - Say the text", example: "echo hi there") { res in
            try await res.send(String(res.match.1))
        }

        robot.respond(/time\??$/, help: "time - Tell the server's time", example: "time") { res in
            try await res.send("Server time is: \(res.robot.date.formatted(.iso8601))")
        }

        robot.respond(/die$/, help: "die - End the robot", example: "die", allow: .admins) { res in
            try await res.send("Goodbye, cruel world.")
            res.robot.stop()
        }
    }

    /// A length of time by its two largest units.
    private static func words(seconds: Int) -> String {
        let units = [(86_400, "day"), (3_600, "hour"), (60, "minute"), (1, "second")]
        var rest = seconds
        let parts = units.compactMap { size, name -> String? in
            let count = rest / size
            rest %= size
            return count == 0 ? nil : "\(count) \(name)\(count == 1 ? "" : "s")"
        }
        return parts.isEmpty ? "no time at all" : parts.prefix(2).joined(separator: " and ")
    }
}
