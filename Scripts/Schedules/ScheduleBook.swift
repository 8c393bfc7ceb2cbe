import FoundationEssentials
import Heybot

/// Keeps scheduled commands as timers in the brain; the id of each timer is the number of its schedule.
struct ScheduleBook: Sendable {
    /// A scheduled command, and when it runs next.
    struct Entry: Hashable, Sendable {
        let schedule: CommandSchedule
        let date: Date
    }

    static let job = ScheduledJob<CommandSchedule>("schedules.run")

    private static let directory = TimerDirectory("schedules")
    /// The maximum number of a person's schedules, of those in a room, and of all.
    private static let most = (ofOwner: 20, inRoom: 50, inAll: 2_000)

    let robot: Robot

    /// Adds a schedule.
    ///
    /// - Parameters:
    ///   - date: When it runs, if it runs once.
    ///   - make: Returns the schedule with a number.
    /// - Throws: A ``Refusal`` if there are too many.
    func add(at date: Date, _ make: (Int) -> CommandSchedule) async throws -> Entry {
        let schedule = make(try await Self.directory.nextNumber(robot.brain))
        for subject in schedule.subjects {
            let (most, refusal) = Self.limit(of: subject)
            let isAdded = try await Self.directory.add(schedule.timer, to: subject, atMost: most, robot.brain) { id in
                try await entry(timer: id)
            }
            if isAdded { continue }
            try await unrecord(schedule)
            throw refusal
        }
        do {
            return Entry(schedule: schedule, date: try await start(schedule, at: date))
        } catch {
            try? await unrecord(schedule)
            throw error
        }
    }

    /// Returns how many schedules a list may have, and what is said if it has so many.
    private static func limit(of subject: TimerDirectory.Subject) -> (most: Int, refusal: Refusal) {
        switch subject {
        case .user, .origin:
            (
                most.ofOwner,
                Refusal(
                    "You have \(most.ofOwner) schedules, and that's all I can keep. To see them, say: schedules.")
            )
        case .room:
            (most.inRoom, Refusal("There are \(most.inRoom) schedules in that room, and that's all I can keep."))
        case .hundredth:
            (most.inAll / 100, Refusal("I have too many schedules to keep another one."))
        }
    }

    private func start(_ schedule: CommandSchedule, at date: Date) async throws -> Date {
        guard schedule.recurrence == nil else {
            try await replace(schedule)
            return try await robot.scheduledTimer(schedule.timer, of: Self.job)?.date ?? date
        }
        try await robot.schedule(
            Self.job, schedule, id: "\(schedule.number)", needing: schedule.room.id.adapter, at: date)
        return date
    }

    /// Replaces a schedule that recurs, which runs next at the first of its times.
    func replace(_ schedule: CommandSchedule) async throws {
        try await robot.schedule(Self.job, schedule, id: "\(schedule.number)", needing: schedule.room.id.adapter)
    }

    /// Replaces the command of a schedule.
    func update(_ entry: Entry, command: String) async throws {
        var schedule = entry.schedule
        (schedule.command, schedule.isRefused) = (command, false)
        try await robot.schedule(
            Self.job, schedule, id: "\(schedule.number)", needing: schedule.room.id.adapter, at: entry.date)
    }

    // MARK: Finding

    /// Returns the schedules of people or rooms, the next first.
    func entries(of subjects: [TimerDirectory.Subject]) async throws -> [Entry] {
        let entries = try await Self.directory.timers(of: subjects, robot.brain) { id in
            try await entry(timer: id)
        }
        return Self.sorted(Array(entries.values))
    }

    /// Returns the next of all schedules that this robot can run, at most a number of them, and how many there are.
    func all(atMost most: Int) async throws -> (next: [Entry], count: Int) {
        var next: [Entry] = []
        var count = 0
        for try await timer in robot.scheduledTimers(of: Self.job) {
            count += 1
            next.append(Entry(schedule: timer.payload, date: timer.date))
            // Only those that may be listed are kept.
            if next.count >= 2 * most { next = Array(Self.sorted(next).prefix(most)) }
        }
        return (Array(Self.sorted(next).prefix(most)), count)
    }

    /// Returns the schedule with a number; nil if there is none.
    func entry(number: Int) async throws -> Entry? {
        for adapter in robot.adapters {
            if let entry = try await entry(timer: "\(adapter.name):\(number)") { return entry }
        }
        return nil
    }

    private func entry(timer id: String) async throws -> Entry? {
        try await robot.scheduledTimer(id, of: Self.job).map { Entry(schedule: $0.payload, date: $0.date) }
    }

    private static func sorted(_ entries: [Entry]) -> [Entry] {
        entries.sorted { one, other in
            one.date == other.date ? one.schedule.number < other.schedule.number : one.date < other.date
        }
    }

    // MARK: Removing

    /// Cancels a schedule.
    func cancel(_ schedule: CommandSchedule) async throws {
        try await robot.cancelTimer(schedule.timer, of: Self.job)
        try await unrecord(schedule)
    }

    /// Removes a schedule from the lists, because it has run for the last time.
    func unrecord(_ schedule: CommandSchedule) async throws {
        try await Self.directory.remove([schedule.timer], from: schedule.subjects, robot.brain)
    }
}
