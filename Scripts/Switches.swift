public import Heybot

/// Switches scripts off and on from chat, everywhere or in a room.
public struct Switches: Script {
    public init() {}

    public var topic: Topic { .administration }

    public var settings: [any AnyScriptSetting] { [Clock.timeZone] }

    public func register(on robot: inout RobotBuilder) {
        let zones = ChosenZones(usual: robot.value(of: Clock.timeZone))

        robot.respond(/scripts$/, help: "scripts - List my scripts, and which are off", example: "scripts") {
            res in
            let switches = res.robot.switches
            let zone = try await zones.zone(for: res.message, res.brain)
            let lines = res.robot.scripts.map { script in
                if let last = switches.crashes(of: script).last {
                    let count = switches.crashes(of: script).count
                    let time = LocalTime(last, in: zone).said(at: LocalTime(res.robot.date, in: zone))
                    return "\(script) (off: it ended me \(count == 2 ? "twice" : "\(count) times"), last at \(time))"
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
                disable <script> - Switch a script off everywhere
                disable <script> in <room> - Switch a script off in a room; here is this one
                """,
            example: "disable Rules in #dev", allow: .admins
        ) { res in
            let script = try Self.script(res.match.script, res.robot)
            // Who could switch it on again?
            guard script != name else { throw Refusal("If I switched that off, nobody could switch it on again.") }
            let room = res.match.room.map { res.robot.room(named: $0, from: res.message.room) }
            try await res.robot.turn(script, on: false, in: room?.description)
            try await res.reply("\(script) is off \(Self.place(room, res.robot)).")
        }

        robot.respond(
            /enable (?<script>\S+)(?: in (?<room>\S+))?$/,
            help: """
                enable <script> - Switch a script on everywhere
                enable <script> in <room> - Switch a script on in a room; here is this one
                """,
            example: "enable Rules in #dev", allow: .admins
        ) { res in
            let script = try Self.script(res.match.script, res.robot)
            let room = res.match.room.map { res.robot.room(named: $0, from: res.message.room) }
            if room != nil, res.robot.switches.off.contains(script) {
                throw Refusal("\(script) is off everywhere. Say enable \(script) first.")
            }
            try await res.robot.turn(script, on: true, in: room?.description)
            if room == res.message.room.id, !res.robot.switches.isOn(script, in: res.message.room) {
                throw Refusal("My settings switch \(script) off here, so it can only be switched on there.")
            }
            let rooms = room == nil ? Self.rooms(script, res.robot.switches) : []
            let rest = rooms.isEmpty ? "" : ", but my settings keep it off in \(rooms.joined(separator: ", "))"
            try await res.reply("\(script) is on \(Self.place(room, res.robot))\(rest).")
        }
    }

    private static func place(_ room: Room.ID?, _ robot: Robot) -> String {
        room.map { "in \(robot.spokenName(of: $0))" } ?? "everywhere"
    }

    /// The script that is meant, however its name was typed.
    private static func script(_ name: Substring, _ robot: Robot) throws -> String {
        let script = robot.scripts.first { $0.lowercased() == name.lowercased() }
        guard let script else {
            throw Refusal("I have no script called \(String(oneLine: name, limit: 40)). Say scripts to see them all.")
        }
        return script
    }

    /// The rooms where a script is off.
    private static func rooms(_ script: String, _ switches: ScriptSwitches) -> [String] {
        switches.offInRoom.filter { $0.value.contains(script) }.keys.sorted()
    }
}
