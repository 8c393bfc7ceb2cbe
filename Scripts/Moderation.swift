public import Heybot

/// Moderates rooms in which the robot is an operator: statuses, kicks, bans, quiets and the topic.
///
/// The brain stores the bans and quiets in force, with who asked for them; scheduled timers lift those that end.
public struct Moderation: Script {
    /// The users who may moderate, besides the admins.
    static let moderators = Access.role("moderator")
    /// Services may take a while to make the robot an operator.
    static let deadline: Duration = .minutes(1)

    public init() {}

    public var topic: ScriptTopic { .administration }
    public var settings: [any AnyScriptSetting] { [Clock.timeZone] }

    public func register(on robot: inout RobotBuilder) {
        registerStatuses(on: &robot)
        registerBans(on: &robot)
        registerQuiets(on: &robot)
        registerLifting(on: &robot)
        registerBlocks(on: &robot)
        registerRetractions(on: &robot)

        robot.respond(
            /topic (?<text>\S.*)$/, help: "topic <text> - Set this room's topic", example: "topic tea at four",
            allow: Self.moderators, deadline: Self.deadline
        ) { res in
            let place = try ModeratedRoom(res)
            try await place.adapter.moderate(.setTopic(String(oneLine: res.match.text, limit: 390)), in: place.room)
            try await res.reply("Done.")
        }
    }

    private func registerStatuses(on robot: inout RobotBuilder) {
        robot.respond(
            /(?<verb>op|deop) (?<name>"[^"]+"|\S+)$/,
            help: """
                op <nick> - Make someone an operator of this room
                deop <nick> - Take the operator status from someone
                """,
            example: "op ada", allow: Self.moderators, deadline: Self.deadline
        ) { res in
            let place = try ModeratedRoom(res)
            let member = try await place.member(res.match.name)
            let isGiven = res.match.verb.lowercased() == "op"
            if !isGiven { try place.protectAdmin(from: "deop", member.user) }
            try await place.adapter.moderate(isGiven ? .giveOperator(member) : .takeOperator(member), in: place.room)
            try await res.reply("\(member.user.shortName) is \(isGiven ? "an operator now" : "no longer an operator").")
        }

        robot.respond(
            /(?<verb>voice|devoice) (?<name>"[^"]+"|\S+)$/,
            help: """
                voice <nick> - Let someone speak in this room while it is moderated
                devoice <nick> - Take that right from someone
                """,
            example: "voice ada", allow: Self.moderators, deadline: Self.deadline
        ) { res in
            let place = try ModeratedRoom(res)
            let member = try await place.member(res.match.name)
            let isGiven = res.match.verb.lowercased() == "voice"
            if !isGiven { try place.protectAdmin(from: "devoice", member.user) }
            try await place.adapter.moderate(isGiven ? .giveVoice(member) : .takeVoice(member), in: place.room)
            try await res.reply("\(member.user.shortName) \(isGiven ? "has voice now" : "no longer has voice").")
        }

        robot.respond(
            /kick (?<name>"[^"]+"|\S+)(?: (?<reason>\S.*))?$/,
            help: "kick <nick> [reason] - Remove someone from this room", example: "kick mallory spamming",
            allow: Self.moderators, deadline: Self.deadline
        ) { res in
            let place = try ModeratedRoom(res)
            let member = try await place.member(res.match.name)
            try place.protect(from: "kick", member.user)
            let reason = String(oneLine: res.match.reason ?? "", limit: RestrictionOrder.longestReason)
            try await place.adapter.moderate(.kick(member, reason: place.shown(reason)), in: place.room)
            try await res.reply("I've kicked \(member.user.shortName).")
        }
    }

    private func registerBans(on robot: inout RobotBuilder) {
        let zones = UserAndRoomTimeZones(usual: robot.value(of: Clock.timeZone))
        robot.respond(
            /ban (?<name>"[^"]+"|\S+)(?: (?<rest>\S.*))?$/,
            help: """
                ban <nick> [reason] - Remove someone from this room, and keep them out; also someone who isn't here
                ban <nick> for <time> [reason] - Keep them out for a time, such as 30m, 2h or 1 day
                """,
            example: "ban mallory for 2h spamming", allow: Self.moderators, deadline: Self.deadline
        ) { res in
            try await Self.restrict(.ban, res.match.name, res.match.rest, res)
        }

        robot.respond(
            /unban (?<name>"[^"]+"|\S+)$/, help: "unban <nick> - Let someone in again whom I have banned",
            example: "unban mallory", allow: Self.moderators, deadline: Self.deadline
        ) { res in
            try await Self.lift(.ban, res.match.name, res)
        }

        robot.respond(
            /bans$/, help: "bans - List the bans and quiets in this room that I was asked for", example: "bans",
            allow: Self.moderators
        ) { res in
            try await Self.list(zones, res)
        }
    }

    private func registerQuiets(on robot: inout RobotBuilder) {
        robot.respond(
            /quiet (?<name>"[^"]+"|\S+)(?: (?<rest>\S.*))?$/,
            help: """
                quiet <nick> [reason] - Keep someone from speaking in this room
                quiet <nick> for <time> [reason] - Keep them from speaking for a time, such as 30m, 2h or 1 day
                """,
            example: "quiet mallory for 1h", allow: Self.moderators, deadline: Self.deadline
        ) { res in
            try await Self.restrict(.quiet, res.match.name, res.match.rest, res)
        }

        robot.respond(
            /unquiet (?<name>"[^"]+"|\S+)$/, help: "unquiet <nick> - Let someone speak again whom I have quieted",
            example: "unquiet mallory", allow: Self.moderators, deadline: Self.deadline
        ) { res in
            try await Self.lift(.quiet, res.match.name, res)
        }
    }
}
