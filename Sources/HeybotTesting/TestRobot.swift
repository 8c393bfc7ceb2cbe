import FoundationEssentials
public import Heybot
import Logging
import Metrics
import Synchronization

// A statically linked program has no Testing module, and no tests.
#if canImport(Testing)
    import Testing
#endif

/// A robot for tests, with a manual clock and repeatable random numbers.
///
/// ```swift
/// let robot = TestRobot(name: "hubot", PlusPlus())
/// #expect(await robot.hears("swift++") == [.text("swift now has 1.")])
/// ```
///
/// By default, its brain is empty and in memory. Call its methods one after another: concurrent calls would mix up their answers.
public final class TestRobot: Sendable {
    /// Something that the robot sent.
    public struct SentUtterance: Hashable, Sendable {
        /// What it sent.
        public let utterance: Utterance
        /// The recipient.
        public let envelope: Envelope

        /// The name of the room.
        public var room: String { envelope.room.name }
    }

    /// A change of a message that the robot made.
    public struct SentChange: Hashable, Sendable {
        /// The message: `test:sent-1` is the first that the robot has sent.
        public let message: Message.ID
        /// The change.
        public let change: MessageChange
    }

    /// What users see of the robot's writing.
    public struct ShownTyping: Hashable, Sendable {
        /// Whether it writes; false if it has stopped without an answer in the room.
        public let isTyping: Bool
        /// The name of the room.
        public let room: String

        /// Creates a value to compare with.
        public init(isTyping: Bool, room: String) { (self.isTyping, self.room) = (isTyping, room) }
    }

    /// The robot itself.
    public let robot: Robot
    /// The robot's clock; ``advance(by:)`` advances it.
    public let clock = ManualClock()
    /// The HTTP client of its scripts, which expects only the requests that the test has set.
    public let web: StubHTTPClient
    private let adapter: TestAdapter
    private let log = TestLog()
    private let number = Atomic(0)
    /// The ids of the users' last texts, by room and user.
    private let lastTexts = Mutex<[[String]: Message.ID]>([:])

    /// Creates and starts a robot.
    ///
    /// - Parameters:
    ///   - admins: The names of the users who are admins.
    ///   - settings: The values of its scripts' settings, by name, such as `WEATHER_KEY`.
    ///   - web: The HTTP client of its scripts.
    ///   - networks: Further adapters, for scripts that work on several networks. If there are any, admins are named with
    ///     their adapter, such as `test:root`.
    ///   - messageFeatures: What the service of its own adapter can do with messages; by default everything.
    ///   - seed: The seed of the random numbers.
    public convenience init(
        name: String = "Heybot", alias: String? = nil, admins: Set<String> = [],
        brain: Brain = Brain(store: MemoryStore()), switches: DisabledScripts = DisabledScripts(),
        settings: [String: String] = [:], web: StubHTTPClient = StubHTTPClient(),
        limits: Robot.Limits = Robot.Limits(), networks: [any Adapter] = [],
        messageFeatures: Set<MessageFeature> = Set(MessageFeature.allCases), seed: UInt64 = 0,
        _ scripts: any Script...
    ) {
        self.init(
            name: name, alias: alias, admins: admins, brain: brain, switches: switches, settings: settings, web: web,
            limits: limits, networks: networks, messageFeatures: messageFeatures, seed: seed, scripts)
    }

    /// Creates and starts a robot with a list of scripts.
    public init(
        name: String = "Heybot", alias: String? = nil, admins: Set<String> = [],
        brain: Brain = Brain(store: MemoryStore()), switches: DisabledScripts = DisabledScripts(),
        settings: [String: String] = [:], web: StubHTTPClient = StubHTTPClient(),
        limits: Robot.Limits = Robot.Limits(), networks: [any Adapter] = [],
        messageFeatures: Set<MessageFeature> = Set(MessageFeature.allCases), seed: UInt64 = 0,
        _ scripts: [any Script]
    ) {
        self.web = web
        adapter = TestAdapter(messageFeatures)
        var limits = limits
        limits.shutdownGracePeriod = .zero
        // The watchdog uses real time, of which a busy machine may need a lot.
        limits.stallThreshold = max(limits.stallThreshold, .seconds(600))
        let date: @Sendable () -> Date = { [clock] in
            let seconds = clock.now.offset.components.seconds
            return Date(timeIntervalSinceReferenceDate: Double(seconds))
        }
        let robot = Robot(
            name: name, alias: alias, adapters: [adapter] + networks, brain: brain, scripts: scripts, admins: admins,
            switches: switches, settings: settings, http: web, server: nil, limits: limits, logger: log.logger,
            metrics: MetricsSystem.factory, timeSource: TimeSource(clock, date: date),
            generator: SeededGenerator(seed: seed), giveUp: {})
        self.robot = robot
        Task { [adapter, log] in
            do {
                try await robot.run()
            } catch {
                log.logger.error("the robot can't start: \(error)")
            }
            adapter.end()
        }
    }

    deinit { robot.stop() }

    // MARK: Input

    /// Sends a message to the robot.
    ///
    /// A room with the name of the user is a direct conversation with the robot.
    ///
    /// - Returns: What the robot sends to that room until everything that the message caused has ended or waits for an answer.
    public func hears(_ text: String, from user: String = "alice", in room: String = "#test") async -> [Utterance] {
        await handle(.text(text), user, room)
    }

    /// Makes a user send a text with files to a room; returns what the robot sends to it.
    public func hears(
        _ text: String, with files: [Message.AttachedFile], from user: String = "alice", in room: String = "#test"
    ) async -> [Utterance] {
        await handle(.text(text), user, room) { $0.attachments = files }
    }

    /// Makes a user enter a room; returns what the robot sends to it.
    public func enters(_ user: String, in room: String = "#test") async -> [Utterance] {
        await handle(.enter, user, room)
    }

    /// Makes a user leave a room; returns what the robot sends to it.
    public func leaves(_ user: String, reason: String? = nil, in room: String = "#test") async -> [Utterance] {
        await handle(.leave(reason: reason), user, room)
    }

    /// Gives a user another name; returns what the robot sends to the room.
    ///
    /// On networks whose ids are names, that is another id.
    public func renames(_ user: String, to name: String, in room: String = "#test") async -> [Utterance] {
        await handle(.profile(Message.ProfileChange(formerName: user)), name, room)
    }

    /// Changes the topic of a room; returns what the robot sends to it.
    public func sees(topic: String, from user: String = "alice", in room: String = "#test") async -> [Utterance] {
        await handle(.topic(topic), user, room)
    }

    /// Corrects the user's last text in a room; returns what the robot sends to it.
    public func hears(
        correction text: String, from user: String = "alice", in room: String = "#test"
    ) async -> [Utterance] {
        let original = lastTexts.withLock { $0[[room, user]] }
        return await handle(.text(text), user, room) { $0.correction = original }
    }

    /// Sends a reply to one of the robot's messages, which is addressed to the robot; returns what the robot sends to the room.
    public func hears(
        _ text: String, inReplyTo message: Message.ID, from user: String = "alice", in room: String = "#test"
    ) async -> [Utterance] {
        await handle(.text(text), user, room) {
            $0.reply = Message.Reply(message: message)
            $0.isAddressed = true
        }
    }

    /// Makes a user react to a message; returns what the robot sends to the room.
    public func sees(
        reaction: Message.Reaction, from user: String = "alice", in room: String = "#test"
    ) async -> [Utterance] {
        await handle(.reaction(reaction), user, room)
    }

    /// Makes a user retract a message; returns what the robot sends to the room.
    public func sees(
        retractionOf message: Message.ID, from user: String = "alice", in room: String = "#test"
    ) async -> [Utterance] {
        await handle(.retraction(of: message), user, room)
    }

    /// Advances the clock, and fires all timers that become due, in order.
    ///
    /// - Returns: What the robot sends meanwhile.
    public func advance(by duration: Duration) async -> [SentUtterance] {
        _ = await adapter.inbox
        let before = adapter.lines.count
        let end = clock.now.advanced(by: duration)
        while let due = robot.nextTimer, due <= end.offset {
            let step = due - clock.now.offset
            clock.advance(by: max(step, .zero))
            robot.timers.fire()
            await robot.inFlight.waitUntilIdle()
        }
        clock.advance(by: clock.now.duration(to: end))
        reportUnexpectedRequests()
        return Array(adapter.lines.dropFirst(before))
    }

    /// Sends an HTTP request to the robot's routes; returns the response when everything has ended.
    ///
    /// - Parameter target: The path, with the query if there is one.
    @discardableResult
    public func receives(
        _ method: HTTPMethod, _ target: String, headers: HTTPHeaders = [:], body: HTTPRequestBody? = nil
    ) async -> WebResponse {
        _ = await adapter.inbox
        var headers = headers
        if let body, headers["Content-Type"] == nil { headers["Content-Type"] = body.type }
        let bytes = body?.bytes ?? []
        let responder = RouteResponder(robot: robot)
        let readBody = { @Sendable (_: Route, limit: Int) async throws -> [UInt8] in
            guard bytes.count <= limit else { throw WebRefusal(413, "The request body is too large.") }
            return bytes
        }
        var answer = await responder.answer(method, target, headers: headers, client: "127.0.0.1", body: readBody)
        if answer == nil {
            answer = await responder.answerUnrouted(
                method, target, headers: headers, client: "127.0.0.1", body: readBody)
        }
        await robot.inFlight.waitUntilIdle()
        reportUnexpectedRequests()
        return answer ?? .text("Not found.\n", status: 404)
    }

    // MARK: Output

    /// Everything that the robot has sent, in order.
    public var lines: [SentUtterance] { adapter.lines }

    /// Every change of a message that the robot has made, in order.
    public var changes: [SentChange] { adapter.changes }

    /// What users have seen of the robot's writing, in order: after `typing()`, and while closures worked for longer than a second.
    public var typing: [ShownTyping] { adapter.typing }

    /// Sets how far the messages come that the robot sends, for scripts that wait for that; nil if they don't even arrive.
    ///
    /// By default all of them are seen at once.
    public func deliver(upTo stage: DeliveryStage?) { adapter.confirm(upTo: stage) }

    /// Everything that the robot has sent to a room.
    public func said(in room: String) -> [Utterance] {
        lines.filter { $0.room == room }.map(\.utterance)
    }

    /// The lines it logged as warnings or errors, with their metadata.
    public var loggedProblems: [String] { log.lines(from: .warning) }

    // MARK: Examples

    /// Routes every example in the help.
    ///
    /// - Returns: A line for each example that doesn't match its own listener, and for each command without an example.
    public func brokenExamples() -> [String] {
        robot.brokenExamples()
    }

    // MARK: Implementation

    private func reportUnexpectedRequests() {
        for request in web.removeUnexpected() {
            let problem = "a script made an HTTP request that the test doesn't expect: \(request)"
            #if canImport(Testing)
                Issue.record(Comment(rawValue: problem))
            #else
                log.logger.error("\(problem)")
            #endif
        }
    }

    private func handle(
        _ content: Message.Content, _ user: String, _ room: String, _ change: (inout Message) -> Void = { _ in }
    ) async -> [Utterance] {
        guard let inbox = await adapter.inbox else { return [] }
        let before = adapter.lines.count
        var message = Message(
            id: adapter.id("\(number.add(1, ordering: .relaxed).newValue)"), user: User(id: adapter.id(user)),
            room: Room(id: adapter.id(room), isPrivate: room == user), content: content, time: robot.date)
        change(&message)
        if message.text != nil, message.correction == nil {
            lastTexts.withLock { $0[[room, user]] = message.id }
        }
        await inbox.handle(message)
        reportUnexpectedRequests()
        return adapter.lines.dropFirst(before).filter { $0.room == room }.map(\.utterance)
    }
}
