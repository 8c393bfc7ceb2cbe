import Heybot
import HeybotDates

extension Reminders {
    /// The maximum number of lines of a list.
    private static let mostListed = 20
    /// The maximum number of reminders that an answer in one line names.
    private static let mostNamed = 10

    func registerLists(_ zones: UserAndRoomTimeZones, on robot: inout RobotBuilder) {
        robot.respond(
            /(?:(?:(?:list|show)(?: me)? )?(?:all )?(?:my |the |our )?reminders(?: (?:for|in|of) (?<room>[^\s?]{1,400}))?|reminder list|what (?:will you remind me (?:of|about)|are (?:my|your) reminders))\??$/,
            help: """
                reminders - List your reminders, and those that others have made for you or for this room
                reminders for <room> - List the reminders of a room
                """,
            example: "reminders"
        ) { res in
            let list =
                if let name = res.match.room {
                    try await Self.list(ofRoom: name, zones, res)
                } else {
                    try await Self.listOfAuthor(zones, res)
                }
            try await res.send(list)
        }

        robot.respond(
            /(?:(?:cancel|delete|remove|forget|stop|rm) (?:the |my )?reminder|reminder (?:cancel|delete|remove|rm)(?: job)?) #?(?<number>[0-9]{1,9})$/,
            help: "cancel reminder <number> - Cancel a reminder", example: "cancel reminder 1"
        ) { res in
            let number = Int(res.match.number) ?? 0
            let book = ReminderBook(robot: res.robot)
            let accounts = try await PersonalAccounts(brain: res.brain).all(of: res.message.user)
            let entry = try await book.entry(number: number)
            guard let reminder = entry?.reminder,
                reminder.concerns(accounts) || res.robot.isAdmin(res.message.user)
            else { throw Refusal("You have no reminder \(number). To see yours, say: reminders.") }
            try await book.cancel(reminder)
            let isShown = Self.isShown(reminder, in: res.message.room, to: accounts)
            let text = isShown ? ": \(String(oneLine: reminder.text, limit: 100))" : "."
            try await res.reply("I've canceled reminder \(number)\(text)")
        }

        robot.respond(
            /(?:cancel|delete|remove|forget|stop|rm) (?:all (?:of )?(?:the |my )?|my )reminders$/,
            help: "cancel all reminders - Cancel all reminders that you have made", example: "cancel all reminders"
        ) { res in
            let accounts = try await PersonalAccounts(brain: res.brain).all(of: res.message.user)
            let entries = try await ReminderBook(robot: res.robot).entries(of: accounts.map { .user($0.id) })
            let own = entries.map(\.reminder).filter { reminder in
                accounts.contains { $0.proves(toBe: reminder.owner) }
            }
            guard !own.isEmpty else { throw Refusal("You have made no reminders.") }
            let count = try await Self.cancel(own, res)
            // So that a mistake is noticed.
            var canceled = own.prefix(Self.mostNamed).map { reminder in
                let isShown = Self.isShown(reminder, in: res.message.room, to: accounts)
                return "\(reminder.number)" + (isShown ? " (\(String(oneLine: reminder.text, limit: 40)))" : "")
            }
            if own.count > canceled.count { canceled.append("\(own.count - canceled.count) more") }
            try await res.reply("OK, I've canceled \(count): \(canceled.inSentence).")
        }
    }

    /// Whether the text of a reminder may be read in a room.
    ///
    /// Nobody else there may read a private text, or what is for another room.
    private static func isShown(_ reminder: Reminder, in room: Room, to accounts: [User]) -> Bool {
        room.isPrivate
            ? !reminder.isPrivate || reminder.concerns(accounts)
            : !reminder.isPrivate && reminder.belongs(to: room.id)
    }

    private static func list<Match>(
        ofRoom name: Substring, _ zones: UserAndRoomTimeZones, _ res: Response<Match>
    ) async throws -> String {
        let room = res.robot.room(named: name.beginning(bytes: 400), from: res.message.room)
        let shown = String(oneLine: res.robot.displayName(of: room), limit: 100)
        try await res.robot.refuseStrangers(in: room, from: res.message)
        let entries = try await ReminderBook(robot: res.robot).entries(of: [.room(room)])
        guard !entries.isEmpty else { throw Refusal("There are no reminders for \(shown).") }
        return try await lines(entries, readBy: [res.message.user], zones, res)
    }

    private static func listOfAuthor<Match>(
        _ zones: UserAndRoomTimeZones, _ res: Response<Match>
    ) async throws -> String {
        let accounts = try await PersonalAccounts(brain: res.brain).all(of: res.message.user)
        let here = res.message.room
        var subjects = accounts.map { TimerDirectory.Subject.user($0.id) }
        // Those for the room are for everyone who is in it.
        if !here.isPrivate { subjects.append(.room(here.id)) }
        let all = try await ReminderBook(robot: res.robot).entries(of: subjects)
        let own = all.filter { entry in
            entry.reminder.concerns(accounts) || !here.isPrivate && entry.reminder.isForAll(in: here.id)
        }
        let shown = own.filter { here.isPrivate || !$0.reminder.isPrivate && $0.reminder.belongs(to: here.id) }
        let hidden = own.count - shown.count
        guard !own.isEmpty else {
            throw Refusal("You have no reminders. To make one, say: remind me in 20 minutes to call ada.")
        }
        guard !shown.isEmpty else {
            return "You have \(hidden) \(hidden == 1 ? "reminder" : "reminders") elsewhere; ask me in private."
        }
        let lines = try await Self.lines(shown, readBy: accounts, zones, res)
        return hidden == 0 ? lines : "\(lines)\n\(hidden) more elsewhere; ask me in private."
    }

    private static func lines<Match>(
        _ entries: [ReminderBook.Entry], readBy accounts: [User], _ zones: UserAndRoomTimeZones, _ res: Response<Match>
    ) async throws -> String {
        let now = res.robot.date
        let reader = try await zones.zone(for: res.message, res.brain)
        var lines = entries.prefix(mostListed).map { entry in
            let reminder = entry.reminder
            let whom = reminder.recipient(readBy: accounts, in: res.message.room, res.robot)
            let time = reminder.time(entry.date, now: now, in: zones.zone(named: reminder.zone), readIn: reader)
            return "\(reminder.number): \(whom), \(time): \(String(oneLine: reminder.text, limit: 100))"
        }
        if entries.count > lines.count { lines.append("… and \(entries.count - lines.count) more") }
        return lines.joined(separator: "\n")
    }
}
