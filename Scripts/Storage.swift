public import Heybot

/// Shows admins the content of the brain, and the users that the robot knows.
public struct Storage: Script {
    private static let mostLines = 50
    private static let longestValue = 2_000

    public init() {}

    public var topic: ScriptTopic { .administration }

    public func register(on robot: inout RobotBuilder) {
        robot.respond(
            /show storage(?: (?<name>\S+))?(?: (?<key>\S.*))?$/,
            help: """
                show storage - List the names in my brain
                show storage <name> - Show a value, or the keys of a collection
                show storage <name> <key> - Show an entry of a collection
                """,
            example: "show storage plusplus.scores swift", allow: .admins
        ) { res in
            try Self.refuseInPublic(res)
            let name = res.match.name.map(String.init)
            let text: String
            if let name, let key = res.match.key {
                guard let value = try await res.brain.json(name, String(key)) else {
                    throw Self.nothing(at: "\(name) \(key)")
                }
                text = Self.shown(value)
            } else if let name {
                text = try await Self.value(name, res.brain)
            } else {
                let contents = try await res.brain.contents().map(\.description)
                text = contents.isEmpty ? "My brain is empty." : Self.list(contents)
            }
            if try await res.sendPrivately(text) { try await res.reply("I've sent you a direct message.") }
        }

        robot.respond(
            /show users$/, help: "show users - List the people I know here", example: "show users", allow: .admins
        ) { res in
            try Self.refuseInPublic(res)
            let users = await res.robot.users(in: res.message.room)
            let lines = users.map { user in
                let roles = res.robot.roles(of: user).sorted()
                let marks = roles + (res.robot.ignores(user) ? ["ignored"] : [])
                return "\(user.id) \(user.name)\(marks.isEmpty ? "" : " (\(marks.joined(separator: ", ")))")"
            }
            if try await res.sendPrivately(Self.list(lines)) { try await res.reply("I've sent you a direct message.") }
        }
    }

    private static func value(_ name: String, _ brain: Brain) async throws -> String {
        if let value = try await brain.json(name) { return shown(value) }
        let keys = try await brain.keys(of: name, atMost: mostLines + 1)
        guard !keys.isEmpty else { throw nothing(at: name) }
        return list(keys)
    }

    private static func list(_ lines: [String]) -> String {
        let shown = lines.prefix(mostLines).map { String(oneLine: $0, limit: 200) }
        return shown.joined(separator: "\n") + (lines.count > mostLines ? "\n… and more" : "")
    }

    private static func shown(_ value: String) -> String { String(oneLine: value, limit: longestValue) }

    private static func nothing(at place: String) -> Refusal {
        Refusal("My brain has nothing named \(String(oneLine: place, limit: 60)).")
    }

    /// - Throws: ``Refusal`` if the answer would be public.
    private static func refuseInPublic<Match>(_ res: Response<Match>) throws(Refusal) {
        let room = res.message.room
        let adapter = res.robot.adapters.first { $0.name == room.id.adapter }
        guard room.isPrivate || adapter is any PrivateMessaging else { throw Refusal("Ask me that in private.") }
    }
}
