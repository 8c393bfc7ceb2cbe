import FoundationEssentials
import Heybot
import HeybotDates

extension Reminders {
    func registerSnooze(_ zones: UserAndRoomTimeZones, on robot: inout RobotBuilder) {
        robot.respond(
            /snooze(?: (?:it|that|this))?(?: (?<time>\S.{0,199}))?$/,
            help: """
                snooze - Remind you again in 10 minutes
                snooze <time> - Remind you again later, for example in an hour or tomorrow at 9:00
                """,
            example: "snooze 10 minutes"
        ) { res in
            let delivery = ReminderDelivery(robot: res.robot)
            guard let last = try await delivery.last(for: res.message) else {
                throw Refusal("I haven't reminded you of anything since yesterday.")
            }
            if let room = last.reminder.destination.deliveryRoom {
                try await res.robot.refuseStrangers(in: room.id, from: res.message)
            }
            let zone = try await zones.zone(for: res.message, res.brain)
            let meaning = try await DateDialog(zone: zone).parse(Self.snoozeTime(res.match.time), res)
            guard case .once(let time) = meaning else {
                throw Refusal("Until when? Say it as in: snooze 10 minutes.")
            }
            let date = Date(timeIntervalSince1970: Double(time))
            let entry = try await Self.snooze(last, until: date, zone, res)
            try await delivery.record(last, snoozedAs: entry.reminder.number)
            try await res.reply(Self.confirmation(of: [entry], isAgain: true, zone, res))
        }
    }

    /// Repeats a reminder at a time.
    ///
    /// If the user has snoozed it before, and it hasn't been repeated yet, it is only moved.
    private static func snooze<Match>(
        _ delivered: ReminderDelivery.Delivered, until date: Date, _ zone: IANATimeZone, _ res: Response<Match>
    ) async throws -> ReminderBook.Entry {
        let book = ReminderBook(robot: res.robot)
        let accounts = try await PersonalAccounts(brain: res.brain).all(of: res.message.user)
        if let number = delivered.snoozed, let entry = try await book.entry(number: number), entry.date != nil,
            entry.reminder.concerns(accounts)
        {
            return try await book.postpone(entry.reminder, to: date)
        }
        let (old, owner) = (delivered.reminder, res.message.user)
        return try await book.add(at: date) { number in
            Reminder(
                number: number, text: old.text, owner: owner, origin: res.message.anonymousOrigin, author: old.author,
                place: old.place, destination: old.destination, zone: zone.name, recurrence: nil, waits: false,
                asked: old.asked)
        }
    }

    /// Returns a time in words, in the form that ``DateDialog`` knows: ten minutes if nothing else is said.
    static func snoozeTime(_ typed: Substring?) -> String {
        guard var words = typed else { return "in 10 minutes" }
        if let match = words.prefixMatch(of: /(?:for|until|till|by)\s+/.ignoresCase()) {
            words = words[match.range.upperBound...]
        }
        let isNumber = words.utf8.allSatisfy { UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 }
        return isNumber ? "\(words) minutes" : String(words)
    }
}
