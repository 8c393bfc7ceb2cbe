public import Heybot

/// Shows admins what the robot remembers, and whom it knows.
public struct Storage: Script {
    private static let mostKeys = 50

    public init() {}

    public func register(on robot: inout RobotBuilder) {
        robot.respond(
            /show storage(?: (?<name>\S+))?(?: (?<key>\S.*))?$/,
            help: """
                show storage - Show what I remember things under
                show storage <name> - Show a value, or the keys of a collection
                show storage <name> <key> - Show an entry of a collection
                """,
            example: "show storage plusplus.scores swift", allow: .admins
        ) { res in
            let name = res.match.name.map(String.init)
            let text: String
            if let name, let key = res.match.key {
                text = try await res.brain.json(name, String(key)) ?? "There is nothing at \(name) \(key)."
            } else if let name {
                text = try await Self.value(name, res.brain)
            } else {
                let contents = try await res.brain.contents().map(\.description)
                text = contents.isEmpty ? "I remember nothing." : contents.joined(separator: "\n")
            }
            if try await res.sendPrivately(text) { try await res.reply("I've sent you that.") }
        }

        robot.respond(
            /show users$/, help: "show users - Show whom I know here", example: "show users", allow: .admins
        ) { res in
            let users = await res.robot.users(in: res.message.room)
            let lines = users.map { user in
                let roles = res.robot.roles(of: user).sorted()
                let marks = roles + (res.robot.ignores(user) ? ["ignored"] : [])
                return "\(user.id) \(user.name)\(marks.isEmpty ? "" : " (\(marks.joined(separator: ", ")))")"
            }
            if try await res.sendPrivately(lines.joined(separator: "\n")) { try await res.reply("I've sent you that.") }
        }
    }

    private static func value(_ name: String, _ brain: Brain) async throws -> String {
        if let value = try await brain.json(name) { return value }
        let keys = try await brain.keys(of: name, atMost: mostKeys + 1)
        guard !keys.isEmpty else { throw Refusal("There is nothing at \(String(oneLine: name, limit: 60)).") }
        return keys.prefix(mostKeys).joined(separator: "\n") + (keys.count > mostKeys ? "\n… and more" : "")
    }
}
