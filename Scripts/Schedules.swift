import FoundationEssentials
public import Heybot
import HeybotDates

/// Runs any command at a time, or again and again, with the rights that its owner has then.
///
/// Schedules are timers in the brain, so they survive a restart.
public struct Schedules: Script {
    public init() {}

    public var topic: ScriptTopic { .work }
    public var settings: [any AnyScriptSetting] { [Clock.timeZone] }

    public func register(on robot: inout RobotBuilder) {
        let zones = UserAndRoomTimeZones(usual: robot.value(of: Clock.timeZone))
        registerTimers(zones, on: &robot)
        registerLists(zones, on: &robot)

        robot.respond(
            /(?<when>\S.{0,199}?) run (?<command>\S[\s\S]*)$/,
            help: """
                <when> run <command> - Run a command at a time, for example every weekday at 9:00 or tomorrow at noon
                <when> run <command> in <room> - Run a command in another room
                """,
            example: "every weekday at 9:00 run echo good morning"
        ) { res in
            let networks = res.robot.adapters.map(\.name)
            let placed = PlacedCommand(res.match.command, networks: networks)
            let zone = try await Self.zone(for: placed.room, zones, res)
            // Other commands have the word "run" too.
            guard let meaning = try await DateDialog(zone: zone).parse(String(res.match.when), res) else {
                throw SkipListener()
            }
            try await Self.create(placed.command, meaning, in: placed.room, zone, res)
        }

        robot.respond(
            /run (?<order>\S[\s\S]*)$/,
            help: "run <command> <when> - The same, with the time after the command",
            example: "run echo good morning every weekday at 9:00"
        ) { res in
            let networks = res.robot.adapters.map(\.name)
            // Another script may have a command that begins with "run", or this one may be made in chat.
            guard let timed = CommandBeforeTime(res.match.order, networks: networks),
                Self.admission(of: timed.command, res) != .unknown
            else { throw SkipListener() }
            let zone = try await Self.zone(for: timed.room, zones, res)
            let found = try await DateDialog(zone: zone).find(in: String(timed.text), isOptional: true, res)
            guard let found else { throw SkipListener() }
            try await Self.create(timed.command, found.meaning, in: timed.room, zone, res)
        }

        robot.respond(
            /schedule (?:(?:add|new) )?(?:(?<room>[#&]\S{1,400}) )?["“](?<when>[^"”]{1,199})["”] (?<command>\S[\s\S]*)$/,
            help: """
                schedule "<when>" <command> - The same; the time may be a cron expression, such as 30 9 * * 1-5
                schedule <room> "<when>" <command> - The same in another room
                """,
            example: "schedule \"30 9 * * 1-5\" echo good morning"
        ) { res in
            let zone = try await Self.zone(for: res.match.room, zones, res)
            guard let meaning = try await DateDialog(zone: zone).parse(String(res.match.when), res) else {
                throw Refusal(
                    "I don't understand \"\(String(oneLine: res.match.when, limit: 60))\" as a time. "
                        + "Say it as in: schedule \"every weekday at 9:00\" echo good morning")
            }
            let command = Self.commandOrEcho(res.match.command, res)
            try await Self.create(command, meaning, in: res.match.room, zone, res)
        }
    }

    /// Returns the time zone for a command in a room; nil is the message's room.
    private static func zone<Match>(
        for room: Substring?, _ zones: UserAndRoomTimeZones, _ res: Response<Match>
    ) async throws -> IANATimeZone {
        let here = res.message.room
        let id = room.map { res.robot.room(named: $0.beginning(bytes: 400), from: here) } ?? here.id
        return try await zones.zone(forRoom: id, askedBy: res.message, res.brain)
    }

    private static func create<Match>(
        _ typed: Substring, _ meaning: DateReading.Meaning, in name: Substring?, _ zone: IANATimeZone,
        _ res: Response<Match>
    ) async throws {
        let (robot, message) = (res.robot, res.message)
        let id = name.map { robot.room(named: $0.beginning(bytes: 400), from: message.room) } ?? message.room.id
        let room = id == message.room.id ? message.room : Room(id: id)
        guard id.adapter == message.user.id.adapter else {
            let network = String(oneLine: id.adapter, limit: 40)
            throw Refusal("Say that to me on \(network), so that I know your rights there.")
        }
        try await robot.refuseStrangers(in: id, from: message)
        let command = try Self.command(typed, in: room, res)
        var recurrence: Recurrence?
        if case .repeatedly(let found, first: _) = meaning { recurrence = found }
        let rule = recurrence
        let first = Date(timeIntervalSince1970: Double(meaning.first))
        let entry = try await ScheduleBook(robot: robot).add(at: first) { number in
            CommandSchedule(
                number: number, command: command, owner: message.user, origin: message.anonymousOrigin, room: room,
                zone: zone.name, recurrence: rule)
        }
        let time = entry.schedule.time(entry.date, now: robot.date, in: zone, ordinal: "first")
        let place = Self.place(of: entry.schedule, from: message.room, robot)
        let shown = entry.schedule.shownCommand
        try await res.reply("OK, I'll run \"\(shown)\"\(place) \(time). (Schedule \(entry.schedule.number))")
    }

    /// Returns what the robot would do with a command of a message's author in the message's room.
    private static func admission<Match>(of command: Substring, _ res: Response<Match>) -> CommandAdmission {
        guard command.utf8.count <= CommandSchedule.longest + 10 else { return .unknown }
        var message = res.message
        message.content = .text(String(command))
        message.isAddressed = true
        return res.robot.admission(of: message)
    }

    /// Returns a command as it was typed, or one that says the text if it isn't a command, as Hubot's schedules do.
    static func commandOrEcho<Match>(_ typed: Substring, _ res: Response<Match>) -> Substring {
        let echo = "echo \(typed.beginning(bytes: CommandSchedule.longest))"
        var found = admission(of: typed, res)
        // "Run for your lives" is a text, although it begins as a command for schedules does.
        let isOnlyOurs = found == .admitted(scripts: ["\(Schedules.self)"])
        if isOnlyOurs, typed.lowercased().hasPrefix("run "), DateDialog.timeWords(in: typed) == nil { found = .unknown }
        let isText = found == .unknown && admission(of: echo[...], res) != .unknown
        return isText ? echo[...] : typed
    }

    /// Returns a command that a message's author may schedule in a room.
    ///
    /// - Throws: A ``Refusal`` if it is too long or unknown, if the author may not use it or have schedules there, if
    ///   it makes schedules itself, or if the author hasn't said the message.
    static func command<Match>(
        _ typed: Substring, in room: Room, _ res: Response<Match>
    ) throws(Refusal) -> String {
        // A command that schedules itself would run forever.
        guard res.commandDepth == 0, res.isRequested else {
            throw Refusal("Say that to me yourself: another command can't make or change a schedule.")
        }
        guard typed.utf8.count <= CommandSchedule.longest else {
            throw Refusal("That's too long: a command that I run may have \(CommandSchedule.longest) bytes.")
        }
        if let reason = refusal(for: res.message.user, in: room, res.robot) { throw Refusal(reason) }
        let command = String(typed)
        let schedule = CommandSchedule(
            number: 0, command: command, owner: res.message.user, room: room, zone: "", recurrence: nil)
        switch res.robot.admission(of: schedule.message(in: room, at: res.robot.date)) {
        case .admitted(let scripts):
            // A command with the word "run" may be another script's; one that makes schedules is refused when it runs.
            guard scripts != ["\(Schedules.self)"] else { throw Refusal("I can't schedule a schedule.") }
            return command
        case .refused(let reason): throw Refusal(reason)
        case .unknown:
            throw Refusal(
                "I don't know the command \"\(schedule.shownCommand)\". To have me say something, use: "
                    + "remind #dev every weekday at 9:00 that the day begins")
        }
    }

    /// Returns the room in which a command runs, as in ` in #dev`; empty if that is clear.
    static func place(of schedule: CommandSchedule, from here: Room, _ robot: Robot) -> String {
        if schedule.room.id == here.id { return "" }
        return schedule.room.isPrivate
            ? " in private" : " in \(String(oneLine: robot.displayName(of: schedule.room.id), limit: 100))"
    }
}
