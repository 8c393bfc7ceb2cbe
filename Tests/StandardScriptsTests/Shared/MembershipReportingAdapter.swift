import Heybot
import Synchronization

/// An adapter that is in one room, `#dev`, and receives the given lines as direct messages from root.
final class MembershipReportingAdapter: RoomMembershipReporting {
    let name = "irc"
    private let heard: [String]
    private let delivered = Mutex<[(room: String, text: String)]>([])

    init(hearing heard: [String] = []) { self.heard = heard }

    /// The rooms of the delivered messages, in order.
    var said: [String] { delivered.withLock { $0.map(\.room) } }
    var answers: [String] { delivered.withLock { $0.filter { $0.room == "root" }.map(\.text) } }
    var status: AdapterStatus { .up(since: .distantPast) }

    func run(_ inbox: Inbox) async throws {
        for (index, text) in heard.enumerated() {
            await inbox.handle(
                Message(
                    id: Message.ID(adapter: name, value: "\(index)"),
                    user: User(id: .init(adapter: name, value: "root"), name: "root"),
                    room: Room(id: Room.ID(adapter: name, value: "root"), isPrivate: true), content: .text(text)))
        }
        let (forever, _) = AsyncStream<Never>.makeStream()
        for await _ in forever {}
    }

    func deliver(_ utterance: Utterance, to envelope: Envelope) async throws {
        delivered.withLock { $0.append((envelope.room.id.value, utterance.content)) }
    }

    func isIn(_ room: Room) async -> Bool? { room.name.hasPrefix("#") ? room.name == "#dev" : nil }
}
