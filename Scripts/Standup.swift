import FoundationEssentials
public import Heybot
import HeybotDates

/// Asks the people of a team in private what they do, and posts their answers in the team's room.
///
/// The brain stores the standups and the answers, so they survive a restart; scheduled timers begin and end each.
public struct Standup: Script {
    static let minutes = ScriptSetting(
        "STANDUP_MINUTES", "minutes in which people can answer in a standup", in: 1...1_440, default: 30)

    /// A room's standup.
    struct Place: Codable, Hashable, Sendable {
        let room: Room.ID
        /// The id of the plan, which differs from that of a former plan of the room.
        let plan: String
    }

    /// A standup that begins at the times of its plan.
    struct Opening: Codable, Hashable, Sendable {
        let place: Place
        let times: ZonedRecurrence
    }

    /// A standup that ends.
    struct Closing: Codable, Hashable, Sendable {
        let place: Place
        let start: Date
    }

    static let begins = ScheduledJob<Opening>("standup.begins")
    static let ends = ScheduledJob<Closing>("standup.ends")
    /// The time from one start of a standup to the next one by a user who isn't an admin, in seconds.
    private static let pause = 3_600.0

    public init() {}

    public var topic: ScriptTopic { .people }
    public var settings: [any AnyScriptSetting] { [Clock.timeZone, Self.minutes] }

    public func register(on robot: inout RobotBuilder) {
        let zones = UserAndRoomTimeZones(usual: robot.value(of: Clock.timeZone))
        let length = Double(robot.value(of: Self.minutes)) * 60
        registerTimers(on: &robot)
        registerPlanning(zones, on: &robot)
        registerPeople(on: &robot)
        registerHolding(zones, length: length, on: &robot)
        registerAnswering(on: &robot)
    }

    private func registerPlanning(_ zones: UserAndRoomTimeZones, on robot: inout RobotBuilder) {
        robot.respond(
            /(?:(?:create|add|make|set up|new) (?:a )?)?standup (?!in \S+$)(?<order>\S.*)$/,
            help: """
                standup <when>: <people> - Ask people in private at these times, and post their answers in this room
                standup <when> in <room>: <people> - Set it up for another room, such as irc:#dev
                """,
            example: "standup every weekday at 9:30: ada, grace", allow: .admins
        ) { res in
            let order = try Order(res.match.order, networks: res.robot.adapters.map(\.name))
            let room = try await Self.newRoom(order.room, res)
            let zone = try await zones.zone(ofRoom: room, res.brain)
            let times = try ZonedRecurrence(order.times, in: zone, at: res.robot.date)
            let people = try await Self.people(named: order.names, in: room, res)
            let id = String(res.random(in: 0...Int.max), radix: 36)
            let plan = Plan(id: id, room: room, times: times, people: people)
            let opening = Opening(place: Place(room: room, plan: id), times: times)
            // Before the plan, so that there is no plan without a timer; a timer without a plan does nothing.
            let timer = try await res.robot.schedule(Self.begins, opening, id: id, needing: room.adapter)
            do {
                let former = try await Book(brain: res.brain).set(plan)
                if let former { try await Self.cancelTimers(of: former, res.robot) }
            } catch let refusal as Refusal {
                try await res.robot.cancelTimer(timer, of: Self.begins)
                throw refusal
            }
            let remark = Self.remark(about: people)
            try await res.reply("\(Self.description(of: plan, res))\(remark)")
        }

        robot.respond(
            /(?:remove|delete|forget) (?:the )?standup(?: in (?<room>\S{1,400}))?$/,
            help: """
                remove standup - Hold no more standups in this room
                remove standup in <room> - Hold no more standups in another room
                """,
            example: "remove standup", allow: .admins
        ) { res in
            let room = Self.room(res.match.room, res)
            let removed = try await Self.book(res).remove(room, at: res.robot.date)
            let plan = removed.plan
            guard removed.isPosted, let round = plan.round else {
                try await Self.cancelTimers(of: plan, res.robot)
                try await res.reply("OK, there are no more standups \(Self.place(room, res)).")
                return
            }
            try await res.robot.cancelTimer("\(plan.room.adapter):\(plan.id)", of: Self.begins)
            // If it was over already, its timer is posting the answers, or is about to.
            if removed.wasOpen { try await Self.schedule(round, in: Place(room: plan.room, plan: plan.id), res.robot) }
            let place = Self.place(room, res)
            try await res.reply("OK, I'll post the answers, and then there are no more standups \(place).")
        }
    }

    private func registerPeople(on robot: inout RobotBuilder) {
        robot.respond(
            /add (?<who>\S.{0,99}?) to (?:the )?standup(?: in (?<room>\S{1,400}))?$/,
            help: "add <name> to standup - Ask one more person",
            example: "add bob to standup", allow: .admins
        ) { res in
            let room = Self.room(res.match.room, res)
            let person = try await Self.user(res.match.who, in: room, res)
            _ = try await Self.book(res).change(room) { try $0.add(person) }
            try await res.reply("\(person.shortName) is in the standup now.\(Self.remark(about: [person]))")
        }

        robot.respond(
            /remove (?<who>\S.{0,99}?) from (?:the )?standup(?: in (?<room>\S{1,400}))?$/,
            help: """
                remove <name> from standup - Don't ask a person any more; only for admins
                remove me from standup - Don't ask you any more
                """,
            example: "remove bob from standup"
        ) { res in
            let plan = try await Self.plan(res.match.room, res)
            let person = try await Self.person(res.match.who, of: plan, res)
            let accounts = try await PersonalAccounts(brain: res.brain).all(of: res.message.user)
            guard accounts.contains(where: { $0.proves(toBe: person) }) || res.robot.isAdmin(res.message.user) else {
                throw Refusal("Only my admins may remove others.")
            }
            _ = try await Book(brain: res.brain).change(plan.room) { try $0.remove(person) }
            try await res.reply("\(person.shortName) isn't in the standup any more.")
        }
    }

    private func registerHolding(_ zones: UserAndRoomTimeZones, length: Double, on robot: inout RobotBuilder) {
        let script = name
        robot.respond(
            /(?:(?:show|list) )?(?:the )?standup(?: in (?<room>\S{1,400}))?$/,
            help: """
                standup - Show who is in this room's standup, and when it is
                standup in <room> - Show that of another room; only for admins and the people of the standup
                """,
            example: "standup"
        ) { res in
            let plan = try await Self.plan(res.match.room, res)
            let progress = plan.round.map { " It's going on: \($0.progress)" } ?? ""
            try await res.send("\(Self.description(of: plan, res))\(progress)")
        }

        robot.respond(
            /(?:start|begin|hold) (?:the )?standup(?: in (?<room>\S{1,400}))?$/,
            help: "start standup - Hold this room's standup now",
            example: "start standup"
        ) { res in
            let plan = try await Self.book(res).plan(of: Self.room(res.match.room, res))
            try await Self.refuseOutsiders(of: plan, res)
            let now = Date(timeIntervalSince1970: Double(res.robot.date.wholeSeconds))
            let isEarly = plan.round == nil && plan.lastStart.map { now < $0 + Self.pause } == true
            guard !isEarly || res.robot.isAdmin(res.message.user) else {
                throw Refusal("The last standup began less than an hour ago. Only my admins may hold one so soon.")
            }
            let place = Place(room: plan.room, plan: plan.id)
            guard let unreached = try await Self.hold(place, at: now, length: length, res.robot) else {
                throw Refusal("The standup is going on already.")
            }
            let zone = try await zones.zone(ofRoom: plan.room, res.brain)
            let clock = FormattedLocalTime(res.robot.date + length, in: zone).clock
            var answer = "OK, I'll post the answers by \(clock)."
            if let advice = Self.advice(to: unreached) {
                // It is for the people in the standup's room.
                if plan.room == res.message.room.id {
                    answer += "\n\(advice)"
                } else {
                    try await res.robot.post(advice, in: plan.room, for: script)
                }
            }
            try await res.reply(answer)
        }

        robot.respond(
            /(?:end|finish|close) (?:the )?standup(?: in (?<room>\S{1,400}))?$/,
            help: "end standup - Post the answers now",
            example: "end standup"
        ) { res in
            let book = Self.book(res)
            let plan = try await book.plan(of: Self.room(res.match.room, res))
            try await Self.refuseOutsiders(of: plan, res)
            let now = res.robot.date
            let place = Place(room: plan.room, plan: plan.id)
            let closed = try await book.changeIfKept(place) { (plan: inout Plan) -> Round? in
                guard let round = plan.round else { return nil }
                guard round.isOpen(at: now) else {
                    throw Refusal("It's over already, and I'm about to post the answers.")
                }
                return plan.change(round.start) { $0.close(at: now) }
            }
            guard let closed else { throw Refusal("No standup is going on \(Self.place(plan.room, res)).") }
            // The timer posts the answers, so that they are posted once, whatever happens now.
            try await Self.schedule(closed, in: place, res.robot)
            try await res.reply("OK, here is what I know.")
        }
    }

    private func registerAnswering(on robot: inout RobotBuilder) {
        robot.respond(
            /standup: *(?<answer>\S[\s\S]*)$/,
            help: """
                standup: <what you do> - Answer in a standup, or add to your answer; in private, the first answer alone is enough
                standup: nothing - Take your answer back
                """,
            example: "standup: I fix the parser"
        ) { res in
            guard let reply = try await Self.answer(res.match.answer, from: res.message, isMarked: true, res.robot)
            else { throw Refusal("No standup is waiting for you.") }
            try await res.reply(reply)
        }

        robot.catchAll(onlyAddressed: true) { res in
            guard res.message.room.isPrivate,
                let reply = try await Self.answer(res.match, from: res.message, isMarked: false, res.robot)
            else { throw SkipListener() }
            res.finish()
            try await res.reply(reply)
        }
    }

    // MARK: Rooms

    /// Returns the room that a command names, or else the message's own.
    private static func room<Match>(_ typed: Substring?, _ res: Response<Match>) -> Room.ID {
        let here = res.message.room
        return typed.map { res.robot.room(named: $0.beginning(bytes: 400), from: here) } ?? here.id
    }

    /// Returns the standups of rooms, for a command.
    private static func book<Match>(_ res: Response<Match>) -> Book {
        Book(brain: res.brain, here: res.message.room.id)
    }

    /// Returns the standup of the room that a command names, or else of the message's own.
    ///
    /// - Throws: A ``Refusal`` if there is none, or if it is another room's and the author is neither in it nor an admin.
    private static func plan<Match>(_ typed: Substring?, _ res: Response<Match>) async throws -> Plan {
        let plan = try await book(res).plan(of: room(typed, res))
        if plan.room != res.message.room.id { try await refuseOutsiders(of: plan, res) }
        return plan
    }

    /// Returns the room for a new standup.
    ///
    /// - Throws: A ``Refusal`` if the robot isn't there, or it is a private conversation.
    private static func newRoom<Match>(_ typed: Substring?, _ res: Response<Match>) async throws -> Room.ID {
        let (here, id) = (res.message.room, room(typed, res))
        if id == here.id {
            guard !res.robot.isConversation(here) else {
                throw Refusal("Say that in the room where I should post the answers, or add \"in <room>\" to the time.")
            }
        } else if await res.robot.isIn(Room(id: id)) == false {
            throw Refusal("I'm not in \(res.robot.displayName(of: id)), so nothing could be posted there.")
        }
        return id
    }

    /// The robot's word for a standup's room in an answer: `here`, or `in irc:#dev`.
    private static func place<Match>(_ room: Room.ID, _ res: Response<Match>) -> String {
        room == res.message.room.id ? "here" : "in \(res.robot.displayName(of: room))"
    }

    // MARK: People

    private static func people<Match>(
        named names: [Substring], in room: Room.ID, _ res: Response<Match>
    ) async throws -> [User] {
        guard 1...Plan.mostPeople ~= names.count else {
            throw Refusal("A standup has 1 to \(Plan.mostPeople) people.")
        }
        var people: [User] = []
        for name in names {
            let person = try await user(name, in: room, res)
            guard !people.contains(where: { $0.id == person.id }) else {
                throw Refusal("\(person.shortName) is in that list twice.")
            }
            people.append(person)
        }
        return people
    }

    /// Returns the user whom a name means in a standup's room.
    private static func user<Match>(
        _ typed: Substring, in room: Room.ID, _ res: Response<Match>
    ) async throws -> User {
        let name = typed.beginning(bytes: 400).drop { $0 == "@" }
        let isID = User.ID(String(name)).map { id in res.robot.adapters.contains { $0.name == id.adapter } } ?? false
        if isID || room == res.message.room.id { return try await OnCall.user(typed, res) }
        var message = res.message
        message.room = Room(id: room)
        return try await res.robot.user(exactly: name, from: message)
    }

    /// Returns the person of a standup that a command names, present or not, or else any user.
    private static func person<Match>(
        _ typed: Substring, of plan: Plan, _ res: Response<Match>
    ) async throws -> User {
        let name = typed.beginning(bytes: 400).drop { $0 == "@" }.lowercased()
        if Robot.isAsker(name) {
            let accounts = try await PersonalAccounts(brain: res.brain).all(of: res.message.user)
            let own = plan.people.first { person in accounts.contains { $0.proves(toBe: person) } }
            return own ?? res.message.user
        }
        let named = plan.people.filter { $0.name.lowercased() == name || $0.id.description.lowercased() == name }
        if named.count == 1, let person = named.first { return person }
        return try await OnCall.user(typed, res)
    }

    /// - Throws: A ``Refusal`` if the message's author is neither in the standup nor an admin.
    private static func refuseOutsiders<Match>(of plan: Plan, _ res: Response<Match>) async throws {
        if res.robot.isAdmin(res.message.user) { return }
        let accounts = try await PersonalAccounts(brain: res.brain).all(of: res.message.user)
        guard plan.concerns(accounts) else {
            throw Refusal("Only the people of the standup and my admins may do that.")
        }
    }

    /// What an admin should know about the people whom they have named: a sentence after a space, or nothing.
    private static func remark(about people: [User]) -> String {
        let names = people.filter(\.isAnonymous).map(\.shortName)
        guard !names.isEmpty else { return "" }
        let (verb, whom) = names.count == 1 ? ("is", "that name") : ("are", "those names")
        return " I can't verify who \(names.inSentence) \(verb): I'd ask anyone with \(whom)."
    }

    // MARK: Timers

    private static func cancelTimers(of plan: Plan, _ robot: Robot) async throws {
        let timer = "\(plan.room.adapter):\(plan.id)"
        try await robot.cancelTimer(timer, of: begins)
        try await robot.cancelTimer(timer, of: ends)
    }

    /// A plan in words: who is asked, and when.
    private static func description<Match>(of plan: Plan, _ res: Response<Match>) -> String {
        let next = plan.times.next(after: res.robot.date).map { RotaDescription.time($0, in: plan.times.timeZone) }
        let time = next.map { ", next on \($0)" } ?? ""
        let isHere = plan.room == res.message.room.id
        let place = isHere ? "" : " of \(res.robot.displayName(of: plan.room))"
        return "The standup\(place) is \(plan.times.description), with \(plan.names)\(time)."
    }
}
