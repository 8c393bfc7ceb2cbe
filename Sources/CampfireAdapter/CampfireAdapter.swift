import FoundationEssentials
public import Heybot
import Logging
import Synchronization

/// An adapter for Campfire (ONCE Campfire, self-hosted).
///
/// Campfire's webhook delivers messages that mention the bot, and direct messages; polling rooms delivers the others. Add it both
/// to a robot's adapters and to its scripts, because the webhook is a route.
///
/// The first text in answer to a webhook request becomes its response; everything else is posted. The messages of a room are sent
/// in the order of the calls.
public final class CampfireAdapter: Adapter, Script, Sendable {
    public let name: String
    let configuration: Configuration
    let robotName: String
    let api: CampfireAPI
    let sleep: @Sendable (Duration) async throws -> Void
    let date: @Sendable () -> Date
    let logger: Logger
    let queue = Mutex(OutgoingPostQueue())
    /// The last background post; each one waits for the one before it when it ends.
    let backgroundPosts = Mutex<Task<Void, Never>?>(nil)
    /// Whether polling determines the adapter's status.
    let isPolling: Atomic<Bool>
    let adapterStatus = Mutex(AdapterStatus.starting)
    let inbox = Mutex<Inbox?>(nil)
    let messages = Mutex(DeduplicationSet())
    let actions = Mutex(DeduplicationSet())
    /// The last message posted to each room, if the Campfire reported its id.
    let posted = Mutex<[String: CampfireID]>([:])
    let sleeps = InterruptibleSleeps()

    /// Creates an adapter.
    ///
    /// - Parameters:
    ///   - http: The client for requests to the Campfire.
    ///   - name: The adapter's name, which is part of the ids of its users and rooms.
    ///   - robotName: The robot's name.
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
        api = CampfireAPI(configuration: configuration, http: http)
        isPolling = Atomic(!configuration.rooms.isEmpty)
    }

    public var status: AdapterStatus { adapterStatus.withLock { $0 } }

    /// Receives webhook messages and polls until the task is canceled; then finishes what is being posted.
    public func run(_ inbox: Inbox) async throws {
        self.inbox.withLock { $0 = inbox }
        await poll(inbox)
        if !Task.isCancelled {
            isPolling.store(false, ordering: .relaxed)
            adapterStatus.withLock { adapterStatus in
                if configuration.webhookSecret != nil {
                    adapterStatus.markUp(at: date())
                } else {
                    adapterStatus.markDown("no room is left to poll", at: date())
                }
            }
            let (forever, _) = AsyncStream<Never>.makeStream()
            for await _ in forever {}
        }
        self.inbox.withLock { $0 = nil }
        sleeps.end()
        while let last = backgroundPosts.withLock({ $0.take() }) { await last.value }
        adapterStatus.withLock { $0.markDown("the adapter has ended", at: date()) }
    }
}
