import Heybot
import Synchronization

/// A network on which several robots may be in the same rooms: what one says, the others hear.
final class SharedNetwork: Sendable {
    /// If there are more lines, robots talk to each other without end.
    private static let most = 20_000

    let name: String
    private let connections = Mutex<[RobotConnection]>([])
    private let said = Mutex<[String]>([])
    private let count = Atomic(0)

    init(_ name: String) { self.name = name }

    /// How many lines were said, ever.
    var total: Int { count.load(ordering: .acquiring) }

    /// Returns a connection for a robot.
    func connect(as nick: String) -> RobotConnection {
        let connection = RobotConnection(self, nick)
        connections.withLock { $0.append(connection) }
        return connection
    }

    /// Says something in a room, to all robots but the one that says it.
    func say(_ text: String, by user: String, in room: String, from speaker: RobotConnection? = nil) async {
        guard count.add(1, ordering: .acquiringAndReleasing).newValue <= Self.most else { return }
        said.withLock { $0.append("\(room) \(user): \(text)") }
        let all = connections.withLock { $0 }
        for connection in all where connection !== speaker {
            await connection.receive(.text(text), from: user, in: room)
        }
    }

    /// Removes and returns what was said since the last call, as `#dev ada: words`.
    func takeSaid() -> [String] {
        said.withLock { said in
            defer { said = [] }
            return said
        }
    }
}

/// A robot's connection to a shared network.
final class RobotConnection: RoomMembershipReporting, OutboundQueueing {
    let name: String
    private let nick: String
    private let network: SharedNetwork
    private let inboxes: AsyncStream<Inbox>
    private let opened: AsyncStream<Inbox>.Continuation
    private let inbox = Mutex<Inbox?>(nil)
    private let queued = Atomic(0)
    private let isDown = Atomic(false)
    private let number = Atomic(0)

    init(_ network: SharedNetwork, _ nick: String) {
        (self.network, self.nick, name) = (network, nick, network.name)
        (inboxes, opened) = AsyncStream.makeStream()
    }

    var status: AdapterStatus {
        isDown.load(ordering: .acquiring) ? .down(since: .distantPast, reason: "outage") : .up(since: .distantPast)
    }
    var queuedMessages: Int { queued.load(ordering: .acquiring) }

    /// Sets how many messages wait to be sent from now on.
    func setQueued(_ count: Int) { queued.store(count, ordering: .releasing) }

    /// Sets whether the connection is interrupted from now on.
    func setDown(_ isDown: Bool) { self.isDown.store(isDown, ordering: .releasing) }

    /// Waits until the robot runs.
    func open() async {
        for await opened in inboxes {
            inbox.withLock { $0 = opened }
            return
        }
    }

    func run(_ inbox: Inbox) async throws {
        opened.yield(inbox)
        let (forever, _) = AsyncStream<Never>.makeStream()
        for await _ in forever {}
    }

    func deliver(_ utterance: Utterance, to envelope: Envelope) async throws {
        let isReply = if case .reply = utterance { true } else { false }
        let text = isReply ? envelope.plainReply(utterance.content) : utterance.content
        await network.say(text, by: nick, in: envelope.room.id.value, from: self)
    }

    func isIn(_ room: Room) async -> Bool? { !room.id.value.contains("elsewhere") }

    /// Receives what somebody does in a room.
    ///
    /// - Parameter status: The prefix of the room's name if only some members get it.
    func receive(
        _ content: Message.Content, from user: String, in room: String, status: String = "", isAction: Bool = false,
        isCorrection: Bool = false
    ) async {
        guard let inbox = inbox.withLock({ $0 }) else { return }
        var message = Message(
            id: Message.ID(adapter: name, value: "\(number.add(1, ordering: .relaxed).newValue)"),
            user: User(id: User.ID(adapter: name, value: user), name: user),
            room: Room(id: Room.ID(adapter: name, value: room), name: status + room), content: content)
        message.isAction = isAction
        if isCorrection { message.correction = Message.ID(adapter: name, value: "original") }
        await inbox.receive(message)
    }
}
