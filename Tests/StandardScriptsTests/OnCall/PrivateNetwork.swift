import Heybot
import Synchronization

/// A network with private messages, beside the one of a test robot.
final class PrivateNetwork: PrivateMessaging {
    let name: String
    private let inboxes: AsyncStream<Inbox>
    private let opened: AsyncStream<Inbox>.Continuation
    private let inbox = Mutex<Inbox?>(nil)
    private let delivered = Mutex<[String]>([])
    private let shown = Mutex<[String: User?]>([:])
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

    func locate(_ user: User) async -> User? { shown.withLock { $0[user.id.value] ?? user } }

    /// Removes and returns what was delivered since the last call, as `ada: words`.
    func takeDelivered() -> [String] {
        delivered.withLock { delivered in
            defer { delivered = [] }
            return delivered
        }
    }

    /// Receives a direct message, and returns what was delivered to its author until it was handled.
    func hears(_ text: String, from user: String, isAnonymous: Bool = false) async -> [String] {
        guard let inbox = await openInbox() else { return [] }
        let before = delivered.withLock { $0.count }
        let sender = User(id: User.ID(adapter: name, value: user), name: user, isAnonymous: isAnonymous)
        await inbox.handle(
            Message(
                id: Message.ID(adapter: name, value: "\(number.add(1, ordering: .relaxed).newValue)"), user: sender,
                room: privateRoom(of: sender), content: .text(text)))
        let answers = delivered.withLock { Array($0.dropFirst(before)) }
        let prefix = "\(user): "
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
