import FoundationEssentials
import Heybot

/// Keeps reminders as timers in the brain.
///
/// Each has one timer: it is due at a time (``due``), or waits until a person says something (``waiting``). Only one that recurs
/// may have both. The id of a timer is the number of its reminder.
struct ReminderBook: Sendable {
    /// A reminder, and when it is due next; nil if it waits for the person.
    struct Entry: Hashable, Sendable {
        let reminder: Reminder
        let date: Date?
    }

    /// A reminder that waits, and where its person is back.
    struct Return: Codable, Hashable, Sendable {
        let reminder: Reminder
        let destination: Reminder.Destination

        /// The reminder as it is delivered.
        var delivered: Reminder {
            var delivered = reminder
            (delivered.destination, delivered.waits) = (destination, false)
            return delivered
        }
    }

    static let due = ScheduledJob<Reminder>("reminders.due")
    /// The timers of this job fire when the robot doesn't wait any longer.
    static let waiting = ScheduledJob<Reminder>("reminders.waiting")
    /// The timers of this job fire at once, because the person is back.
    ///
    /// Until the reminder is delivered, it still waits.
    static let back = ScheduledJob<Return>("reminders.back")

    private static let directory = TimerDirectory("reminders")
    /// The maximum number of a person's reminders, of those for another person or a room, and of all.
    private static let most = (ofOwner: 50, forOther: 100, inAll: 20_000)
    /// The maximum number of one person's repeated reminders for another, and of all those for a room.
    private static let mostRepeated = (forOther: 3, inRoom: 20)
    /// The shortest time between two reminders of somebody else in private, in seconds.
    private static let shortestPrivateInterval = 3_600
    /// How long the robot waits for a person, in seconds.
    private static let longestWait = 90.0 * 86_400

    let robot: Robot

    // MARK: Adding

    /// Adds a reminder.
    ///
    /// - Parameters:
    ///   - date: When it is due; nil if it waits for the person from now on. For one that recurs it isn't used.
    ///   - make: Returns the reminder with a number.
    /// - Throws: A ``Refusal`` if there are too many.
    func add(at date: Date?, _ make: (Int) -> Reminder) async throws -> Entry {
        let reminder = make(try await Self.directory.nextNumber(robot.brain))
        try await refuseNuisance(reminder)
        for subject in reminder.subjects {
            let (most, refusal) = Self.limit(of: subject, for: reminder)
            let isAdded = try await Self.directory.add(reminder.timer, to: subject, atMost: most, robot.brain) { id in
                try await entry(timer: id)
            }
            if isAdded { continue }
            try await unrecord(reminder)
            throw refusal
        }
        do {
            return Entry(reminder: reminder, date: try await schedule(reminder, at: date))
        } catch {
            try? await unrecord(reminder)
            throw error
        }
    }

    /// Postpones a reminder that comes once.
    func postpone(_ reminder: Reminder, to date: Date) async throws -> Entry {
        // It may have been delivered meanwhile.
        try await Self.directory.restore(reminder.timer, to: reminder.subjects, robot.brain)
        return Entry(reminder: reminder, date: try await schedule(reminder, at: date))
    }

    /// Checks that a reminder that recurs doesn't pester anybody.
    ///
    /// - Throws: A ``Refusal`` if it does.
    private func refuseNuisance(_ reminder: Reminder) async throws {
        guard let recurrence = reminder.recurrence else { return }
        switch reminder.destination {
        case .room(let room):
            let count = try await entries(of: [.room(room.id)]).count { $0.reminder.recurrence != nil }
            guard count < Self.mostRepeated.inRoom else {
                throw Refusal("There are \(count) repeated reminders for that room, and that's all I can keep.")
            }
        case .person(let person, room: _):
            let accounts = PersonalAccounts(brain: robot.brain)
            let owners = try await accounts.all(of: reminder.owner).map(\.id)
            if owners.contains(person.id) { return }
            let isPublic = !reminder.isPrivate && !reminder.waits
            guard isPublic || DateDialog.interval(of: recurrence) >= Self.shortestPrivateInterval else {
                throw Refusal("I remind others in private once an hour at most.")
            }
            let recipients = try await accounts.all(of: person).map(\.id)
            let count = try await entries(of: recipients.map { .user($0) }).count { entry in
                let other = entry.reminder
                guard other.recurrence != nil, let user = other.person, recipients.contains(user.id) else {
                    return false
                }
                return owners.contains(other.owner.id) || reminder.origin != nil && other.origin == reminder.origin
            }
            guard count < Self.mostRepeated.forOther else {
                throw Refusal("You have \(count) repeated reminders for them, and that's all I can keep.")
            }
        }
    }

    /// Returns how many reminders a list may have, and what is said if it has so many.
    private static func limit(
        of subject: TimerDirectory.Subject, for reminder: Reminder
    ) -> (most: Int, refusal: Refusal) {
        switch subject {
        case .hundredth:
            (most.inAll / 100, Refusal("I have too many reminders to keep another one."))
        case .user(reminder.owner.id), .origin:
            (
                most.ofOwner,
                Refusal(
                    "You have \(most.ofOwner) reminders, and that's all I can keep. To see them, say: reminders.")
            )
        case .user, .room:
            (
                most.forOther,
                Refusal("There are \(most.forOther) reminders for them already, and that's all I can keep.")
            )
        }
    }

    private func schedule(_ reminder: Reminder, at date: Date?) async throws -> Date? {
        let id = "\(reminder.number)"
        if reminder.recurrence != nil {
            try await robot.schedule(Self.due, reminder, id: id, needing: reminder.adapter)
            return try await robot.scheduledTimer(reminder.timer, of: Self.due)?.date
        }
        if let date {
            try await robot.schedule(Self.due, reminder, id: id, needing: reminder.adapter, at: date)
        } else {
            try await wait(reminder)
        }
        return date
    }

    /// Keeps a reminder until its person says something.
    func wait(_ reminder: Reminder) async throws {
        try await Self.directory.restore(reminder.timer, to: reminder.subjects, robot.brain)
        try await robot.schedule(
            Self.waiting, reminder, id: "\(reminder.number)", needing: reminder.adapter,
            at: robot.date + Self.longestWait)
    }

    /// Has a reminder delivered at once for which the robot has waited.
    func deliver(_ back: Return) async throws {
        try await robot.schedule(
            Self.back, back, id: "\(back.reminder.number)", needing: back.delivered.adapter, at: robot.date)
    }

    /// Whether a reminder waits for its person.
    func isWaiting(_ reminder: Reminder) async throws -> Bool {
        try await robot.scheduledTimer(reminder.timer, of: Self.waiting) != nil
    }

    /// Waits no longer for the person of a reminder, because it was delivered.
    func stopWaiting(_ reminder: Reminder) async throws {
        try await robot.cancelTimer(reminder.timer, of: Self.waiting)
        if reminder.recurrence == nil { try await unrecord(reminder) }
    }

    // MARK: Finding

    /// Returns the reminders of people or rooms, the next first.
    func entries(of subjects: [TimerDirectory.Subject]) async throws -> [Entry] {
        let entries = try await Self.directory.timers(of: subjects, robot.brain) { id in
            try await entry(timer: id)
        }
        return entries.values.sorted { one, other in
            let (first, second) = (one.date ?? .distantFuture, other.date ?? .distantFuture)
            return first == second ? one.reminder.number < other.reminder.number : first < second
        }
    }

    /// Returns the reminder with a number; nil if there is none.
    func entry(number: Int) async throws -> Entry? {
        for adapter in robot.adapters {
            if let entry = try await entry(timer: "\(adapter.name):\(number)") { return entry }
        }
        return nil
    }

    private func entry(timer id: String) async throws -> Entry? {
        if let timer = try await robot.scheduledTimer(id, of: Self.due) {
            return Entry(reminder: timer.payload, date: timer.date)
        }
        return try await robot.scheduledTimer(id, of: Self.waiting).map { Entry(reminder: $0.payload, date: nil) }
    }

    // MARK: Removing

    /// Cancels a reminder.
    func cancel(_ reminder: Reminder) async throws {
        try await robot.cancelTimer(reminder.timer, of: Self.due)
        try await robot.cancelTimer(reminder.timer, of: Self.waiting)
        try await unrecord(reminder)
    }

    /// Removes a reminder from the lists, because its timer has fired for the last time.
    func unrecord(_ reminder: Reminder) async throws {
        try await Self.directory.remove([reminder.timer], from: reminder.subjects, robot.brain)
    }
}
