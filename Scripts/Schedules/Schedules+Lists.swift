import Heybot

extension Schedules {
    /// The maximum number of lines of a list.
    private static let mostListed = 20

    func registerLists(_ zones: UserAndRoomTimeZones, on robot: inout RobotBuilder) {
        robot.respond(
            /(?:(?:list|show)(?: me)? )?(?<all>all )?(?:my |the |our )?schedules?(?: list)?(?: (?<which>all|[#&][^\s?]{1,400}))?\??$/,
            help: """
                schedules - List the schedules of this room or, in private, yours
                schedules <room> - List the schedules of a room
                all schedules - List the schedules of everyone; only for admins
                """,
            example: "schedules"
        ) { res in
            let which = res.match.which?.lowercased()
            if res.match.all != nil || which == "all" {
                try await res.send(Self.listOfAll(zones, res))
            } else if let room = res.match.which {
                try await res.send(Self.list(ofRoom: room, zones, res))
            } else {
                try await res.send(Self.listOfAuthor(zones, res))
            }
        }

        robot.respond(
            /(?:(?:cancel|delete|remove|stop|rm) (?:the |my )?schedule|schedule (?:cancel|delete|del|remove|rm)) #?(?<number>[0-9]{1,9})$/,
            help: "cancel schedule <number> - Cancel a schedule of yours; admins can cancel any",
            example: "cancel schedule 1"
        ) { res in
            let number = Int(res.match.number) ?? 0
            let book = ScheduleBook(robot: res.robot)
            let isAdmin = res.robot.isAdmin(res.message.user)
            let entry = try await book.entry(number: number)
            guard let schedule = entry?.schedule, isAdmin || res.message.user.proves(toBe: schedule.owner) else {
                throw Self.unknown(number)
            }
            try await book.cancel(schedule)
            try await res.reply("I've canceled schedule \(number)\(Self.shown(schedule, res)).")
        }

        robot.respond(
            /(?:schedule (?:update|upd|edit)|(?:update|edit|change) schedule) #?(?<number>[0-9]{1,9}) (?<command>\S[\s\S]*)$/,
            help: "schedule update <number> <command> - Change the command of a schedule of yours",
            example: "schedule update 1 ping"
        ) { res in
            let number = Int(res.match.number) ?? 0
            let book = ScheduleBook(robot: res.robot)
            // Not even an admin may have a command run with somebody else's rights.
            guard let entry = try await book.entry(number: number),
                res.message.user.proves(toBe: entry.schedule.owner)
            else { throw Self.unknown(number) }
            let room = entry.schedule.room
            if !room.isPrivate { try await res.robot.refuseStrangers(in: room.id, from: res.message) }
            let command = try Self.command(Self.commandOrEcho(res.match.command, res), in: room, res)
            try await book.update(entry, command: command)
            try await res.reply("OK, schedule \(number) has the new command.")
        }
    }

    private static func unknown(_ number: Int) -> Refusal {
        Refusal("You have no schedule \(number). To see yours, say: schedules.")
    }

    /// Returns a schedule's command after a colon, unless it is private and the room isn't.
    private static func shown<Match>(_ schedule: CommandSchedule, _ res: Response<Match>) -> String {
        schedule.room.isPrivate && !res.message.room.isPrivate ? "" : ": \(schedule.shownCommand)"
    }

    private static func listOfAll<Match>(
        _ zones: UserAndRoomTimeZones, _ res: Response<Match>
    ) async throws -> String {
        guard res.robot.isAdmin(res.message.user) else { throw Refusal("Only my admins may see all schedules.") }
        let (next, count) = try await ScheduleBook(robot: res.robot).all(atMost: mostListed)
        guard !next.isEmpty else { throw Refusal("There are no schedules.") }
        return lines(next, count: count, zones, res)
    }

    private static func list<Match>(
        ofRoom name: Substring, _ zones: UserAndRoomTimeZones, _ res: Response<Match>
    ) async throws -> String {
        let room = res.robot.room(named: name.beginning(bytes: 400), from: res.message.room)
        try await res.robot.refuseStrangers(in: room, from: res.message)
        let entries = try await ScheduleBook(robot: res.robot).entries(of: [.room(room)])
        guard !entries.isEmpty else {
            let shown = String(oneLine: res.robot.displayName(of: room), limit: 100)
            throw Refusal("There are no schedules in \(shown).")
        }
        return lines(entries, count: entries.count, zones, res)
    }

    private static func listOfAuthor<Match>(
        _ zones: UserAndRoomTimeZones, _ res: Response<Match>
    ) async throws -> String {
        let (user, here) = (res.message.user, res.message.room)
        let all = try await ScheduleBook(robot: res.robot).entries(of: [.user(user.id), .room(here.id)])
        let own = all.filter { user.proves(toBe: $0.schedule.owner) }
        // Somebody else may have had a private conversation under this name.
        let entries = here.isPrivate ? own : all.filter { $0.schedule.room.id == here.id }
        let elsewhere = here.isPrivate ? 0 : own.count(where: { $0.schedule.room.id != here.id })
        guard !entries.isEmpty else {
            throw Refusal(
                elsewhere > 0
                    ? "There are no schedules for this room. You have \(elsewhere) elsewhere: ask me there, or in private."
                    : "You have no schedules. To make one, say: every weekday at 9:00 run echo good morning")
        }
        let listed = lines(entries, count: entries.count, zones, res)
        return elsewhere > 0 ? "\(listed)\nYou have \(elsewhere) more elsewhere: ask me there, or in private." : listed
    }

    private static func lines<Match>(
        _ entries: [ScheduleBook.Entry], count: Int, _ zones: UserAndRoomTimeZones, _ res: Response<Match>
    ) -> String {
        let here = res.message.room
        let shown = entries.filter { here.isPrivate || !$0.schedule.room.isPrivate }
        let hidden = entries.count - shown.count
        var lines = shown.prefix(mostListed).map { entry in
            let schedule = entry.schedule
            let zone = zones.zone(named: schedule.zone)
            let time = schedule.time(entry.date, now: res.robot.date, in: zone)
            let isOwn = res.message.user.proves(toBe: schedule.owner)
            let owner = isOwn ? "" : ", for \(schedule.owner.shortName)"
            let place = Self.place(of: schedule, from: here, res.robot)
            return "\(schedule.number): \(schedule.shownCommand)\(place), \(time)\(owner)"
        }
        let rest = count - hidden - lines.count
        if rest > 0 { lines.append("… and \(rest) more") }
        if hidden > 0 { lines.append("\(hidden) private \(hidden == 1 ? "one isn't" : "ones aren't") shown here.") }
        return lines.joined(separator: "\n")
    }
}
