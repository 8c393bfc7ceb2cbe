import FoundationEssentials
import Heybot
import HeybotDates

/// The sightings in the brain: the last one of each user, and who was in each room today and yesterday.
struct SightingRecords: Sendable {
    private static let people = BrainCollection<Sighting>("seen.people")
    /// The users who have a name or an id in lower case, the latest last.
    ///
    /// A user may no longer have it.
    private static let names = BrainCollection<[User.ID]>("seen.names")
    private static let rooms = BrainCollection<RoomVisits>("seen.rooms")
    /// When each user has opted out.
    private static let optOuts = BrainCollection<Date>("seen.optOuts")
    /// When each anonymous user has.
    private static let anonymousOptOuts = BrainCollection<Date>("seen.anonymousOptOuts")
    /// The maximum number of users who are kept, after old ones are removed.
    private static let mostPeople = 10_000
    /// Old users are removed after this number of new ones.
    private static let mostNewPeople = 500
    private static let mostOptOuts = 10_000
    /// The maximum number of users who are found by the same name.
    private static let mostNamesakes = 50
    /// In seconds.
    private static let longestAge = 400.0 * 86_400

    let brain: Brain

    // MARK: Writing

    /// Writes the sightings of the last minute, one entry for each user and room.
    ///
    /// - Throws: What the brain throws; then the sightings stay in the log.
    func write(_ log: SightingLog, at now: Date, _ zones: UserAndRoomTimeZones) async throws {
        // Another robot with the same brain may have been asked.
        try await readOptOuts(log)
        // A batch that failed may have been written in part, after they were forgotten.
        try await remove(log.forgotten)
        let batch = log.take()
        guard !batch.isEmpty else { return }
        do {
            try await write(batch, log, at: now, zones)
        } catch {
            log.putBack(batch)
            throw error
        }
        // A user may have asked to be forgotten while the batch was being written.
        try await remove(log.forgotten.filter { user in batch.contains { user.proves(toBe: $0.user) } })
    }

    private func write(
        _ batch: [Sighting], _ log: SightingLog, at now: Date, _ zones: UserAndRoomTimeZones
    ) async throws {
        var isFull = false
        for (id, sightings) in Dictionary(grouping: batch, by: { $0.user.id }) {
            guard let latest = sightings.max(by: { $0.date < $1.date })?.stored else { continue }
            let earlier = try await brain.recall(Self.people, id.description)
            // First the names, so that a user who is stored is found.
            let added = latest.names.subtracting(earlier?.names ?? [])
            for name in added { try await addNamesake(id, name) }
            let outdated = try await brain.update(Self.people, id.description) {
                (known: inout Sighting?) -> Set<String> in
                if let other = known, other.date > latest.date { return added.subtracting(other.names) }
                defer { known = latest }
                return known?.names.subtracting(latest.names) ?? []
            }
            for name in outdated { try await removeNamesake(id, name) }
            if earlier == nil, log.countNewUser() >= Self.mostNewPeople { isFull = true }
        }
        for (room, sightings) in Dictionary(grouping: batch, by: \.room) {
            let zone = try await zones.zone(ofRoom: room, brain)
            try await brain.update(Self.rooms, room.description, default: RoomVisits()) {
                (visits: inout RoomVisits) -> Void in
                for sighting in sightings { visits.add(sighting.stored, on: zone.day(of: sighting.date)) }
                visits.trim(today: zone.day(of: now))
            }
        }
        if isFull { try await removeOldPeople(log, at: now) }
    }

    /// Removes users who weren't seen for more than a year, and the earliest if there are too many.
    func removeOldPeople(_ log: SightingLog, at now: Date) async throws {
        log.resetNewUsers()
        var dates: [String: Date] = [:]
        for try await (id, sighting) in brain.entries(Self.people) { dates[id] = sighting.date }
        let oldest = now.addingTimeInterval(-Self.longestAge)
        let latestFirst = dates.sorted { $0.value > $1.value }
        for (index, entry) in latestFirst.enumerated() where index >= Self.mostPeople || entry.value < oldest {
            try await forgetPerson(entry.key)
        }
    }

    private func addNamesake(_ user: User.ID, _ name: String) async throws {
        try await brain.update(Self.names, name, default: []) { (users: inout [User.ID]) -> Void in
            users.removeAll { $0 == user }
            users = users.suffix(Self.mostNamesakes - 1) + [user]
        }
    }

    private func removeNamesake(_ user: User.ID, _ name: String) async throws {
        try await brain.update(Self.names, name) { (users: inout [User.ID]?) -> Void in
            users?.removeAll { $0 == user }
            if users?.isEmpty == true { users = nil }
        }
    }

    // MARK: Reading

    /// Whether a user was seen in a room, as far as that is written.
    func contains(_ user: User.ID) async throws -> Bool {
        try await brain.recall(Self.people, user.description) != nil
    }

    /// Returns the last sightings of the users who have a name or an id, the latest first.
    ///
    /// - Parameter log: The log of sightings that aren't written yet; nil to leave those out.
    func last(of name: String, _ log: SightingLog?) async throws -> [Sighting] {
        let typed = name.lowercased()
        var found: [User.ID: Sighting] = [:]
        var users = try await brain.recall(Self.names, typed) ?? []
        if let id = User.ID(typed) { users += try await brain.recall(Self.names, id.value) ?? [] }
        for user in users {
            guard let sighting = try await brain.recall(Self.people, user.description) else { continue }
            if sighting.isOf(typed) { found[user] = sighting }
        }
        for sighting in log?.pending ?? [] where sighting.isOf(typed) || found[sighting.user.id] != nil {
            let isLater = found[sighting.user.id].map { $0.date <= sighting.date } ?? true
            if isLater { found[sighting.user.id] = sighting.stored }
        }
        return found.values.sorted { ($1.date, $0.user.id.description) < ($0.date, $1.user.id.description) }
    }

    /// Returns the last sighting of an account, if it was verified then.
    func last(of account: User.ID, _ log: SightingLog) async throws -> Sighting? {
        var last = try await brain.recall(Self.people, account.description)
        for sighting in log.pending where sighting.user.id == account {
            if last.map({ $0.date <= sighting.date }) ?? true { last = sighting.stored }
        }
        return last?.user.isAnonymous == false ? last : nil
    }

    /// Returns who was in a room today and yesterday.
    func visits(in room: Room.ID, _ log: SightingLog, _ zone: IANATimeZone) async throws -> RoomVisits {
        var visits = try await brain.recall(Self.rooms, room.description) ?? RoomVisits()
        for sighting in log.pending where sighting.room == room {
            visits.add(sighting.stored, on: zone.day(of: sighting.date))
        }
        return visits
    }

    // MARK: Forgetting

    /// Reads who doesn't want to be noted.
    func readOptOuts(_ log: SightingLog) async throws {
        var users = OptOuts()
        for isAnonymous in [false, true] {
            for try await (key, _) in brain.entries(isAnonymous ? Self.anonymousOptOuts : Self.optOuts) {
                if let id = User.ID(key) { users.insert(User(id: id, name: "", isAnonymous: isAnonymous)) }
            }
        }
        log.setOptedOut(users)
    }

    /// Forgets when and where users were seen.
    ///
    /// For an anonymous user, that isn't what is known about the authenticated one with the same id.
    func forget(_ users: Set<User>, _ log: SightingLog) async throws {
        log.forget(users)
        try await remove(users)
    }

    /// Stops noting users, and forgets them.
    ///
    /// - Throws: A ``Refusal`` if too many have opted out, and what the brain throws.
    func optOut(_ users: Set<User>, _ log: SightingLog, at now: Date) async throws {
        guard log.optedOut.ids.union(users.map(\.id)).count <= Self.mostOptOuts else {
            throw Refusal("Too many people have asked me that, and I can't remember more. Please ask one of my admins.")
        }
        for user in users {
            let collection = user.isAnonymous ? Self.anonymousOptOuts : Self.optOuts
            try await brain.remember(collection, user.id.description, now)
        }
        log.setNoted(false, users)
        try await forget(users, log)
    }

    /// Notes users again.
    func optIn(_ users: Set<User>, _ log: SightingLog) async throws {
        for user in users {
            try await brain.forget(Self.anonymousOptOuts, user.id.description)
            if !user.isAnonymous { try await brain.forget(Self.optOuts, user.id.description) }
        }
        log.setNoted(true, users)
    }

    private func forgetPerson(_ key: String) async throws {
        if let sighting = try await brain.recall(Self.people, key) {
            for name in sighting.names { try await removeNamesake(sighting.user.id, name) }
        }
        try await brain.forget(Self.people, key)
    }

    private func remove(_ users: Set<User>) async throws {
        if users.isEmpty { return }
        var removed: Set<User.ID> = []
        for user in users {
            let isGone = try await brain.update(Self.people, user.id.description) {
                (known: inout Sighting?) -> Bool in
                if let sighting = known, !user.proves(toBe: sighting.user) { return false }
                known = nil
                return true
            }
            if isGone { removed.insert(user.id) }
        }
        // If a batch failed, there may be names that the sighting doesn't have.
        for try await (name, ids) in brain.entries(Self.names) {
            for id in ids where removed.contains(id) { try await removeNamesake(id, name) }
        }
        for try await (room, visits) in brain.entries(Self.rooms) where visits.contains(anyOf: users) {
            try await brain.update(Self.rooms, room) { (visits: inout RoomVisits?) -> Void in visits?.remove(users) }
        }
    }
}

extension IANATimeZone {
    /// Returns the day on which a time is here, as its number since 1970.
    func day(of date: Date) -> Int { moment(at: date).days }
}
