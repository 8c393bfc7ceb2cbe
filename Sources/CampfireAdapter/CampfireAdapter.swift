import FoundationEssentials
public import Heybot
import Logging
import Synchronization

/// Chats in the rooms of a Campfire (ONCE Campfire, self-hosted).
///
/// Campfire tells its webhook what mentions the bot, and what is said to it alone; polling rooms brings the rest. It goes
/// into both of a robot's lists, the adapters and the scripts, since the webhook is a route.
///
/// The first text in answer to what the webhook brought is the answer of its request; everything else is posted. A room
/// has what is said in the order of the calls.
public final class CampfireAdapter: Adapter, Script, Sendable {
    public let name: String
    let configuration: Configuration
    let robotName: String
    let service: Service
    let sleep: @Sendable (Duration) async throws -> Void
    let date: @Sendable () -> Date
    let logger: Logger
    let desk = Mutex(Desk())
    /// Posts that nobody waits for, each of which waits for the one before in its end.
    let errand = Mutex<Task<Void, Never>?>(nil)
    /// Whether polling tells how we stand.
    let isPolling: Atomic<Bool>
    let standing = Mutex(AdapterStatus.starting)
    let inbox = Mutex<Inbox?>(nil)
    let messages = Mutex(SeenIDs())
    let actions = Mutex(SeenIDs())
    /// The last message that was posted in each room, as far as the Campfire said which.
    let posted = Mutex<[String: Identifier]>([:])
    let naps = Naps()

    /// - Parameters:
    ///   - http: What reaches the Campfire.
    ///   - name: What it is called, and its users' and rooms' ids begin with.
    ///   - robotName: What people call the robot.
    public convenience init(
        _ configuration: Configuration, http: any HTTPClient, name: String = "campfire", robotName: String
    ) {
        self.init(
            configuration, http: http, name: name, robotName: robotName, sleep: { try await Task.sleep(for: $0) },
            date: { .now }, logger: Logger(label: "heybot.\(name)"))
    }

    init(
        _ configuration: Configuration, http: any HTTPClient, name: String, robotName: String,
        sleep: @escaping @Sendable (Duration) async throws -> Void, date: @escaping @Sendable () -> Date,
        logger: Logger
    ) {
        self.configuration = configuration
        self.name = name
        self.robotName = robotName
        self.sleep = sleep
        self.date = date
        self.logger = logger
        service = Service(configuration: configuration, http: http)
        isPolling = Atomic(!configuration.rooms.isEmpty)
    }

    public var status: AdapterStatus { standing.withLock { $0 } }

    /// Takes what the webhook brings, and polls, until the task is cancelled; then what is being posted goes out.
    public func run(_ inbox: Inbox) async throws {
        self.inbox.withLock { $0 = inbox }
        await poll(inbox)
        if !Task.isCancelled {
            isPolling.store(false, ordering: .relaxed)
            standing.withLock { standing in
                if configuration.webhookSecret != nil {
                    standing.markUp(at: date())
                } else {
                    standing.markDown("it has no room left to look at", at: date())
                }
            }
            let (forever, _) = AsyncStream<Never>.makeStream()
            for await _ in forever {}
        }
        self.inbox.withLock { $0 = nil }
        naps.end()
        while let last = errand.withLock({ $0.take() }) { await last.value }
        standing.withLock { $0.markDown("it has ended", at: date()) }
    }
}
