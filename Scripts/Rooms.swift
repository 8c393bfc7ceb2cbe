public import Heybot

/// Joins and leaves rooms for admins.
public struct Rooms: Script {
    public init() {}

    public var topic: ScriptTopic { .administration }

    public func register(on robot: inout RobotBuilder) {
        robot.respond(
            /join (?<room>\S+)(?: +(?<key>\S+))?$/,
            help: "join <room> [key] - Join a room, and rejoin it after a restart", example: "join #dev",
            allow: .admins
        ) { res in
            let (adapter, name) = try Self.place(res.match.room, res)
            let room = try await adapter.join(name, password: res.match.key.map(String.init))
            try await res.reply("I'm in \(room.name).")
        }

        robot.respond(
            /(?:leave|part) (?<room>\S+)$/,
            help: "leave <room> - Leave a room, and don't rejoin it", example: "leave #dev", allow: .admins
        ) { res in
            let (adapter, name) = try Self.place(res.match.room, res)
            let answer =
                adapter.isInSettings(name)
                ? "I've left \(name). It's in my settings, so I'll be back after a restart." : "I've left \(name)."
            try await adapter.leave(name)
            // The robot can't send to a room that it has just left.
            let isHere = name == res.message.room.id.value || name == res.message.room.name
            if isHere { try await res.sendPrivately(answer) } else { try await res.reply(answer) }
        }
    }

    /// Returns the adapter of a room, and the room's name there.
    private static func place<Match>(
        _ name: Substring, _ res: Response<Match>
    ) throws -> (adapter: any RoomMembership, name: String) {
        let id = res.robot.room(named: name, from: res.message.room)
        let adapter = res.robot.adapters.first { $0.name == id.adapter }
        guard let membership = adapter as? any RoomMembership else {
            throw Refusal("I can't join or leave rooms on \(id.adapter).")
        }
        // The message's own room is given by its name.
        return (membership, id == res.message.room.id ? res.message.room.name : id.value)
    }
}
