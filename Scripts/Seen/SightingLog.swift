import FoundationEssentials
import Heybot
import Synchronization

/// The users who don't want to be noted.
///
/// An anonymous user doesn't speak for the authenticated one with the same id.
struct OptOuts: Hashable, Sendable {
    private var authenticated: Set<User.ID> = []
    private var anonymous: Set<User.ID> = []

    init() {}

    /// The ids of all of them.
    var ids: Set<User.ID> { authenticated.union(anonymous) }

    func contains(_ user: User) -> Bool {
        authenticated.contains(user.id) || user.isAnonymous && anonymous.contains(user.id)
    }

    mutating func insert(_ user: User) {
        if user.isAnonymous { anonymous.insert(user.id) } else { authenticated.insert(user.id) }
    }

    mutating func remove(_ user: User) {
        anonymous.remove(user.id)
        if !user.isAnonymous { authenticated.remove(user.id) }
    }
}

/// The sightings of the last minute, in memory until they are written to the brain.
final class SightingLog: Sendable {
    /// A user in a room.
    private struct Place: Hashable {
        let user: User.ID
        let room: Room.ID
    }

    /// What is noted at a place; a reference, because this is read and changed for each message.
    private final class Entry {
        var latest: Sighting

        init(_ sighting: Sighting) { latest = sighting }
    }

    private struct State {
        /// What has been noted since the last minute's batch was taken.
        var pending: [Place: Entry] = [:]
        /// The users who don't want to be noted; nil until they have been read, and until then nobody is noted.
        var optedOut: OptOuts?
        /// The users who were forgotten since the last batch was taken.
        var forgotten: Set<User> = []
        /// The number of users who were stored for the first time since old ones were removed.
        var newUsers = 0
    }

    /// The maximum number of places: if a flood of names exceeds it, new ones aren't noted until the next minute.
    private static let most = 4_000

    private let state = Mutex(State())

    // MARK: Sightings

    /// Adds a sighting, unless the user doesn't want to be noted.
    func record(_ sighting: Sighting) {
        let place = Place(user: sighting.user.id, room: sighting.room)
        state.withLock { state in
            guard let optedOut = state.optedOut, !optedOut.contains(sighting.user) else { return }
            if let entry = state.pending[place] {
                if entry.latest.date <= sighting.date { entry.latest = sighting }
            } else if state.pending.count < Self.most {
                state.pending[place] = Entry(sighting)
            }
        }
    }

    /// The sightings that aren't written yet.
    var pending: [Sighting] { state.withLock { $0.pending.values.map(\.latest) } }

    /// Removes and returns the sightings to write.
    func take() -> [Sighting] {
        state.withLock { state in
            let optedOut = state.optedOut ?? OptOuts()
            defer { (state.pending, state.forgotten) = ([:], []) }
            return state.pending.values.map(\.latest).filter { !optedOut.contains($0.user) }
        }
    }

    /// Adds sightings again that couldn't be written, except those of users who were forgotten meanwhile.
    func putBack(_ sightings: [Sighting]) {
        let forgotten = forgotten
        for sighting in sightings where !forgotten.contains(where: { $0.proves(toBe: sighting.user) }) {
            record(sighting)
        }
    }

    // MARK: Users

    /// The users who were forgotten since the last batch was taken.
    var forgotten: Set<User> { state.withLock { $0.forgotten } }

    /// Removes all sightings of users.
    func forget(_ users: Set<User>) {
        state.withLock { state in
            state.forgotten.formUnion(users)
            state.pending = state.pending.filter { entry in
                !users.contains { $0.proves(toBe: entry.value.latest.user) }
            }
        }
    }

    /// The users who don't want to be noted.
    var optedOut: OptOuts { state.withLock { $0.optedOut ?? OptOuts() } }

    /// Replaces the users who don't want to be noted.
    func setOptedOut(_ users: OptOuts) { state.withLock { $0.optedOut = users } }

    /// Notes users no longer, or again.
    func setNoted(_ isNoted: Bool, _ users: Set<User>) {
        state.withLock { state in
            var optedOut = state.optedOut ?? OptOuts()
            for user in users {
                if isNoted { optedOut.remove(user) } else { optedOut.insert(user) }
            }
            state.optedOut = optedOut
        }
    }

    /// Counts a user who was stored for the first time.
    ///
    /// - Returns: The number of such users since the last ``resetNewUsers()``.
    func countNewUser() -> Int {
        state.withLock { state in
            state.newUsers += 1
            return state.newUsers
        }
    }

    func resetNewUsers() { state.withLock { $0.newUsers = 0 } }
}
