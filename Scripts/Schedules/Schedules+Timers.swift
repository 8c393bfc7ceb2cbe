import FoundationEssentials
import Heybot
import Logging

extension Schedules {
    func registerTimers(_ zones: UserAndRoomTimeZones, on robot: inout RobotBuilder) {
        robot.on(
            ScheduleBook.job,
            next: { schedule, date in schedule.next(after: date, in: zones.zone(named: schedule.zone)) },
            gaveUp: { timer, _, robot in
                if timer.payload.recurrence == nil { try await ScheduleBook(robot: robot).unrecord(timer.payload) }
            }
        ) { timer, robot in
            try await Self.fire(timer, zones, robot)
        }
    }

    private static func fire(
        _ timer: ScheduledTimer<CommandSchedule>, _ zones: UserAndRoomTimeZones, _ robot: Robot
    ) async throws {
        let schedule = timer.payload
        let isOnce = schedule.recurrence == nil
        // First, so that nothing can fail after the command has run.
        if isOnce { try await ScheduleBook(robot: robot).unrecord(schedule) }
        guard let (room, owner) = await present(schedule, robot) else {
            let problem = isOnce ? "it is dropped" : "it didn't run this time"
            robot.logger.notice("schedule \(schedule.number): the robot can't reach \(schedule.room.id), so \(problem)")
            return
        }
        if let reason = refusal(for: schedule.owner, in: room, robot) {
            return robot.logger.info("schedule \(schedule.number) didn't run this time: \(reason)")
        }
        if timer.lateness > .zero, timer.attempts == 1 {
            // What was meant for a time may be wrong at another one.
            guard isOnce else { return }
            let zone = zones.zone(named: schedule.zone)
            let now = FormattedLocalTime(robot.date, in: zone)
            let time = FormattedLocalTime(timer.date, in: zone).said(at: now)
            let text = "I was away at the time for \"\(schedule.shownCommand)\" (\(time)), so I haven't run it."
            return try await robot.deliver(.reply(text), to: Envelope(room: room, user: schedule.owner))
        }
        let message = schedule.message(in: room, name: owner?.name, at: timer.date)
        guard try await isAdmitted(message, schedule, robot) else { return }
        let messenger = robot.adapters.first { $0.name == room.id.adapter } as? any PrivateMessaging
        await robot.run(message, DelegatedCommand(reachesUser: owner != nil || messenger == nil))
    }

    /// Returns why a user's schedules don't run in a room now; nil if they do.
    static func refusal(for owner: User, in room: Room, _ robot: Robot) -> String? {
        let script = "\(Schedules.self)"
        guard robot.switches.isOn(script, in: room) else {
            return "\(script) is disabled in \(String(oneLine: robot.displayName(of: room.id), limit: 100))."
        }
        // The commands that make schedules: a user who may use none of them any more has none.
        let makers = robot.listeners.filter { listener in
            listener.script == script && listener.help.contains { $0.usage.contains("<when>") }
        }
        let roles = robot.roles(of: owner)
        let refusals = makers.map { robot.access(to: $0).refusal(ofUserWith: roles, in: room, on: robot.adapters) }
        return refusals.contains(nil) ? nil : refusals.compactMap(\.self).first
    }

    /// Returns whether the owner may use the command now; if not, the room gets to know that once.
    private static func isAdmitted(
        _ message: Message, _ schedule: CommandSchedule, _ robot: Robot
    ) async throws -> Bool {
        let reason: String
        switch robot.admission(of: message) {
        case .admitted:
            if schedule.isRefused { try await set(isRefused: false, of: schedule, robot) }
            return true
        case .refused(let refusal): reason = refusal
        case .unknown: reason = "I don't know that command here any more."
        }
        guard !schedule.isRefused else { return false }
        let owner = schedule.owner.shortName
        let advice =
            schedule.recurrence == nil
            ? "" : " I'll go on as soon as that changes. To remove it, say: cancel schedule \(schedule.number)"
        let name = "\"\(schedule.shownCommand)\" (schedule \(schedule.number))"
        let text = "I can't run \(name) for \(owner): \(reason)\(advice)"
        try await robot.deliver(.text(text), to: Envelope(room: message.room))
        try await set(isRefused: true, of: schedule, robot)
        return false
    }

    private static func set(isRefused: Bool, of schedule: CommandSchedule, _ robot: Robot) async throws {
        guard schedule.recurrence != nil else { return }
        var changed = schedule
        changed.isRefused = isRefused
        try await ScheduleBook(robot: robot).replace(changed)
    }

    /// Returns the room in which a command runs now, and its owner as the network shows them, if it does.
    ///
    /// - Returns: Nil if the robot isn't in the room, or if the owner's private room may be somebody else's by now.
    private static func present(_ schedule: CommandSchedule, _ robot: Robot) async -> (room: Room, owner: User?)? {
        let room = schedule.room
        let messenger = robot.adapters.first { $0.name == room.id.adapter } as? any PrivateMessaging
        var owner = await messenger?.locate(schedule.owner)
        if owner?.proves(toBe: schedule.owner) != true { owner = nil }
        guard room.isPrivate, let messenger else {
            if await robot.isIn(room) == false { return nil }
            return (room, owner)
        }
        guard let owner else { return nil }
        return (messenger.privateRoom(of: owner), owner)
    }
}
