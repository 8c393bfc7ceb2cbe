public import Heybot

/// Tells rooms what happens in repositories on GitHub, as its webhooks say it.
public struct GitHub: Script {
    static let secret = ScriptSetting("GITHUB_SECRET", "the secret of your webhooks on GitHub", isSecret: true)
    /// GitHub sends no payload that is longer.
    private static let limit = 25 << 20

    public init() {}

    public var topic: Topic { .work }
    public var settings: [any AnyScriptSetting] { [Self.secret] }

    public func register(on robot: inout RobotBuilder) {
        guard let secret = robot.value(of: Self.secret) else { return }
        let recent = RecentDeliveries(capacity: 1_000)

        robot.post("/github/:room", limit: Self.limit) { request in
            try request.verify(.signature(secret))
            let room = try request.robot.room(named: request.parameters.room)
            return try await Self.answer(request, recent) { _ in [room] }
        }

        robot.post("/github", limit: Self.limit) { request in
            try request.verify(.signature(secret))
            let subscriptions = Subscriptions(brain: request.brain)
            return try await Self.answer(request, recent) { repository in
                guard let repository else { return [] }
                return try await subscriptions.rooms(of: repository)
            }
        }

        registerCommands(on: &robot)
    }

    private func registerCommands(on robot: inout RobotBuilder) {
        robot.respond(
            /github subscribe (?<repository>\S+)(?: here| in (?<room>\S+))?$/,
            help: """
                github subscribe <owner/name> - Tell this room what happens in a repository; <owner>/* is all of them
                github subscribe <owner/name> in <room> - Tell another room
                """,
            example: "github subscribe ada/engine in #dev", allow: .admins
        ) { res in
            let repository = try RepositoryName(typed: res.match.repository)
            let room = res.robot.room(named: res.match.room ?? "here", from: res.message.room)
            let isNew = try await Subscriptions(brain: res.brain).add(room, to: repository)
            try await res.reply("\(room) hears of \(repository) \(isNew ? "now" : "already").")
        }

        robot.respond(
            /github unsubscribe (?<repository>\S+)(?: here| in (?<room>\S+))?$/,
            help: """
                github unsubscribe <owner/name> - Tell this room no more of a repository
                github unsubscribe <owner/name> in <room> - Tell another room no more of it
                """,
            example: "github unsubscribe ada/engine in #dev", allow: .admins
        ) { res in
            let repository = try RepositoryName(typed: res.match.repository)
            let room = res.robot.room(named: res.match.room ?? "here", from: res.message.room)
            // A room of an adapter that is no more can't be meant otherwise.
            let literal = res.match.room.flatMap { Room.ID(String($0)) }
            let subscriptions = Subscriptions(brain: res.brain)
            let taken = try await subscriptions.remove([literal, room].compactMap { $0 }, from: repository)
            guard let taken else { throw Refusal("\(room) isn't subscribed to \(repository).") }
            let all = repository.ofOwner
            let isStillTold = try await subscriptions.has(taken, in: all)
            try await res.reply(
                isStillTold
                    ? "\(taken) isn't subscribed to \(repository) any more, but still to \(all)."
                    : "\(taken) hears no more of \(repository).")
        }

        robot.respond(
            /github subscriptions$/, help: "github subscriptions - Tell which repositories I tell of here",
            example: "github subscriptions"
        ) { res in
            let all = try await Subscriptions(brain: res.brain).all()
            if res.robot.isAdmin(res.message.user) {
                let lines = all.map { "\($0.repository): \($0.rooms.map(\.description).joined(separator: ", "))" }
                try await res.send(lines.isEmpty ? "No room hears of any repository." : lines.joined(separator: "\n"))
            } else {
                let names = all.filter { $0.rooms.contains(res.message.room.id) }.map(\.repository)
                let list = names.isEmpty ? "no repository" : names.joined(separator: ", ")
                try await res.send("This room hears of \(list).")
            }
        }
    }
}
