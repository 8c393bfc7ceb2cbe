import Heybot
import HeybotTesting
import Logging
import Synchronization
import Testing

/// What a robot tells its admins without being asked.
@Suite struct TellingAdminsTests {
    private func user(_ name: String) -> User { User(id: .init(adapter: "net", value: name)) }

    @Test func `admins of the settings and those with the role get it in private`() async throws {
        let network = Network(["ada", "bo", "dan"], anonymous: ["eve"])
        let robot = Robot(
            name: "Heybot", adapters: [network], brain: Brain(store: MemoryStore()), scripts: [],
            admins: ["net:ada", "net:cy", "net:eve"], logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
        try await robot.openBrain()
        try await robot.set(role: "admin", of: user("bo"), to: true)
        try await robot.set(role: "deployer", of: user("dan"), to: true)
        await robot.tellAdmins("A script has crashed.")
        #expect(network.said == ["ada: A script has crashed.", "bo: A script has crashed."])
    }
}

/// A network that shows some users.
private final class Network: PrivateMessaging {
    let name = "net"
    let status = AdapterStatus.starting
    private let known: Set<String>
    private let anonymous: Set<String>
    private let sent = Mutex<[String]>([])

    init(_ known: Set<String>, anonymous: Set<String>) { (self.known, self.anonymous) = (known, anonymous) }

    /// What was said, after the room.
    var said: [String] { sent.withLock { $0 } }

    func run(_ inbox: Inbox) async throws {}

    func deliver(_ utterance: Utterance, to envelope: Envelope) async throws {
        sent.withLock { $0.append("\(envelope.room.id.value): \(utterance.content)") }
    }

    func privateRoom(of user: User) -> Room { Room(id: .init(adapter: name, value: user.id.value), isPrivate: true) }

    func locate(_ user: User) async -> User? {
        if anonymous.contains(user.id.value) { return User(id: user.id, isAnonymous: true) }
        return known.contains(user.id.value) ? user : nil
    }
}
