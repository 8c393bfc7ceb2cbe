import FoundationEssentials
import Heybot
import Logging

/// Tells people what they wanted to be reminded of.
struct ReminderDelivery: Sendable {
    /// A reminder that was delivered, which may be snoozed.
    struct Delivered: Codable, Hashable, Sendable {
        let reminder: Reminder
        let date: Date
        /// The number of the reminder that repeats it later, if it was snoozed.
        var snoozed: Int?
    }

    /// The last reminder that each person or room got.
    private static let delivered = BrainCollection<Delivered>("reminders.delivered")
    /// The time within which it may be snoozed, in seconds.
    private static let longestSnooze = 86_400.0

    let robot: Robot

    /// Delivers a reminder, unless it isn't wanted any more.
    ///
    /// - Parameters:
    ///   - missed: The time for which it was set, if it comes late.
    ///   - asked: When it was asked for, if that is said too.
    /// - Returns: False if the person isn't there, or if the robot doesn't know under which name they are reached now.
    /// - Throws: What the adapter throws.
    func deliver(_ reminder: Reminder, missed: String? = nil, asked: String? = nil) async throws -> Bool {
        if let obstacle = obstacle(to: reminder) {
            robot.logger.info("reminder \(reminder.number) isn't delivered: \(obstacle)")
            return true
        }
        let text = reminder.message(missed: missed, asked: asked)
        switch reminder.destination {
        case .room(let room):
            try await refuseForeign(room)
            try await robot.deliver(.text(text), to: Envelope(room: room))
        case .person(let user, room: let room?):
            try await refuseForeign(room)
            if try await isAway(reminder.destination) { return false }
            let present = await located(user) ?? user
            try await robot.deliver(.reply(text), to: Envelope(room: room, user: present))
        case .person(let user, room: nil):
            guard try await send(text, to: user) else { return false }
        }
        await record(reminder)
        return true
    }

    /// Returns why nobody wants a reminder now; nil if it may be delivered.
    private func obstacle(to reminder: Reminder) -> String? {
        let owners = [reminder.owner] + (reminder.origin.map { [User(id: $0, name: $0.value)] } ?? [])
        if owners.contains(where: { robot.ignores($0) }) { return "its owner is ignored" }
        let room: Room?
        switch reminder.destination {
        case .room(let place), .person(_, room: let place?): room = place
        case .person(let user, room: nil): room = messenger(on: user.id.adapter)?.privateRoom(of: user)
        }
        guard let room, !robot.switches.isOn("\(Reminders.self)", in: room) else { return nil }
        return "reminders are disabled in \(room.id)"
    }

    /// Sends a text to a person in private, on the first network on which the robot can tell who they are.
    ///
    /// - Returns: False if there is none.
    func send(_ text: String, to person: User) async throws -> Bool {
        guard let envelope = try await privateEnvelope(of: person) else { return false }
        try await robot.deliver(.text(text), to: envelope)
        return true
    }

    /// Whether the network shows that a person isn't there, so that a reminder for them waits.
    func isAway(_ destination: Reminder.Destination) async throws -> Bool {
        switch destination {
        case .room: return false
        case .person(let user, room: nil): return try await privateEnvelope(of: user) == nil
        case .person(let user, room: let room?):
            let members = await robot.adapter(of: room, as: (any MemberListing).self)?.users(in: room) ?? []
            // An empty list means that the adapter doesn't know.
            if room.isPrivate || members.isEmpty { return false }
            // Somebody else may have the name of a user with an account.
            let names = [await located(user), user.isAnonymous ? user : nil].map { $0?.name.lowercased() }
            return !members.contains { $0.id == user.id || names.contains($0.name.lowercased()) }
        }
    }

    /// Returns where a person is reached in private: on the first network on which the robot can tell who they are.
    private func privateEnvelope(of person: User) async throws -> Envelope? {
        for account in try await PersonalAccounts(brain: robot.brain).all(of: person) {
            guard let messenger = messenger(on: account.id.adapter), let user = await located(account) else { continue }
            return Envelope(room: messenger.privateRoom(of: user), user: user)
        }
        return nil
    }

    private func messenger(on network: String) -> (any PrivateMessaging)? {
        robot.adapters.first { $0.name == network } as? any PrivateMessaging
    }

    /// Returns a user as the network shows them now; nil if it doesn't, or if it may be somebody else.
    private func located(_ user: User) async -> User? {
        guard let present = await messenger(on: user.id.adapter)?.locate(user), present.proves(toBe: user) else {
            return nil
        }
        return present
    }

    private func refuseForeign(_ room: Room) async throws {
        if await robot.isIn(room) == false { throw NotInRoomError(room: room.id) }
    }

    // MARK: Snoozing

    private func record(_ reminder: Reminder) async {
        do {
            let value = Delivered(reminder: reminder, date: robot.date)
            try await robot.brain.remember(Self.delivered, Self.key(of: reminder), value)
        } catch {
            // It was delivered, so it must not be tried again.
            robot.logger.notice("reminder \(reminder.number) can't be snoozed: \(error)")
        }
    }

    /// Returns the last reminder that a message's author, or the message's room, got lately; nil if there is none.
    func last(for message: Message) async throws -> Delivered? {
        let accounts = try await PersonalAccounts(brain: robot.brain).all(of: message.user)
        let keys = accounts.map { Self.key(of: $0.id) } + [Self.key(of: message.room)]
        var last: Delivered?
        for key in keys {
            guard let found = try await robot.brain.recall(Self.delivered, key) else { continue }
            let isMeant = found.reminder.person.map { person in accounts.contains { $0.proves(toBe: person) } } ?? true
            guard isMeant, !isOld(found), found.date > last?.date ?? .distantPast else { continue }
            last = found
        }
        return last
    }

    /// Records the number of the reminder that repeats one later, so that snoozing again moves that one.
    func record(_ delivered: Delivered, snoozedAs number: Int) async throws {
        try await robot.brain.update(Self.delivered, Self.key(of: delivered.reminder)) {
            (stored: inout Delivered?) -> Void in
            // Another reminder may have been delivered meanwhile.
            if stored == delivered { stored?.snoozed = number }
        }
    }

    /// Forgets the last reminders that some accounts got.
    func forgetLast(of accounts: Set<User>) async throws {
        for account in accounts {
            try await robot.brain.update(Self.delivered, Self.key(of: account.id)) {
                (stored: inout Delivered?) -> Void in
                if let person = stored?.reminder.person, account.proves(toBe: person) { stored = nil }
            }
        }
    }

    /// Forgets what was delivered so long ago that it can't be snoozed any more.
    func forgetOld() async throws {
        for try await (key, delivered) in robot.brain.entries(Self.delivered) where isOld(delivered) {
            try await robot.brain.update(Self.delivered, key) { (stored: inout Delivered?) -> Void in
                // Another reminder may have been delivered meanwhile.
                if let found = stored, isOld(found) { stored = nil }
            }
        }
    }

    private func isOld(_ delivered: Delivered) -> Bool {
        robot.date.timeIntervalSince(delivered.date) > Self.longestSnooze
    }

    private static func key(of reminder: Reminder) -> String {
        switch reminder.destination {
        case .room(let room): key(of: room)
        case .person(let user, room: _): key(of: user.id)
        }
    }

    private static func key(of user: User.ID) -> String { "user \(user)" }
    private static func key(of room: Room) -> String { "room \(room.id)" }
}
