import Heybot
import Synchronization

/// A network with private messages, beside the one of a test robot.
final class PrivateNetwork: PrivateMessaging, MemberListing, RoomMembershipReporting {
    let name: String
    private let inboxes: AsyncStream<Inbox>
    private let opened: AsyncStream<Inbox>.Continuation
    private let inbox = Mutex<Inbox?>(nil)
    private let delivered = Mutex<[String]>([])
    private let shown = Mutex<[String: User?]>([:])
    private let present = Mutex<Set<String>>([])
    private let members = Mutex<[String: [User]]>([:])
    private let rooms = Mutex<Set<String>>([])
    private let isDown: Bool
    private let number = Atomic(0)

    /// - Parameter isDown: Whether all deliveries fail.
    init(_ name: String, isDown: Bool = false) {
        (self.name, self.isDown) = (name, isDown)
        (inboxes, opened) = AsyncStream.makeStream()
    }

    var status: AdapterStatus { .up(since: .distantPast) }

    func run(_ inbox: Inbox) async throws {
        opened.yield(inbox)
        let (forever, _) = AsyncStream<Never>.makeStream()
        for await _ in forever {}
    }

    func deliver(_ utterance: Utterance, to envelope: Envelope) async throws {
        if isDown { throw Outage() }
        delivered.withLock { $0.append("\(envelope.room.name): \(utterance.content)") }
    }

    func privateRoom(of user: User) -> Room {
        Room(id: Room.ID(adapter: name, value: user.id.value), name: user.name, isPrivate: true)
    }

    /// Sets how the network shows the user with an id from now on; nil if it doesn't.
    func show(_ id: String, as name: String?, isAnonymous: Bool = false) {
        let user = name.map { User(id: User.ID(adapter: self.name, value: id), name: $0, isAnonymous: isAnonymous) }
        shown.withLock { _ = $0.updateValue(user, forKey: id) }
    }

    /// Sets the ids of the users who are in the robot's rooms from now on.
    func setPresent(_ ids: Set<String>) { present.withLock { $0 = ids } }

    func isPresent(_ user: User.ID) async -> Bool { present.withLock { $0.contains(user.value) } }

    /// Sets the ids of the users who are listed in a room from now on; nobody is listed in other rooms.
    ///
    /// - Parameter nicks: The names of those whose names aren't their ids.
    func setMembers(_ ids: [String], of room: String, called nicks: [String: String] = [:]) {
        let users = ids.map { User(id: User.ID(adapter: name, value: $0), name: nicks[$0] ?? $0) }
        members.withLock { $0[room] = users }
    }

    func users(in room: Room) async -> [User] { members.withLock { $0[room.id.value] ?? [] } }

    /// Sets the ids of the rooms that the robot is in from now on; of other rooms it isn't known.
    func setRooms(_ ids: Set<String>) { rooms.withLock { $0 = ids } }

    func isIn(_ room: Room) async -> Bool? { rooms.withLock { $0.contains(room.id.value) } ? true : nil }

    func locate(_ user: User) async -> User? { shown.withLock { $0[user.id.value] ?? user } }

    /// Removes and returns what was delivered since the last call, as `ada: words`.
    func takeDelivered() -> [String] {
        delivered.withLock { delivered in
            defer { delivered = [] }
            return delivered
        }
    }

    /// Receives a message, and returns what was delivered to its room until it was handled.
    ///
    /// - Parameters:
    ///   - user: The author's id.
    ///   - name: The author's name; nil if it is the id.
    ///   - room: The room's id; nil for a direct message.
    func hears(
        _ text: String, from user: String, called name: String? = nil, in room: String? = nil,
        isAnonymous: Bool = false,
        origin: String? = nil
    ) async -> [String] {
        guard let inbox = await openInbox() else { return [] }
        let before = delivered.withLock { $0.count }
        let sender = User(id: User.ID(adapter: self.name, value: user), name: name ?? user, isAnonymous: isAnonymous)
        let place = room.map { Room(id: Room.ID(adapter: self.name, value: $0)) } ?? privateRoom(of: sender)
        await inbox.handle(
            Message(
                id: Message.ID(adapter: self.name, value: "\(number.add(1, ordering: .relaxed).newValue)"),
                user: sender, room: place, content: .text(text), origin: origin))
        let answers = delivered.withLock { Array($0.dropFirst(before)) }
        let prefix = "\(place.name): "
        return answers.filter { $0.hasPrefix(prefix) }.map { String($0.dropFirst(prefix.count)) }
    }

    private func openInbox() async -> Inbox? {
        if let known = inbox.withLock({ $0 }) { return known }
        for await opened in inboxes {
            inbox.withLock { $0 = opened }
            return opened
        }
        return nil
    }

    struct Outage: Error {}
}
