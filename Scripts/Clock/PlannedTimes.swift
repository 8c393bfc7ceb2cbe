import Heybot

/// The number of reminders and schedules whose times stay as they are when a time zone is set.
struct PlannedTimes: Hashable, Sendable {
    let reminders: Int
    let schedules: Int

    init(reminders: Int, schedules: Int) {
        (self.reminders, self.schedules) = (reminders, schedules)
    }

    /// Counts what a message's author, or its room, has planned in other time zones than the new one.
    init(
        for scope: UserAndRoomTimeZones.Scope, of message: Message, now zone: IANATimeZone, _ robot: Robot
    ) async throws {
        let subject: TimerDirectory.Subject
        switch scope {
        case .person: subject = .user(message.user.id)
        case .room: subject = .room(message.room.id)
        }
        // What others have planned for a person is in their own time zones.
        func isMeant(_ owner: User) -> Bool { scope == .room || message.user.proves(toBe: owner) }
        let reminders = try await ReminderBook(robot: robot).entries(of: [subject]).filter { entry in
            entry.date != nil && entry.reminder.zone != zone.name && isMeant(entry.reminder.owner)
        }
        let schedules = try await ScheduleBook(robot: robot).entries(of: [subject]).filter { entry in
            entry.schedule.zone != zone.name && isMeant(entry.schedule.owner)
        }
        self.init(reminders: reminders.count, schedules: schedules.count)
    }

    /// The sentence that follows the answer to a new time zone; empty if nothing is planned.
    var sentence: String {
        var counts: [String] = []
        if reminders > 0 { counts.append(reminders == 1 ? "1 reminder" : "\(reminders) reminders") }
        if schedules > 0 { counts.append(schedules == 1 ? "1 schedule" : "\(schedules) schedules") }
        return counts.isEmpty ? "" : " What's already planned keeps its times: \(counts.joined(separator: ", "))."
    }
}
