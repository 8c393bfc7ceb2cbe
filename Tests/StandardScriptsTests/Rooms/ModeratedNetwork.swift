import Heybot
import Synchronization

/// A network beside the one of a test robot, whose rooms the robot moderates: it records what is done.
final class ModeratedNetwork: RoomModeration, ContactBlocking, PrivateMessaging {
    let name = "irc"
    private let inboxes: AsyncStream<Inbox>
    private let opened: AsyncStream<Inbox>.Continuation
    private let inbox = Mutex<Inbox?>(nil)
    private let delivered = Mutex<[String]>([])
    private let members = Mutex<[String: RoomMember]>([:])
    private let neighbors = Mutex<[User]>([])
    private let acts = Mutex<[String]>([])
    private let refusal = Mutex<AdapterError?>(nil)
    private let blocked = Mutex<Set<String>>([])
    private let number = Atomic(0)

    /// - Parameter names: The names of the members of every room, which are also their ids.
    init(_ names: String...) {
        (inboxes, opened) = AsyncStream.makeStream()
        for (index, name) in names.enumerated() {
            let member = RoomMember(user: Self.user(name), stay: "\(index)")
            members.withLock { $0[name] = member }
        }
    }

    /// A verified user of the network.
    static func user(_ name: String) -> User { User(id: User.ID(adapter: "irc", value: name), name: name) }

    var status: AdapterStatus { .up(since: .distantPast) }

    func run(_ inbox: Inbox) async throws {
        opened.yield(inbox)
        let (forever, _) = AsyncStream<Never>.makeStream()
        for await _ in forever {}
    }

    func deliver(_ utterance: Utterance, to envelope: Envelope) async throws {
        delivered.withLock { $0.append("\(envelope.room.name): \(utterance.content)") }
    }

    func privateRoom(of user: User) -> Room {
        Room(id: Room.ID(adapter: name, value: user.id.value), name: user.name, isPrivate: true)
    }

    // MARK: Moderation

    /// Sets the error of all actions from now on; nil for none.
    func refuse(_ error: AdapterError?) { refusal.withLock { $0 = error } }

    /// Sets the other users whom each restriction affects.
    func setNeighbors(_ names: String...) {
        let users = names.map(Self.user)
        neighbors.withLock { $0 = users }
    }

    func member(named name: String, in room: Room) async -> RoomMember? {
        members.withLock { $0[name.lowercased()] }
    }

    func restriction(
        _ kind: RoomRestriction.Kind, of member: RoomMember, in room: Room
    ) async throws -> (restriction: RoomRestriction, affected: [User]) {
        let affected = neighbors.withLock { $0 }
        return (RoomRestriction(kind, of: "b *!*@\(member.user.name).example"), [member.user] + affected)
    }

    /// Finds users whose names begin with `gone`, by an account `gone-account`.
    func restriction(
        _ kind: RoomRestriction.Kind, ofAbsent user: User, in room: Room
    ) async throws -> (restriction: RoomRestriction, user: User, affected: [User]) {
        guard user.name.hasPrefix("gone") else {
            throw AdapterError(.noSuchUser, "I don't see \"\(user.name)\" in this room now")
        }
        let account = user.isAnonymous ? "gone-account" : user.id.value
        let found = User(id: User.ID(adapter: name, value: account), name: user.name, account: account)
        return (RoomRestriction(kind, of: "b $a:\(account)"), found, neighbors.withLock { $0 })
    }

    func latestMessage(of member: RoomMember, in room: Room) async -> Message.ID? {
        switch member.user.name {
        case "mallory": Message.ID(adapter: name, value: "last")
        // The command itself.
        case "root": Message.ID(adapter: name, value: "\(number.load(ordering: .relaxed))")
        default: nil
        }
    }

    /// The author of messages whose ids begin with `boss`.
    func author(of message: Message.ID, in room: Room) async -> User? {
        message.value.hasPrefix("boss") ? Self.user("boss") : nil
    }

    func moderate(_ action: ModerationAction, in room: Room) async throws {
        let error = refusal.withLock { $0 }
        let text = "\(room.name) \(Self.text(action))"
        acts.withLock { $0.append(error == nil ? text : "(\(text))") }
        if let error { throw error }
    }

    func block(_ address: String) async throws { blocked.withLock { _ = $0.insert(address) } }

    func unblock(_ address: String) async throws { blocked.withLock { _ = $0.remove(address) } }

    func blockedAddresses() async throws -> [String] { blocked.withLock { $0.sorted() } }

    private static func text(_ action: ModerationAction) -> String {
        switch action {
        case .giveOperator(let member): "op \(member.user.name)"
        case .takeOperator(let member): "deop \(member.user.name)"
        case .giveVoice(let member): "voice \(member.user.name)"
        case .takeVoice(let member): "devoice \(member.user.name)"
        case .kick(let member, let reason): "kick \(member.user.name): \(reason)"
        case .restrict(let member, let restriction, let reason):
            "\(restriction.kind) \(member.user.name) as \(restriction.subject): \(reason)"
        case .lift(let restriction, let ifOwn):
            "un\(restriction.kind) \(restriction.subject)\(ifOwn ? " if own" : "")"
        case .restrictAbsent(let restriction, let reason): "\(restriction.kind) \(restriction.subject): \(reason)"
        case .retract(let message, let reason): "retract \(message.value): \(reason)"
        case .setTopic(let topic): "topic \(topic)"
        }
    }

    // MARK: Reading

    /// Removes and returns what was done since the last call; what was refused is in parentheses.
    func takeActs() -> [String] {
        acts.withLock { acts in
            defer { acts = [] }
            return acts
        }
    }

    /// Removes and returns what was delivered since the last call, as `#dev: words`.
    func takeDelivered() -> [String] {
        delivered.withLock { delivered in
            defer { delivered = [] }
            return delivered
        }
    }

    /// Receives a message to the robot, and returns what was delivered until it was handled, without the room.
    ///
    /// - Parameters:
    ///   - room: The room's id; nil for a direct message.
    ///   - isAnonymous: Whether the network can't verify the user.
    ///   - replyTo: The id of the message that it replies to.
    func hears(
        _ text: String, from user: String = "root", in room: String? = "#dev", isAnonymous: Bool = false,
        replyTo: String? = nil
    ) async -> [String] {
        guard let inbox = await openInbox() else { return [] }
        _ = takeDelivered()
        var sender = Self.user(user)
        sender.isAnonymous = isAnonymous
        let place = room.map { Room(id: Room.ID(adapter: name, value: $0)) } ?? privateRoom(of: sender)
        var message = Message(
            id: Message.ID(adapter: name, value: "\(number.add(1, ordering: .relaxed).newValue)"),
            user: sender, room: place, content: .text("hubot \(text)"))
        if let replyTo { message.reply = Message.Reply(message: Message.ID(adapter: name, value: replyTo), text: nil) }
        await inbox.handle(message)
        return takeDelivered().map { String($0.dropFirst(place.name.count + 2)) }
    }

    private func openInbox() async -> Inbox? {
        if let known = inbox.withLock({ $0 }) { return known }
        for await opened in inboxes {
            inbox.withLock { $0 = opened }
            return opened
        }
        return nil
    }
}
