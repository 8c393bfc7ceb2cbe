import FoundationEssentials
import Heybot

/// When and where a user was seen, and what they did.
struct Sighting: Codable, Hashable, Sendable {
    enum Action: String, Codable, Sendable {
        case spoke, entered, left
    }

    private static let longestName = 100
    /// In bytes.
    private static let longestID = 1_000

    let user: User
    let date: Date
    let room: Room.ID
    let action: Action

    private init(_ user: User, _ date: Date, in room: Room.ID, _ action: Action) {
        (self.user, self.date, self.room, self.action) = (user, date, room, action)
    }

    /// Creates a sighting of a message's author; nil if it is a direct message, or their id is too long to be stored.
    ///
    /// - Parameter now: The date of the robot's clock: messages may be late, but not early.
    init?(of message: Message, at now: Date) {
        let action: Action =
            switch message.content {
            case .text, .topic, .reaction, .retraction: .spoke
            // Under a new name, a user hasn't said anything yet.
            case .enter, .profile: .entered
            case .leave: .left
            }
        let (user, room) = (message.user, message.room)
        guard !room.isPrivate, user.id.value.utf8.count <= Self.longestID else { return nil }
        self.init(user, min(message.time, now), in: room.id, action)
    }

    /// The sighting as it is stored: with a short name, and without the account.
    var stored: Sighting {
        let name = String(oneLine: user.name, limit: Self.longestName)
        return Sighting(
            User(id: user.id, name: name, isAnonymous: user.isAnonymous), date, in: room, action)
    }

    /// Returns the sighting under another name of the user.
    func named(_ name: String) -> Sighting {
        Sighting(User(id: user.id, name: name, isAnonymous: user.isAnonymous), date, in: room, action)
    }

    /// The user's name and id in lower case, without the adapter's name.
    var names: Set<String> { [user.name.lowercased(), user.id.value.lowercased()] }

    /// Whether the user has a name or an id, given in lower case.
    ///
    /// A text that looks like an address isn't compared with names: anyone can take another user's address as a name.
    func isOf(_ typed: String) -> Bool {
        user.id.value.lowercased() == typed || user.id.description.lowercased() == typed
            || !typed.contains("@") && user.name.lowercased() == typed
    }
}

/// The users who were seen in a room today and yesterday.
struct RoomVisits: Codable, Hashable, Sendable {
    /// A user's last sighting on a day.
    struct Visit: Codable, Hashable, Sendable {
        let name: String
        let date: Date
        var isAnonymous: Bool?

        /// Whether one of some users may ask for the visit of the user with an id: an anonymous one only for their own.
        fileprivate func concerns(_ users: Set<User>, id: User.ID) -> Bool {
            let visitor = User(id: id, name: name, isAnonymous: isAnonymous ?? false)
            return users.contains { $0.proves(toBe: visitor) }
        }
    }

    /// The maximum number of users on a day.
    private static let most = 300

    /// The visits by the day's number since 1970, in the room's time zone.
    private var days: [Int: [User.ID: Visit]] = [:]

    init() {}

    /// Adds a sighting.
    mutating func add(_ sighting: Sighting, on day: Int) {
        let known = days[day]?[sighting.user.id]
        guard known.map({ $0.date < sighting.date }) ?? true else { return }
        let user = sighting.user
        days[day, default: [:]][user.id] = Visit(
            name: user.name, date: sighting.date, isAnonymous: user.isAnonymous)
    }

    /// Removes all days before yesterday, and the earliest visits of a day with too many.
    mutating func trim(today: Int) {
        days = days.filter { today - 1...today ~= $0.key }.mapValues {
            (visits: [User.ID: Visit]) -> [User.ID: Visit] in
            guard visits.count > Self.most else { return visits }
            let latest = visits.sorted { $0.value.date > $1.value.date }.prefix(Self.most)
            return Dictionary(latest.map { ($0.key, $0.value) }, uniquingKeysWith: { first, _ in first })
        }
    }

    /// Removes users.
    mutating func remove(_ users: Set<User>) {
        days = days.mapValues { visits in visits.filter { !$0.value.concerns(users, id: $0.key) } }
    }

    func contains(anyOf users: Set<User>) -> Bool {
        days.values.contains { visits in
            users.contains { visits[$0.id]?.concerns([$0], id: $0.id) == true }
        }
    }

    /// Returns the names of the users who were seen on a day, sorted.
    func names(on day: Int) -> [String] { Self.names(days[day].map { Array($0.values) } ?? []) }

    /// Returns the names of the users who were seen since a time, sorted.
    func names(since date: Date) -> [String] { Self.names(days.values.flatMap(\.values).filter { $0.date >= date }) }

    private static func names(_ visits: [Visit]) -> [String] { Set(visits.map(\.name)).sorted() }
}
