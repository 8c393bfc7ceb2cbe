import FoundationEssentials
public import Heybot
import HeybotDates

/// Reminds people and rooms of something at a time, once or again and again.
///
/// Reminders are timers in the brain, so they survive a restart.
public struct Reminders: Script {
    public init() {}

    public var topic: ScriptTopic { .people }
    public var settings: [any AnyScriptSetting] { [Clock.timeZone] }

    public func register(on robot: inout RobotBuilder) {
        let zones = UserAndRoomTimeZones(usual: robot.value(of: Clock.timeZone))
        let awaited = AwaitedPeople()
        registerTimers(zones, awaited, on: &robot)
        robot.respond(
            /remind (?<who>(?:"[^"]{1,99}"|“[^”]{1,99}”)[,:]?|\S{1,400}) (?<request>\S[\s\S]*)$/,
            help: """
                remind me <when> to <something> - Remind you, for example in 20 minutes or every weekday at 9:30
                remind <name> <when> to <something> - Remind someone, on any network that I'm on
                remind <name>, <name> and <name> <when> to <something> - Remind several people
                remind <room> <when> that <something> - Say something in a room at a time
                remind me in private <when> to <something> - Remind you in a direct message
                remind <name> when she's back to <something> - Remind someone who is away, when they next say something
                """,
            example: "remind me in 20 minutes to call ada"
        ) { res in
            guard res.match.request.utf8.count <= DateDialog.longest else { throw Self.tooLong }
            let typed = RemindedNames(res.match.who, res.match.request)
            let targets = try await ReminderTarget.all(named: typed.names, res)
            let zone = try await Self.zone(for: targets, zones, res)
            let (meaning, words) = try await Self.time(of: ReminderRequest(typed.request), in: zone, res)
            var destinations: [Reminder.Destination] = []
            for target in targets {
                let destination = try target.destination(
                    isPrivate: words.isPrivate, askedBy: res.message, res.robot)
                // One that waits reaches only people who talk to the robot themselves.
                if !words.waits { try await destination.refuseStrangers(res.robot) }
                destinations.append(destination)
            }
            let names = targets.map { $0.shownName(readBy: res.message.user, res.robot) }
            let text = try Self.text(of: words, for: names.inSentence)
            // Before anything is kept: after an error, the user says it all again.
            let absence = words.waits ? "" : try await Self.absence(at: destinations, res)
            let entries = try await Self.add(text, meaning, waits: words.waits, to: destinations, awaited, zone, res)
            try await res.reply(Self.confirmation(of: entries, absence: absence, zone, res))
        }

        registerLists(zones, on: &robot)
        registerSnooze(zones, on: &robot)
        registerNuisances(on: &robot)
    }

    // MARK: Making reminders

    private static func zone<Match>(
        for targets: [ReminderTarget], _ zones: UserAndRoomTimeZones, _ res: Response<Match>
    ) async throws -> IANATimeZone {
        // There is one room, or none.
        if case .room(let room)? = targets.first {
            return try await zones.zone(forRoom: room.id, askedBy: res.message, res.brain)
        }
        return try await zones.zone(for: res.message, res.brain)
    }

    /// Returns when a reminder is due, nil if as soon as the person is back, and the words of the request without that.
    private static func time<Match>(
        of request: ReminderRequest, in zone: IANATimeZone, _ res: Response<Match>
    ) async throws -> (meaning: DateReading.Meaning?, words: ReminderRequest) {
        if request.hasNoTime { return (nil, request) }
        let text = String(request.rest)
        let found = try await DateDialog(zone: zone).find(in: text, isOptional: request.waits, res)
        guard let found else { return (nil, request) }
        return (found.meaning, request.continued(with: found.rest))
    }

    private static func text(of words: ReminderRequest, for name: String) throws(Refusal) -> String {
        let text = String(oneLine: words.text, limit: Reminder.longest + 1)
        guard !text.isEmpty else {
            let whom = name == "you" ? "me" : name
            throw Refusal("Remind \(name) of what? Say it as in: remind \(whom) in 20 minutes to call ada.")
        }
        guard text.count <= Reminder.longest, text.last != "…" || words.text.last == "…" else { throw tooLong }
        return text
    }

    private static let tooLong = Refusal("That's too long for a reminder: \(Reminder.longest) characters are the most.")

    /// Adds a reminder for each of some people, or for a room.
    private static func add<Match>(
        _ text: String, _ meaning: DateReading.Meaning?, waits: Bool, to destinations: [Reminder.Destination],
        _ awaited: AwaitedPeople, _ zone: IANATimeZone, _ res: Response<Match>
    ) async throws -> [ReminderBook.Entry] {
        var entries: [ReminderBook.Entry] = []
        do {
            for destination in destinations {
                entries.append(try await add(text, meaning, waits: waits, to: destination, zone, res))
            }
            for entry in entries where entry.date == nil { try await awaited.add(entry.reminder, res.brain) }
        } catch {
            // Either all are reminded, or nobody is.
            for entry in entries { try? await ReminderBook(robot: res.robot).cancel(entry.reminder) }
            throw error
        }
        return entries
    }

    private static func add<Match>(
        _ text: String, _ meaning: DateReading.Meaning?, waits: Bool, to destination: Reminder.Destination,
        _ zone: IANATimeZone, _ res: Response<Match>
    ) async throws -> ReminderBook.Entry {
        let (owner, place) = (res.message.user, res.message.room.id)
        // Those in the room have seen who has asked for it.
        let isKnown = destination.deliveryRoom?.id == place && !waits
        var author: String? = isKnown ? owner.shortName : Reminder.nameAndID(of: owner)
        if case .person(let user, room: _) = destination {
            if user.id == owner.id { author = nil }
        } else if waits {
            throw Refusal("I can wait for a person, but not for a room.")
        }
        var recurrence: Recurrence?
        if case .repeatedly(let found, first: _) = meaning { recurrence = found }
        let date = meaning.map { Date(timeIntervalSince1970: Double($0.first)) }
        let (from, rule, now) = (author, recurrence, res.robot.date)
        return try await ReminderBook(robot: res.robot).add(at: date) { number in
            Reminder(
                number: number, text: text, owner: owner, origin: res.message.anonymousOrigin, author: from,
                place: place, destination: destination, zone: zone.name, recurrence: rule, waits: waits, asked: now)
        }
    }

    /// Returns what happens if people aren't there at the time of new reminders, as part of the answer.
    ///
    /// - Returns: An empty text if they are there now, as far as the network shows.
    private static func absence<Match>(
        at destinations: [Reminder.Destination], _ res: Response<Match>
    ) async throws -> String {
        for destination in destinations {
            guard case .person(let user, room: let room) = destination, user.id != res.message.user.id,
                try await ReminderDelivery(robot: res.robot).isAway(destination)
            else { continue }
            return room?.isPrivate ?? true ? ", or when I next see them" : ", or when they're next here"
        }
        return ""
    }

    /// Returns the answer to a command that has made reminders.
    ///
    /// - Parameter absence: What happens if somebody isn't there at the time.
    static func confirmation<Match>(
        of entries: [ReminderBook.Entry], isAgain: Bool = false, absence: String = "", _ zone: IANATimeZone,
        _ res: Response<Match>
    ) -> String {
        let (message, robot) = (res.message, res.robot)
        let whom = entries.map { $0.reminder.recipient(readBy: [message.user], in: message.room, robot) }
        let time = entries.first.map { $0.reminder.time($0.date, now: robot.date, in: zone, ordinal: "first") }
        let numbers = entries.map { "\($0.reminder.number)" }
        let when = "\(isAgain ? "again " : "")\(time ?? "")\(absence)"
        let note = "(Reminder\(numbers.count == 1 ? "" : "s") \(numbers.inSentence))"
        return "OK, I'll remind \(whom.inSentence) \(when). \(note)"
    }
}
