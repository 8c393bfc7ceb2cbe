import Heybot
import Logging

extension Reminders {
    func registerTimers(_ zones: UserAndRoomTimeZones, _ awaited: AwaitedPeople, on robot: inout RobotBuilder) {
        robot.on(
            ReminderBook.due,
            next: { reminder, date in reminder.next(after: date, in: zones.zone(named: reminder.zone)) },
            gaveUp: { timer, error, robot in try await Self.giveUp(timer, error, robot) }
        ) { timer, robot in
            let reminder = timer.payload
            if !reminder.waits, try await Self.deliver(timer, zones, robot) {
                if reminder.recurrence == nil { await Self.unrecord(reminder, robot) }
                return
            }
            try await ReminderBook(robot: robot).wait(reminder)
            try await awaited.add(reminder, robot.brain)
        }

        robot.on(ReminderBook.back) { timer, robot in
            let (waiting, book) = (timer.payload.reminder, ReminderBook(robot: robot))
            // It may have been canceled, or delivered because of another message.
            guard try await book.isWaiting(waiting) else { return }
            let asked = waiting.askedTime(now: robot.date, in: zones.zone(named: waiting.zone))
            if try await ReminderDelivery(robot: robot).deliver(timer.payload.delivered, asked: asked) {
                try await book.stopWaiting(waiting)
            } else {
                try await awaited.add(waiting, robot.brain)
            }
        }

        robot.on(ReminderBook.waiting) { timer, robot in
            awaited.remove(timer: timer.id)
            robot.logger.notice("reminder \(timer.payload.number) has waited too long for its person, so it is dropped")
            if timer.payload.recurrence == nil { await Self.unrecord(timer.payload, robot) }
        }

        robot.every(.hours(24)) { try await ReminderDelivery(robot: $0).forgetOld() }
        robot.readBrain(every: .minutes(1)) { try await awaited.load($0) }
        robot.observe { message, robot in
            switch message.content {
            case .leave, .profile: return nil
            case .text, .enter, .topic, .reaction, .retraction: break
            }
            guard awaited.contains(message.user.id) else { return nil }
            return { try await Self.welcome(message, awaited, robot) }
        }
    }

    /// Delivers the reminders that wait for a message's author.
    private static func welcome(_ message: Message, _ awaited: AwaitedPeople, _ robot: Robot) async throws {
        let accounts = try await PersonalAccounts(brain: robot.brain).all(of: message.user)
        for id in awaited.timers(of: message.user.id).sorted() {
            guard let timer = try await robot.scheduledTimer(id, of: ReminderBook.waiting) else {
                awaited.remove(timer: id)
                continue
            }
            let reminder = timer.payload
            // Somebody else may have the name.
            guard let person = reminder.person, accounts.contains(where: { $0.proves(toBe: person) }) else { continue }
            guard let destination = Self.destination(of: reminder, sayingNow: message, robot) else { continue }
            let back = ReminderBook.Return(reminder: reminder, destination: destination)
            try await ReminderBook(robot: robot).deliver(back)
            awaited.remove(timer: id)
        }
    }

    /// Returns where a person gets a reminder who has just said something: in its room if they are there, or else in private.
    ///
    /// - Returns: Nil if the network has no private messages.
    private static func destination(
        of reminder: Reminder, sayingNow message: Message, _ robot: Robot
    ) -> Reminder.Destination? {
        if case .person(_, room: let room?) = reminder.destination, room.id == message.room.id {
            return .person(message.user, room: room)
        }
        let adapter = robot.adapters.first { $0.name == message.room.id.adapter }
        if adapter is any PrivateMessaging { return .person(message.user, room: nil) }
        return message.room.isPrivate ? .person(message.user, room: message.room) : nil
    }

    private static func deliver(
        _ timer: ScheduledTimer<Reminder>, _ zones: UserAndRoomTimeZones, _ robot: Robot
    ) async throws -> Bool {
        let zone = zones.zone(named: timer.payload.zone)
        let isLate = timer.lateness > .zero && timer.attempts == 1
        let now = FormattedLocalTime(robot.date, in: zone)
        let missed = isLate ? FormattedLocalTime(timer.date, in: zone).said(at: now) : nil
        return try await ReminderDelivery(robot: robot).deliver(timer.payload, missed: missed)
    }

    /// Removes a reminder from the lists that has been delivered.
    private static func unrecord(_ reminder: Reminder, _ robot: Robot) async {
        do {
            try await ReminderBook(robot: robot).unrecord(reminder)
        } catch {
            // It must not be delivered again because of that; lists leave out what has no timer.
            robot.logger.notice("reminder \(reminder.number) is still listed: \(error)")
        }
    }

    /// Lets the owner know that a reminder couldn't be delivered.
    private static func giveUp(_ timer: ScheduledTimer<Reminder>, _ error: any Error, _ robot: Robot) async throws {
        let reminder = timer.payload
        if reminder.recurrence == nil { await unrecord(reminder, robot) }
        let reason = error is NotInRoomError ? ": \(error)" : ""
        _ = try await ReminderDelivery(robot: robot).send(
            "I couldn't deliver reminder \(reminder.number) (\(reminder.text))\(reason).", to: reminder.owner)
    }
}
