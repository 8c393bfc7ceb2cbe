import FoundationEssentials
import Heybot
import Logging

// Bans and quiets: set, listed, and lifted, by a command or at their end.

extension Moderation {
    /// A ban or a quiet that ends, and its room.
    struct Lifting: Codable, Hashable, Sendable {
        let room: Room.ID
        /// The id of the record.
        let record: String
    }

    static let lifting = ScheduledJob<Lifting>("moderation.lifting")
    /// How often the robot tries to lift what has ended: for four days.
    private static let attempts = 100
    private static let mostListed = 10

    /// Bans or quiets the member whom a command names.
    ///
    /// - Parameter rest: What follows the name.
    static func restrict<Match>(
        _ kind: RoomRestriction.Kind, _ typed: Substring, _ rest: Substring?, _ res: Response<Match>
    ) async throws {
        let place = try ModeratedRoom(res)
        let order = try RestrictionOrder(rest ?? "")
        let target = try await place.target(kind, typed)
        let (restriction, affected) = (target.restriction, target.affected)
        try place.protect(from: kind.rawValue, target.user, affected: affected)
        let (room, now) = (place.room.id, res.robot.date)
        let record = RestrictionRecord(
            id: String(res.random(in: 0...Int.max), radix: 36), restriction: restriction, user: target.user,
            author: place.moderator, date: now, end: order.span.map { now + $0.seconds }, reason: order.reason)
        // Both before the act: if the robot is killed meanwhile, at most too much is lifted.
        if let end = record.end {
            try await res.robot.schedule(
                lifting, Lifting(room: room, record: record.id), id: record.id, needing: room.adapter, at: end)
        }
        let book = RestrictionBook(brain: res.brain)
        let replaced: [RestrictionRecord]
        do {
            replaced = try await book.add(record, in: room)
        } catch {
            try await cancelTimer(of: record, in: room, res.robot)
            throw error
        }
        do {
            let reason = place.shown(order.reason)
            let action: ModerationAction =
                target.member.map { ModerationAction.restrict($0, restriction, reason: reason) }
                ?? .restrictAbsent(restriction, reason: reason)
            try await place.adapter.moderate(action, in: place.room)
        } catch let error as AdapterError where error.code != .unconfirmed {
            try await book.remove(record.id, in: room, restoring: replaced)
            try await cancelTimer(of: record, in: room, res.robot)
            throw error
        }
        for old in replaced { try await cancelTimer(of: old, in: room, res.robot) }
        let absent = target.member == nil ? restriction.subject.split(separator: " ").last.map(String.init) : nil
        try await res.reply(confirmation(of: record, order.span, affected, absent: target.isSecret ? nil : absent))
        guard target.isSecret, let absent else { return }
        let note = "By \(target.user.shortName) I mean \(String(oneLine: absent, limit: 100)), in \(place.room.name)."
        _ = try? await res.robot.sendPrivately(note, to: place.moderator)
    }

    /// Returns the answer about what was set.
    ///
    /// - Parameter absent: The mask or address of a user who isn't in the room, so that a mistake is noticed.
    private static func confirmation(
        of record: RestrictionRecord, _ span: TimeSpan?, _ affected: [User], absent: String?
    ) -> String {
        let (kind, name) = (record.restriction.kind, record.user.shortName)
        let state = kind == .ban ? "banned" : "quiet"
        let end = span.map { " for \($0)." } ?? " until somebody says \"un\(kind.rawValue) \(name)\"."
        let others = affected.filter { $0.name != record.user.name }.prefix(mostListed).map(\.shortName)
        let also = others.isEmpty ? "" : " That also affects \(others.joined(separator: ", "))."
        let mask = absent.map { $0 == name ? "" : " (\(String(oneLine: $0, limit: 100)))" } ?? ""
        return "\(name)\(mask) is \(state)\(end)\(also)"
    }

    /// Lifts what the robot has set for the user whom a command names.
    static func lift<Match>(_ kind: RoomRestriction.Kind, _ typed: Substring, _ res: Response<Match>) async throws {
        let place = try ModeratedRoom(res)
        let name = ModeratedRoom.name(typed)
        let book = RestrictionBook(brain: res.brain)
        let records = try await book.records(in: place.room.id).filter {
            $0.restriction.kind == kind && $0.isAbout(name.lowercased())
        }
        guard let first = records.first else {
            let state = kind == .ban ? "banned" : "quieted"
            let shown = String(oneLine: name, limit: 40)
            throw Refusal("I haven't \(state) \(shown) here. Say \"bans\" to see whom I have.")
        }
        for record in records {
            try await place.adapter.moderate(.lift(record.restriction, ifOwn: false), in: place.room)
            try await book.remove(record.id, in: place.room.id)
            try await cancelTimer(of: record, in: place.room.id, res.robot)
        }
        try await res.reply(release(of: first))
    }

    private static func release(of record: RestrictionRecord) -> String {
        "\(record.user.shortName) may \(record.restriction.kind == .ban ? "come back" : "speak again")."
    }

    private static func cancelTimer(of record: RestrictionRecord, in room: Room.ID, _ robot: Robot) async throws {
        guard record.end != nil else { return }
        try await robot.cancelTimer("\(room.adapter):\(record.id)", of: lifting)
    }

    /// Lists what is in force.
    static func list<Match>(_ zones: UserAndRoomTimeZones, _ res: Response<Match>) async throws {
        let place = try ModeratedRoom(res)
        let records = try await RestrictionBook(brain: res.brain).records(in: place.room.id)
        guard !records.isEmpty else { throw Refusal("I've banned nobody here.") }
        let zone = try await zones.zone(for: res.message, res.brain)
        let rest = records.count - mostListed
        let lines = records.suffix(mostListed).map { $0.line(in: zone) } + (rest > 0 ? ["and \(rest) more"] : [])
        try await res.send(lines.joined(separator: "\n"))
    }

    // MARK: Timers

    /// Lifts each ban and quiet at its end, and says so.
    func registerLifting(on robot: inout RobotBuilder) {
        let script = name
        robot.on(
            Self.lifting, attempts: Self.attempts, deadline: Self.deadline,
            gaveUp: { timer, _, robot in
                let (room, id) = (timer.payload.room, timer.payload.record)
                let records = try await RestrictionBook(brain: robot.brain).records(in: room)
                guard let record = records.first(where: { $0.id == id }) else { return }
                let (kind, name) = (record.restriction.kind.rawValue, record.user.shortName)
                let fix = "When I'm an operator again, say: un\(kind) \(name)"
                try await robot.post(
                    "I couldn't lift the \(kind) of \(name), and have given up. \(fix)", in: room, for: script)
            }
        ) { timer, robot in
            let (room, id) = (timer.payload.room, timer.payload.record)
            let book = RestrictionBook(brain: robot.brain)
            guard let record = try await book.records(in: room).first(where: { $0.id == id }),
                let adapter = robot.adapter(of: Room(id: room), as: (any RoomModeration).self)
            else { return }
            let subject = "the \(record.restriction.kind.rawValue) of \(record.user.shortName)"
            do {
                try await adapter.moderate(.lift(record.restriction, ifOwn: true), in: Room(id: room))
            } catch let error as AdapterError where error.code == .setByOthers {
                // They may have another reason, and no end in mind.
                try await book.remove(id, in: room)
                await Self.tell("I leave \(subject) in force. \(error.userMessage)", in: room, for: script, robot)
                return
            } catch let error as AdapterError {
                if timer.attempts == 1 {
                    await Self.tell(
                        "I can't lift \(subject) yet. \(error.userMessage) I'll keep trying.", in: room, for: script,
                        robot)
                }
                throw error
            }
            try await book.remove(id, in: room)
            await Self.tell(Self.release(of: record), in: room, for: script, robot)
        }
    }

    /// Tells a room what has become of a restriction, if the robot is there.
    private static func tell(_ text: String, in room: Room.ID, for script: String, _ robot: Robot) async {
        do {
            try await robot.post(text, in: room, for: script)
        } catch {
            robot.logger.debug("couldn't tell \(room): \(error)")
        }
    }
}
