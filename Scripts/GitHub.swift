public import Heybot

/// Posts events of GitHub repositories in rooms, received as webhooks.
public struct GitHub: Script {
    static let secret = ScriptSetting("GITHUB_SECRET", "the secret of your GitHub webhooks", isSecret: true)
    /// GitHub's limit for payloads.
    private static let limit = 25 << 20

    public init() {}

    public var topic: ScriptTopic { .work }
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
                github subscribe <owner/name> - Post a repository's events in this room; <owner>/* means all of an owner's repositories
                github subscribe <owner/name> in <room> - Post a repository's events in another room
                github subscribe <owner/name> to <kinds> - Post only some kinds of events: list any of pushes, pulls, issues, \
                releases, reviews, comments, checks and deployments, or write all; the default is all except comments
                """,
            example: "github subscribe ada/engine in #dev", allow: .admins
        ) { res in
            let repository = try RepositoryName(typed: res.match.repository)
            let room = res.robot.room(named: res.match.room ?? "here", from: res.message.room)
            let kinds = try res.match.kinds.map { kinds throws(Refusal) in try SubscribableEvent.kinds(typed: kinds) }
            let isNew = try await Subscriptions(brain: res.brain).add(room, to: repository, kinds)
            let what = kinds.map { ": \(SubscribableEvent.list($0))" } ?? ""
            let name = res.robot.displayName(of: room)
            try await res.reply("\(name) \(isNew ? "now follows" : "follows") \(repository)\(what).")
        }

        robot.respond(
            /github unsubscribe (?<repository>\S+)(?: here| in (?<room>\S+))?$/,
            help: """
                github unsubscribe <owner/name> - Stop posting a repository's events in this room
                github unsubscribe <owner/name> in <room> - Stop posting a repository's events in another room
                """,
            example: "github unsubscribe ada/engine in #dev", allow: .admins
        ) { res in
            let repository = try RepositoryName(typed: res.match.repository)
            let room = res.robot.room(named: res.match.room ?? "here", from: res.message.room)
            // The full id can also name a room of an adapter that was removed.
            let literal = res.match.room.flatMap { Room.ID(String($0)) }
            let subscriptions = Subscriptions(brain: res.brain)
            let unsubscribed = try await subscriptions.remove([literal, room].compactMap { $0 }, from: repository)
            guard let unsubscribed else {
                throw Refusal("\(res.robot.displayName(of: room)) doesn't follow \(repository).")
            }
            let name = res.robot.displayName(of: unsubscribed)
            let all = repository.ofOwner
            let followsAll = try await subscriptions.has(unsubscribed, in: all)
            try await res.reply(
                followsAll
                    ? "\(name) no longer follows \(repository), but still follows \(all), which includes it."
                    : "\(name) no longer follows \(repository).")
        }

        robot.respond(
            /github subscriptions$/,
            help: "github subscriptions - List the repositories that this room follows; admins see those of all rooms",
            example: "github subscriptions"
        ) { res in
            let all = try await Subscriptions(brain: res.brain).all()
            if res.robot.isAdmin(res.message.user) {
                let lines = all.map {
                    "\($0.repository): \($0.rooms.map(res.robot.displayName).joined(separator: ", "))"
                }
                try await res.send(
                    lines.isEmpty
                        ? "No room follows a repository yet. Try: github subscribe owner/name."
                        : lines.joined(separator: "\n"))
            } else {
                let names = all.filter { $0.rooms.contains(res.message.room.id) }.map(\.repository)
                let list = names.isEmpty ? "no repositories" : names.joined(separator: ", ")
                try await res.send("This room follows \(list).")
            }
        }
    }
}
