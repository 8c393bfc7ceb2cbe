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
            let (old, owner) = (last.reminder, res.message.user)
            let date = Date(timeIntervalSince1970: Double(time))
            let entry = try await ReminderBook(robot: res.robot).add(at: date) { number in
                Reminder(
                    number: number, text: old.text, owner: owner, origin: res.message.anonymousOrigin,
                    author: old.author, place: old.place, destination: old.destination, zone: zone.name,
                    recurrence: nil, waits: false)
            }
            try await delivery.forget(last)
            try await res.reply(Self.confirmation(of: entry, isAgain: true, zone, res))
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
