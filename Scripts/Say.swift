public import Heybot

/// Sends an admin's text to another room.
public struct Say: Script {
    public init() {}

    public var topic: ScriptTopic { .administration }

    public func register(on robot: inout RobotBuilder) {
        robot.respond(
            /(?s)say in (?<room>\S+)\s+(?<text>.+)$/,
            help: "say in <room> <text> - Say something in another room, such as #dev or irc:#dev",
            example: "say in #dev the build is green", allow: .admins
        ) { res in
            let room = res.robot.room(named: res.match.room, from: res.message.room)
            if await res.robot.isIn(Room(id: room)) == false {
                throw Refusal("I'm not in \(res.robot.displayName(of: room)), so I can't say it there.")
            }
            try await res.robot.messageRoom(room, String(res.match.text))
            if room != res.message.room.id { try await res.reply("Said in \(res.robot.displayName(of: room)).") }
        }
    }
}
