import Heybot

/// The names that Hubot scripts know rooms and users by: those of the main network without its name.
struct HubotRoomAndUserNames: Sendable {
    /// The number of rooms and of users that are remembered.
    private static let limit = 5_000

    /// The names of the networks; the first is the main one.
    let adapters: [String]
    private var rooms: [String: Room] = [:]
    private var users: [String: User] = [:]

    init(adapters: [String]) { self.adapters = adapters }

    private var main: String { adapters.first ?? "shell" }

    func name<Subject>(of id: ScopedID<Subject>) -> String { id.adapter == main ? id.value : id.description }

    private func id<Subject>(named name: String) -> ScopedID<Subject> {
        if let id = ScopedID<Subject>(name), adapters.contains(id.adapter) { return id }
        return ScopedID(adapter: main, value: name)
    }

    /// Remembers the room and the user of a message.
    mutating func remember(_ message: Message) {
        let (room, user) = (name(of: message.room.id), name(of: message.user.id))
        if rooms[room] != nil || rooms.count < Self.limit { rooms[room] = message.room }
        if users[user] != nil || users.count < Self.limit { users[user] = message.user }
    }

    func room(named name: String) -> Room { rooms[name] ?? Room(id: id(named: name)) }

    /// A user; one that the robot hasn't seen isn't authenticated.
    func user(named id: String, name: String? = nil) -> User {
        users[id] ?? User(id: self.id(named: id), name: name ?? id, isAnonymous: true)
    }

    func wire(_ user: User) -> WireUser {
        WireUser(id: name(of: user.id), name: user.name, adapter: user.id.adapter)
    }

    /// A message, as the host gets it.
    func wire(_ message: Message, number: Int, kind: String, command: String?, token: Int?) -> WireMessage {
        let text: String? =
            switch message.content {
            case .text(let text), .topic(let text): text
            case .leave(let reason): reason
            case .enter, .reaction, .retraction, .profile: nil
            }
        return WireMessage(
            number: number, kind: kind, id: message.id.value, room: name(of: message.room.id), user: wire(message.user),
            text: text, command: command, original: kind == "catchAll" ? message.hubotKind : nil, token: token)
    }
}

extension Message {
    /// The kind of a message in the protocol.
    var hubotKind: String {
        switch content {
        case .text: "text"
        case .enter: "enter"
        case .leave: "leave"
        case .topic: "topic"
        case .reaction: "reaction"
        case .retraction: "retraction"
        case .profile: "profile"
        }
    }
}
