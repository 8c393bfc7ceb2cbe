import FoundationEssentials
public import Heybot

/// Posts in rooms what other programs send to secret addresses: messages, alerts and events in many formats.
public struct Webhooks: Script {
    static let address = ScriptSetting(
        url: "WEBHOOKS_URL", "the public URL of the web server, such as https://bot.example.org, for `webhook for here`"
    )

    public init() {}

    public var topic: ScriptTopic { .work }
    public var settings: [any AnyScriptSetting] { [Self.address] }

    public func register(on robot: inout RobotBuilder) {
        let address = robot.value(of: Self.address)
        let gates = StormGates()
        registerRoute(gates, startsServer: address != nil, on: &robot)

        robot.respond(
            /webhook for (?<room>\S+)(?: (?:as|named|called) (?<name>\S+))?$/,
            help: """
                webhook for here - Create a secret address at which programs can post in this room
                webhook for <room> as <name> - Create an address for another room, with a name
                """,
            example: "webhook for #dev", allow: .admins
        ) { res in
            let adapter = res.robot.adapters.first { $0.name == res.message.room.id.adapter }
            guard res.message.room.isPrivate || adapter is any PrivateMessaging else {
                throw Refusal("Ask me that in private, because the address is a secret.")
            }
            guard address != nil || res.robot.servesHTTP else {
                throw Refusal(
                    "My web server isn't running. Set HEYBOT_WEBHOOKS_URL to its public URL, such as "
                        + "https://bot.example.org.")
            }
            let chosen = try res.match.name.map { name throws(Refusal) in try Self.name(typed: name) }
            let room = res.robot.room(named: res.match.room, from: res.message.room)
            let shownRoom = res.robot.displayName(of: room)
            guard await res.robot.isIn(Room(id: room)) != false else {
                throw Refusal("I'm not in \(shownRoom), so nothing could be posted there.")
            }
            let directory = WebhookDirectory(brain: res.brain)
            let secret = Webhook.makeSecret { res.random(in: $0) }
            let webhook = Webhook(
                room: room, secret: secret, creator: res.message.user.name, date: res.robot.date)
            let name = try await directory.add(webhook, named: chosen)
            let isElsewhere: Bool
            do {
                isElsewhere = try await res.sendPrivately(
                    Self.instructions(name, room: shownRoom, secret: secret, address: address))
            } catch {
                // Nobody knows the address.
                _ = try await directory.remove(name)
                throw error
            }
            if isElsewhere { try await res.reply("I've sent you the address of webhook \(name) privately.") }
        }

        robot.respond(
            /webhooks$/,
            help: "webhooks - List the webhooks of this room; admins see those of all rooms", example: "webhooks"
        ) { res in
            let all = try await WebhookDirectory(brain: res.brain).all()
            let isAdmin = res.robot.isAdmin(res.message.user)
            let shown = all.filter { isAdmin || $0.webhook.room == res.message.room.id }
            guard !shown.isEmpty else {
                throw Refusal("\(isAdmin ? "There are no webhooks" : "This room has no webhook") yet.")
            }
            let lines = shown.map { name, webhook in
                let day = webhook.date.formatted(.iso8601).prefix(10)
                let creator = String(oneLine: webhook.creator, limit: 40)
                return "\(name) for \(res.robot.displayName(of: webhook.room)), created by \(creator) on \(day)"
            }
            try await res.send(lines.joined(separator: "\n"))
        }

        robot.respond(
            /(?:revoke|remove|delete) webhook (?<name>\S+)$/,
            help: "revoke webhook <name> - Make the address of a webhook invalid", example: "revoke webhook 1",
            allow: .admins
        ) { res in
            let name = try Self.name(typed: res.match.name)
            guard let webhook = try await WebhookDirectory(brain: res.brain).remove(name) else {
                throw Refusal("There is no webhook \(name). To list them, say: webhooks.")
            }
            gates.remove(name)
            try await res.reply("Webhook \(name) for \(res.robot.displayName(of: webhook.room)) is revoked.")
        }
    }

    private static func name(typed text: Substring) throws(Refusal) -> WebhookName {
        guard let name = WebhookName(text) else {
            throw Refusal("The name of a webhook has up to 30 letters, digits and hyphens.")
        }
        return name
    }

    /// The message that tells an admin the address of a webhook.
    private static func instructions(_ name: WebhookName, room: String, secret: String, address: String?) -> String {
        let path = "/webhooks/\(name)/\(secret)"
        let url = address.map { "\($0)\(path)" } ?? "\(path) on my web server"
        let setting = address == nil ? " To see the whole address, set HEYBOT_WEBHOOKS_URL first." : ""
        return """
            Webhook \(name) for \(room): \(url)
            Anyone who knows this address can post in \(room), and I can't show it again.\(setting) To revoke it, say: \
            revoke webhook \(name).
            """
    }
}
