import FoundationEssentials
public import Heybot

/// Links the accounts of one person on several networks, so that roles, reminders and the like follow the person.
///
/// The script gives one account a code, which the other account has to say: that proves that both belong to one person.
public struct Accounts: Script {
    /// No characters that are easily confused.
    private static let characters = Array("ABCDEFGHJKLMNPQRSTUVWXYZ23456789")
    private static let codeLength = 6
    private static let cooldown = Cooldown.perUser(.seconds(5))

    public init() {}

    public var topic: ScriptTopic { .people }

    public func register(on robot: inout RobotBuilder) {
        robot.respond(
            /link (?:me (?:to|with) )?(?<id>\S{1,400})(?: (?<code>[a-z0-9]{6}))?$/,
            help: "link <network>:<id> - Link another account of yours, so that both have the same roles",
            example: "link xmpp:ada@example.org", cooldown: Self.cooldown
        ) { res in
            try Self.requireProof(res)
            let other = try await OnCall.account(res.match.id, res)
            guard other.id != res.message.user.id else { throw Refusal("That's where you are.") }
            if let code = res.match.code {
                try await Self.link(other, code, res)
            } else {
                try await Self.offerCode(for: other, res)
            }
        }

        robot.respond(
            /unlink(?: (?<id>\S{1,400}))?$/,
            help: """
                unlink - Unlink the account that you're using from your others
                unlink <network>:<id> - Unlink another account of yours; admins can unlink any account
                """,
            example: "unlink xmpp:ada@example.org"
        ) { res in try await Self.unlink(res.match.id, res) }

        robot.respond(
            /(?:who am I|who do you think I am|whoami)\??$/,
            help: "who am I - Show your account and your roles; in private, also your linked accounts",
            example: "who am I"
        ) { res in
            let user = res.message.user
            let name = "You're \(user.shortName) (\(String(oneLine: user.id.description, limit: 200)))"
            guard !user.isAnonymous else {
                throw Refusal(
                    "\(name), but I can't verify that: log in to your account on \(user.id.adapter). "
                        + user.otherVerification)
            }
            let linked = res.robot.accounts(of: user).dropFirst()
            let roles = res.robot.roles(of: user).sorted()
            let role = roles.isEmpty ? "" : " Your roles: \(roles.joined(separator: ", "))."
            // Not everybody in the room may know the linked accounts.
            guard res.message.room.isPrivate, !linked.isEmpty else {
                try await res.reply("\(name).\(role)")
                return
            }
            try await res.reply("\(name), and also \(Self.list(linked)).\(role)")
        }
    }

    // MARK: Linking

    /// Throws a ``Refusal`` unless a verified user has just said the message in private.
    private static func requireProof<Match>(_ res: Response<Match>) throws(Refusal) {
        let user = res.message.user
        guard res.message.room.isPrivate else { throw Refusal("Say that to me in private.") }
        guard !user.isAnonymous else {
            throw Refusal(
                "I can't verify who you are. Log in to your account on \(user.id.adapter), and say it again. "
                    + user.otherVerification)
        }
        guard res.isRequested else { throw Refusal("Say that to me yourself.") }
    }

    private static func offerCode<Match>(for other: User, _ res: Response<Match>) async throws {
        let (user, now) = (res.message.user, res.robot.date)
        guard !res.robot.accounts(of: user).contains(where: { $0.id == other.id }) else {
            throw Refusal("You're one person to me already.")
        }
        let text = String((0..<codeLength).compactMap { _ in res.random(characters) })
        let code = LinkCodes.Code(
            text: text, owner: user, other: other.id, end: now.addingTimeInterval(LinkCodes.lifetime))
        try await res.brain.update(LinkCodes.key, default: LinkCodes()) { try $0.add(code, at: now) }
        try await res.reply(
            "Within 10 minutes, say \"link \(user.id) \(text)\" to me in private as \(shown(other)). "
                + "Then both accounts are one person to me, who has the roles of both.")
    }

    private static func link<Match>(_ owner: User, _ typed: Substring, _ res: Response<Match>) async throws {
        let user = res.message.user
        let asker = try await check(typed, of: owner, isUsed: false, res)
        let gaining = res.robot.accounts(of: asker)
        let gains = gaining.count == 1 ? "has all your roles, and gets" : "have all your roles, and get"
        // Somebody may have talked the user into saying it.
        try await res.confirm("Then \(list(gaining)) \(gains) your reminders. Is that you?")
        let known = try await check(typed, of: owner, isUsed: true, res)
        let before = try await res.brain.recall(LinkedAccounts.key) ?? LinkedAccounts()
        let isNew = try await res.robot.link(known, to: user)
        try await res.reply(
            "OK, \(shown(known)) and \(shown(user)) are one person to me. To end that, say \"unlink \(known.id)\".")
        // The owner should know, in case it was a mistake.
        let note = "\(shown(user)) and you are one person to me now. To end that, say \"unlink\"."
        _ = try? await res.robot.sendPrivately(note, to: known)
        guard isNew else { return }
        let (owners, own) = (before.accounts(of: known.id), before.accounts(of: user.id))
        let moved = try await PlusPlus.moveScore(
            of: own.isEmpty ? [user] : own, to: owners.isEmpty ? [known] : owners, res.robot)
        guard let moved else { return }
        try await res.reply("The points of \(moved.from) count for \(moved.to) now.")
    }

    /// Returns the account that has asked for a code.
    ///
    /// - Throws: A ``Refusal`` if the code isn't right.
    private static func check<Match>(
        _ typed: Substring, of owner: User, isUsed: Bool, _ res: Response<Match>
    ) async throws -> User {
        let (user, now, code) = (res.message.user, res.robot.date, String(typed))
        let known = try await res.brain.update(LinkCodes.key, default: LinkCodes()) {
            $0.check(code, of: owner.id, saidBy: user.id, isUsed: isUsed, at: now)
        }
        guard let known else {
            throw Refusal(
                "That code isn't right, or too old. Say \"link \(user.id)\" to me as \(shown(owner)) for a new one.")
        }
        return known
    }

    private static func unlink<Match>(_ typed: Substring?, _ res: Response<Match>) async throws {
        let user = res.message.user
        guard !user.isAnonymous else { throw Refusal("I can't verify who you are. Log in to your account first.") }
        guard let typed else {
            guard try await res.robot.unlink(user.id) else {
                throw Refusal("This account isn't linked with others.")
            }
            try await res.reply("OK, \(shown(user)) is no longer linked.")
            return
        }
        let name = typed.lowercased()
        let own = res.robot.accounts(of: user).first { $0.id.description.lowercased() == name }?.id
        let isAdmin = res.robot.isAdmin(user)
        // An admin unlinks an account that was given up, or whose password was stolen.
        guard let id = own ?? (isAdmin ? User.ID(String(typed)) : nil), try await res.robot.unlink(id) else {
            let known = String(oneLine: typed, limit: 100)
            throw Refusal("\(known) isn't linked\(isAdmin ? "" : " with this account").")
        }
        try await res.reply("OK, \(String(oneLine: id.description, limit: 200)) is no longer linked.")
    }

    private static func shown(_ user: User) -> String { String(oneLine: user.id.description, limit: 200) }

    private static func list(_ accounts: some Sequence<User>) -> String {
        accounts.map(shown).joined(separator: ", ")
    }
}
