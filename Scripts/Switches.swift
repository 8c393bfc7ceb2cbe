public import Heybot

/// Disables and enables scripts from chat, everywhere or in a room.
public struct Switches: Script {
    public init() {}

    public var topic: ScriptTopic { .administration }

    public var settings: [any AnyScriptSetting] { [Clock.timeZone] }

    public func register(on robot: inout RobotBuilder) {
        let zones = UserAndRoomTimeZones(usual: robot.value(of: Clock.timeZone))

        robot.respond(/scripts$/, help: "scripts - List my scripts, and show which are off", example: "scripts") {
            res in
            let switches = res.robot.switches
            let zone = try await zones.zone(for: res.message, res.brain)
            let lines = res.robot.scripts.map { script in
                if let last = switches.crashes(of: script).last {
                    let count = switches.crashes(of: script).count
                    let time = FormattedLocalTime(last, in: zone).said(at: FormattedLocalTime(res.robot.date, in: zone))
                    let times = count == 2 ? "twice" : "\(count) times"
                    return "\(script) (off: it crashed me \(times), last crash: \(time))"
                }
                if switches.off.contains(script) { return "\(script) (off)" }
                let rooms = Self.rooms(script, switches)
                return rooms.isEmpty ? script : "\(script) (off in \(rooms.joined(separator: ", ")))"
            }
            try await res.send(lines.joined(separator: ", "))
        }

        robot.respond(
            /disable (?<script>\S+)(?: in (?<room>\S+))?$/,
            help: """
                disable <script> - Disable a script everywhere
                disable <script> in <room> - Disable a script in a room; write "here" for this room
                """,
            example: "disable Rules in #dev", allow: .admins
        ) { res in
            let script = try Self.script(res.match.script, res.robot)
            // Nobody could enable it again.
            guard script != name else { throw Refusal("I can't disable \(script): nobody could enable it again.") }
            let room = res.match.room.map { res.robot.room(named: $0, from: res.message.room) }
            try await res.robot.turn(script, on: false, in: room?.description)
            try await res.reply("\(script) is disabled \(Self.place(room, res.robot)).")
        }

        robot.respond(
            /enable (?<script>\S+)(?: in (?<room>\S+))?$/,
            help: """
                enable <script> - Enable a script everywhere
                enable <script> in <room> - Enable a script in a room; write "here" for this room
                """,
            example: "enable Rules in #dev", allow: .admins
        ) { res in
            let script = try Self.script(res.match.script, res.robot)
            let room = res.match.room.map { res.robot.room(named: $0, from: res.message.room) }
            if room != nil, res.robot.switches.off.contains(script) {
                throw Refusal("\(script) is disabled everywhere. Say \"enable \(script)\" first.")
            }
            try await res.robot.turn(script, on: true, in: room?.description)
            if room == res.message.room.id, !res.robot.switches.isOn(script, in: res.message.room) {
                throw Refusal("\(script) is disabled here by my settings, and only the settings can enable it.")
            }
            let rooms = room == nil ? Self.rooms(script, res.robot.switches) : []
            let rest = rooms.isEmpty ? "" : ", but my settings disable it in \(rooms.joined(separator: ", "))"
            try await res.reply("\(script) is enabled \(Self.place(room, res.robot))\(rest).")
        }
    }

    private static func place(_ room: Room.ID?, _ robot: Robot) -> String {
        room.map { "in \(robot.displayName(of: $0))" } ?? "everywhere"
    }

    /// Finds a script by name, ignoring case.
    private static func script(_ name: Substring, _ robot: Robot) throws -> String {
        let script = robot.scripts.first { $0.lowercased() == name.lowercased() }
        guard let script else {
            throw Refusal("I have no script called \(String(oneLine: name, limit: 40)). To list all, say \"scripts\".")
        }
        return script
    }

    /// Returns the rooms in which a script is disabled.
    private static func rooms(_ script: String, _ switches: DisabledScripts) -> [String] {
        switches.offInRoom.filter { $0.value.contains(script) }.keys.sorted()
    }
}
