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
        let failing = FailingChecks()

        robot.post("/github/:room", limit: Self.limit, proof: .signature(secret)) { request in
            let room = try request.robot.room(named: request.parameters.room)
            return try await Self.answer(request, recent, failing) { _ in [room] }
        }

        robot.post("/github", limit: Self.limit, proof: .signature(secret)) { request in
            let subscriptions = Subscriptions(brain: request.brain)
            return try await Self.answer(request, recent, failing) { try await subscriptions.rooms(for: $0) }
        }

        registerCommands(on: &robot)
    }

    private func registerCommands(on robot: inout RobotBuilder) {
        robot.respond(
            /github subscribe (?<repository>\S+)(?: to (?<kinds>[a-z, ]+?))?(?: here| in (?<room>\S+))?$/,
            help: """
                github subscribe <owner/name> - Tell this room what happens in a repository; <owner>/* is all of them
                github subscribe <owner/name> in <room> - Tell another room
                github subscribe <owner/name> to <kinds> - Tell only pushes, pulls, issues, releases, reviews, \
                comments, checks or deployments, or all; all but comments is usual
                """,
            example: "github subscribe ada/engine in #dev", allow: .admins
        ) { res in
            let repository = try RepositoryName(typed: res.match.repository)
            let room = res.robot.room(named: res.match.room ?? "here", from: res.message.room)
            let kinds = try res.match.kinds.map { kinds throws(Refusal) in try NewsKind.kinds(typed: kinds) }
            let isNew = try await Subscriptions(brain: res.brain).add(room, to: repository, kinds)
            let what = kinds.map { ": \(NewsKind.list($0))" } ?? ""
            let name = res.robot.spokenName(of: room)
            try await res.reply("\(name) \(isNew ? "now follows" : "follows") \(repository)\(what).")
        }

        robot.respond(
            /github unsubscribe (?<repository>\S+)(?: here| in (?<room>\S+))?$/,
            help: """
                github unsubscribe <owner/name> - Stop telling this room about a repository
                github unsubscribe <owner/name> in <room> - Stop telling another room about it
                """,
            example: "github unsubscribe ada/engine in #dev", allow: .admins
        ) { res in
            let repository = try RepositoryName(typed: res.match.repository)
            let room = res.robot.room(named: res.match.room ?? "here", from: res.message.room)
            // A room of an adapter that is no more can't be meant otherwise.
            let literal = res.match.room.flatMap { Room.ID(String($0)) }
            let subscriptions = Subscriptions(brain: res.brain)
            let taken = try await subscriptions.remove([literal, room].compactMap { $0 }, from: repository)
            guard let taken else { throw Refusal("\(res.robot.spokenName(of: room)) doesn't follow \(repository).") }
            let name = res.robot.spokenName(of: taken)
            let all = repository.ofOwner
            let isStillTold = try await subscriptions.has(taken, in: all)
            try await res.reply(
                isStillTold
                    ? "\(name) no longer follows \(repository), but it still follows \(all)."
                    : "\(name) no longer follows \(repository).")
        }

        robot.respond(
            /github subscriptions$/, help: "github subscriptions - List the repositories that this room follows",
            example: "github subscriptions"
        ) { res in
            let all = try await Subscriptions(brain: res.brain).all()
            if res.robot.isAdmin(res.message.user) {
                let lines = all.map {
                    "\($0.repository): \($0.rooms.map(res.robot.spokenName).joined(separator: ", "))"
                }
                try await res.send(
                    lines.isEmpty
                        ? "No room follows a repository yet. Try github subscribe owner/name."
                        : lines.joined(separator: "\n"))
            } else {
                let names = all.filter { $0.rooms.contains(res.message.room.id) }.map(\.repository)
                let list = names.isEmpty ? "no repositories" : names.joined(separator: ", ")
                try await res.send("This room follows \(list).")
            }
        }
    }
}
