import Heybot

// Blocks addresses, so that the service delivers nothing from them.

extension Moderation {
    private static let mostBlocksShown = 50

    func registerBlocks(on robot: inout RobotBuilder) {
        robot.respond(
            /block (?<address>\S+)$/,
            help: "block <address> - Receive nothing more from an address or a domain on XMPP",
            example: "block mallory@example.org", allow: .admins
        ) { res in
            let (adapter, address) = try Self.blocking(res.match.address, res)
            try Self.protectAdmins(from: address, on: adapter, res)
            try await adapter.block(address)
            try await res.reply("\(address) is blocked.")
        }

        robot.respond(
            /unblock (?<address>\S+)$/, help: "unblock <address> - Receive messages from an address or a domain again",
            example: "unblock mallory@example.org", allow: .admins
        ) { res in
            let (adapter, address) = try Self.blocking(res.match.address, res)
            try await adapter.unblock(address)
            try await res.reply("\(address) is no longer blocked.")
        }

        robot.respond(/blocks$/, help: "blocks - List whom I block", example: "blocks", allow: .admins) { res in
            guard let adapter = res.robot.adapter(of: res.message.room, as: (any ContactBlocking).self) else {
                throw Self.unsupported(res.message.room.id.adapter)
            }
            let all = try await adapter.blockedAddresses()
            let shown = all.prefix(Self.mostBlocksShown).map { String(oneLine: $0, limit: 100) }
            let rest = all.count > shown.count ? ", and \(all.count - shown.count) more" : ""
            try await res.reply(all.isEmpty ? "I block nobody." : "\(shown.joined(separator: ", "))\(rest)")
        }
    }

    private static func unsupported(_ adapter: String) -> Refusal {
        Refusal("I can't block anybody on \(adapter): try \"ignore\".")
    }

    /// Returns the adapter and the address that a command names, such as `mallory@example.org` or `xmpp:example.org`.
    private static func blocking<Match>(
        _ typed: Substring, _ res: Response<Match>
    ) throws -> (adapter: any ContactBlocking, address: String) {
        let id = res.robot.room(named: typed.beginning(bytes: 400), from: res.message.room)
        guard let adapter = res.robot.adapters.first(where: { $0.name == id.adapter }) as? any ContactBlocking else {
            throw unsupported(id.adapter)
        }
        return (adapter, id.value)
    }

    /// Refuses to block an admin, and the server of the user who asks.
    private static func protectAdmins<Match>(
        from address: String, on adapter: any ContactBlocking, _ res: Response<Match>
    ) throws {
        let known = try? (adapter as? any ConfiguredUserRecognition)?.userID(named: address)
        let user = User(id: adapter.id(known ?? address), name: address)
        if res.robot.isAdmin(user) { throw Refusal("I won't block \(address), who is one of my admins.") }
        let asker = res.message.user.id
        if asker.adapter == adapter.name, asker.value.lowercased().hasSuffix("@\(address.lowercased())") {
            throw Refusal("I won't block \(address): that would affect you too.")
        }
    }
}
