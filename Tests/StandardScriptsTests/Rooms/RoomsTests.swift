import HeybotTesting
import Synchronization
import Testing

@testable import Heybot
@testable import StandardScripts

@Suite struct RoomsTests {
    private func hears(_ text: String, in room: String = "#here", on adapter: Memberships) async throws -> [String] {
        let robot = Robot(
            name: "hubot", adapters: [adapter], brain: Brain(store: MemoryStore()), scripts: [Rooms()],
            admins: ["chat:root"])
        let running = Task { try await robot.run() }
        await adapter.hear(text, in: room)
        robot.stop()
        try await running.value
        return adapter.said.withLock { $0 }
    }

    @Test func `an admin can make it join a room, with a key, and gets the reason of a failure`() async throws {
        #expect(try await hears("hubot join #dev", on: Memberships()) == ["#here reply: I'm in #dev."])
        #expect(
            try await hears("hubot join chat:#dev sesame", on: Memberships()) == ["#here reply: I'm in #dev (sesame)."])
        #expect(try await hears("hubot join #closed", on: Memberships()) == ["#here reply: It is closed."])
    }

    @Test func `and leave it, until the next start if the settings list it`() async throws {
        #expect(try await hears("hubot leave #dev", on: Memberships()) == ["#here reply: I've left #dev."])
        #expect(
            try await hears("hubot part #set", on: Memberships()) == [
                "#here reply: I've left #set. It's in my settings, so I'll be back after a restart."
            ])
        #expect(try await hears("hubot leave #nowhere", on: Memberships()) == ["#here reply: I'm not there."])
        // The robot can't send to the room any more.
        #expect(try await hears("hubot leave here", in: "#dev", on: Memberships()) == ["root text: I've left #dev."])
    }

    @Test func `if an adapter can't join rooms, that is reported; only admins may ask`() async {
        let test = TestRobot(name: "hubot", admins: ["root"], Rooms())
        #expect(
            await test.hears("hubot join #dev", from: "root") == [.reply("I can't join or leave rooms on test.")])
        #expect(await test.hears("hubot leave #dev", from: "ada") == [.reply("Only my admins may use that.")])
    }
}

/// An adapter with rooms to join and leave.
private final class Memberships: RoomMembership, PrivateMessaging {
    let name = "chat"
    let said = Mutex<[String]>([])
    private let inboxes: AsyncStream<Inbox>
    private let opened: AsyncStream<Inbox>.Continuation
    private let answers: AsyncStream<Void>
    private let answered: AsyncStream<Void>.Continuation

    init() {
        (inboxes, opened) = AsyncStream.makeStream()
        (answers, answered) = AsyncStream.makeStream()
    }

    var status: AdapterStatus { .up(since: .distantPast) }

    func run(_ inbox: Inbox) async throws {
        opened.yield(inbox)
        while !Task.isCancelled { try? await Task.sleep(for: .seconds(3_600)) }
    }

    /// Receives a message, and waits for the answer.
    func hear(_ text: String, in room: String) async {
        for await inbox in inboxes {
            await inbox.receive([
                Message(
                    id: .init(adapter: name, value: "1"),
                    user: User(id: .init(adapter: name, value: "root"), name: "root"),
                    room: Room(id: .init(adapter: name, value: room)), content: .text(text))
            ])
            break
        }
        for await _ in answers { break }
    }

    func deliver(_ utterance: Utterance, to envelope: Envelope) async throws {
        let kind = if case .reply = utterance { "reply" } else { "text" }
        said.withLock { $0.append("\(envelope.room.name) \(kind): \(utterance.content)") }
        answered.yield()
    }

    func privateRoom(of user: User) -> Room {
        Room(id: .init(adapter: name, value: user.id.value), name: user.name, isPrivate: true)
    }

    func join(_ room: String, password: String?) async throws -> Room {
        if room == "#closed" { throw Refusal("It is closed.") }
        return Room(id: .init(adapter: name, value: room), name: room + (password.map { " (\($0))" } ?? ""))
    }

    func leave(_ room: String) async throws {
        if room == "#nowhere" { throw Refusal("I'm not there.") }
    }

    func isInSettings(_ room: String) -> Bool { room == "#set" }
}
