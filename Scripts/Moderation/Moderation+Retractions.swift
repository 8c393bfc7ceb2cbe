import Heybot

// Retracts messages of others, where the network can (XEP-0425).

extension Moderation {
    /// Retracts the message that a moderator replies to, or somebody's last one.
    func registerRetractions(on robot: inout RobotBuilder) {
        robot.respond(
            /retract$/, help: "retract - Take back the message that you reply to, for everyone in this room",
            example: "retract", allow: Self.moderators, deadline: Self.deadline
        ) { res in try await Self.retract(nil, nil, res) }

        robot.respond(
            /retract (?<name>"[^"]+"|\S+)(?: (?<reason>\S.*))?$/,
            help: "retract <nick> [reason] - Take back the last message of someone who is here",
            example: "retract mallory", allow: Self.moderators, deadline: Self.deadline
        ) { res in try await Self.retract(res.match.name, res.match.reason, res) }
    }

    private static func retract<Match>(
        _ name: Substring?, _ reason: Substring?, _ res: Response<Match>
    ) async throws {
        let place = try ModeratedRoom(res)
        let (message, reason) = try await target(name, reason, place, res)
        let shown = String(oneLine: reason, limit: RestrictionOrder.longestReason)
        try await place.adapter.moderate(.retract(message, reason: place.shown(shown)), in: place.room)
        try await res.reply("Done.")
    }

    /// Returns the message that a command means, and the reason.
    ///
    /// What follows the command in a reply is the reason.
    private static func target<Match>(
        _ typed: Substring?, _ reason: Substring?, _ place: ModeratedRoom, _ res: Response<Match>
    ) async throws -> (Message.ID, String) {
        if let reply = res.message.reply {
            guard let message = reply.message else { throw Refusal("That message is too old for me.") }
            if let author = await place.adapter.author(of: message, in: place.room) {
                try place.protectAdmin(from: "retract what was said by", author)
            }
            return (message, [typed, reason].compactMap { $0.map { String($0) } }.joined(separator: " "))
        }
        guard let typed else {
            throw Refusal("Which message? Reply to it, or say whose last one, as in: retract mallory")
        }
        let member = try await place.member(typed)
        try place.protectAdmin(from: "retract what was said by", member.user)
        guard let message = await place.adapter.latestMessage(of: member, in: place.room) else {
            throw Refusal("I know no message of \(member.user.shortName) here that I could retract.")
        }
        guard message != res.message.id else { throw Refusal("Reply to the message of yours that you mean.") }
        return (message, reason.map { String($0) } ?? "")
    }
}
