import FoundationEssentials
public import Heybot

/// Shows the robot's status, and shuts it down.
public struct Diagnostics: Script {
    public init() {}

    public var topic: ScriptTopic { .administration }
    public var settings: [any AnyScriptSetting] { [Clock.timeZone] }

    public func register(on robot: inout RobotBuilder) {
        let zones = UserAndRoomTimeZones(usual: robot.value(of: Clock.timeZone))

        robot.respond(/ping$/, help: "ping - Answer PONG", example: "ping") { res in
            try await res.send("PONG")
        }

        robot.respond(
            /adapter$/, help: "adapter - Show which adapter this room uses, and whether it is connected",
            example: "adapter"
        ) { res in
            let name = res.message.room.id.adapter
            let status = res.robot.adapters.first { $0.name == name }?.status
            let zone = try await zones.zone(for: res.message, res.brain)
            try await res.send("\(name), \(status.map { Self.words($0, res.robot.date, zone) } ?? "gone")")
        }

        robot.respond(
            /adapters$/, help: "adapters - Show which networks I'm on, and whether they are up", example: "adapters"
        ) { res in
            let zone = try await zones.zone(for: res.message, res.brain)
            let lines = res.robot.adapters.map { "\($0.name), \(Self.words($0.status, res.robot.date, zone))" }
            try await res.send(lines.joined(separator: "\n"))
        }

        robot.respond(/uptime\??$/, help: "uptime - Show how long I've been up", example: "uptime") { res in
            let seconds = Int(res.robot.date.timeIntervalSince(res.robot.startDate))
            guard seconds > 0 else {
                try await res.send("I've just started.")
                return
            }
            let zone = try await zones.zone(for: res.message, res.brain)
            let since = Self.words(res.robot.startDate, res.robot.date, zone)
            try await res.send("I've been up for \(Self.words(seconds: seconds)), since \(since).")
        }

        robot.respond(/(?s)echo\s+(.+)$/, help: "echo <text> - Repeat the text", example: "echo hi there") { res in
            try await res.send(String(res.match.1))
        }

        robot.respond(/die$/, help: "die - Shut me down", example: "die", allow: .admins) { res in
            try await res.send("Goodbye, cruel world.")
            res.robot.stop()
        }
    }

    /// Formats a duration with its two largest units.
    private static func words(seconds: Int) -> String {
        let units = [(86_400, "day"), (3_600, "hour"), (60, "minute"), (1, "second")]
        var rest = seconds
        let parts = units.compactMap { size, name -> String? in
            let count = rest / size
            rest %= size
            return count == 0 ? nil : "\(count) \(name)\(count == 1 ? "" : "s")"
        }
        return parts.prefix(2).joined(separator: " and ")
    }

    /// Formats a time relative to now.
    private static func words(_ date: Date, _ now: Date, _ zone: IANATimeZone) -> String {
        FormattedLocalTime(date, in: zone).said(at: FormattedLocalTime(now, in: zone))
    }

    /// Formats an adapter's status.
    private static func words(_ status: AdapterStatus, _ now: Date, _ zone: IANATimeZone) -> String {
        switch status {
        case .starting: "starting"
        case .up(let since): "up since \(words(since, now, zone))"
        case .ended(let since): "not running since \(words(since, now, zone))"
        case .down(let since, let reason): "down since \(words(since, now, zone)): \(reason)"
        }
    }
}
