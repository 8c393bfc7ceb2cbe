import FoundationEssentials
public import Heybot
import Logging
import Metrics
import Synchronization

// A program whose Swift libraries are linked in has no such module, and no tests.
#if canImport(Testing)
    import Testing
#endif

/// A robot for tests: it hears what the test says, on a clock that stands still, with randomness that is repeatable.
///
/// ```swift
/// let robot = TestRobot(name: "hubot", PlusPlus())
/// #expect(await robot.hears("swift++") == [.text("swift now has 1.")])
/// ```
///
/// Its brain is empty and in memory, unless told otherwise. One thing after another: two calls at a time would mix up
/// their answers.
public final class TestRobot: Sendable {
    /// Something the robot said, and where.
    public struct Line: Hashable, Sendable {
        /// What it said.
        public let utterance: Utterance
        /// To whom, and where.
        public let envelope: Envelope

        /// The name of the room.
        public var room: String { envelope.room.name }
    }

    /// The robot itself.
    public let robot: Robot
    /// The time it lives by; ``advance(by:)`` moves it.
    public let clock = ManualClock()
    /// The web as its scripts see it, where nothing is expected unless the test says so.
    public let web: StubHTTPClient
    private let adapter = TestAdapter()
    private let log = TestLog()
    private let number = Atomic(0)

    /// - Parameters:
    ///   - admins: The names of users who are admins.
    ///   - settings: What its scripts' settings are set to, by name, as `WEATHER_KEY`.
    ///   - web: What its scripts' requests are answered with.
    ///   - seed: Chooses the random numbers; the same ones for the same seed.
    public convenience init(
        name: String = "Heybot", alias: String? = nil, admins: Set<String> = [],
        brain: Brain = Brain(store: MemoryStore()), switches: ScriptSwitches = ScriptSwitches(),
        settings: [String: String] = [:], web: StubHTTPClient = StubHTTPClient(),
        limits: Robot.Limits = Robot.Limits(), seed: UInt64 = 0, _ scripts: any Script...
    ) {
        self.init(
            name: name, alias: alias, admins: admins, brain: brain, switches: switches, settings: settings, web: web,
            limits: limits, seed: seed, scripts)
    }

    /// The same, with a list of scripts.
    public init(
        name: String = "Heybot", alias: String? = nil, admins: Set<String> = [],
        brain: Brain = Brain(store: MemoryStore()), switches: ScriptSwitches = ScriptSwitches(),
        settings: [String: String] = [:], web: StubHTTPClient = StubHTTPClient(),
        limits: Robot.Limits = Robot.Limits(), seed: UInt64 = 0, _ scripts: [any Script]
    ) {
        self.web = web
        var limits = limits
        limits.grace = .zero
        // Threads are watched in real time, of which a busy machine may take a lot for itself.
        limits.patience = max(limits.patience, .seconds(60))
        let date: @Sendable () -> Date = { [clock] in
            let seconds = clock.now.offset.components.seconds
            return Date(timeIntervalSinceReferenceDate: Double(seconds))
        }
        let robot = Robot(
            name: name, alias: alias, adapters: [adapter], brain: brain, scripts: scripts, admins: admins,
            switches: switches, settings: settings, http: web, server: nil, limits: limits, logger: log.logger,
            metrics: MetricsSystem.factory, timeline: Timeline(clock, date: date),
            generator: SeededGenerator(seed: seed), giveUp: {})
        self.robot = robot
        Task { [adapter, log] in
            do {
                try await robot.run()
            } catch {
                log.logger.error("the robot can't run: \(error)")
            }
            adapter.end()
        }
    }

    deinit { robot.stop() }

    // MARK: What happens

    /// Somebody says something; returns what the robot says in that room until all is quiet.
    ///
    /// A room named like the user is their private conversation with the robot.
    public func hears(_ text: String, from user: String = "alice", in room: String = "#test") async -> [Utterance] {
        await happens(.text(text), user, room)
    }

    /// Somebody comes into a room.
    public func enters(_ user: String, in room: String = "#test") async -> [Utterance] {
        await happens(.enter, user, room)
    }

    /// Somebody leaves a room.
    public func leaves(_ user: String, reason: String? = nil, in room: String = "#test") async -> [Utterance] {
        await happens(.leave(reason: reason), user, room)
    }

    /// Somebody changes a room's topic.
    public func sees(topic: String, from user: String = "alice", in room: String = "#test") async -> [Utterance] {
        await happens(.topic(topic), user, room)
    }

    /// Time passes: everything that is due on the way is done in its turn.
    ///
    /// Returns what the robot says meanwhile.
    public func advance(by duration: Duration) async -> [Line] {
        _ = await adapter.inbox
        let before = adapter.lines.count
        let end = clock.now.advanced(by: duration)
        while let due = robot.timers.nextDue, due <= end.offset {
            let step = due - clock.now.offset
            clock.advance(by: max(step, .zero))
            robot.timers.fire()
            await robot.activity.idle()
        }
        clock.advance(by: clock.now.duration(to: end))
        expectNothingElse()
        return Array(adapter.lines.dropFirst(before))
    }

    /// Somebody on the web asks something; returns the answer when all is quiet.
    ///
    /// - Parameter target: The path, with the query if there is one.
    @discardableResult
    public func receives(
        _ method: HTTPMethod, _ target: String, headers: HTTPHeaders = [:], body: HTTPBody? = nil
    ) async -> WebResponse {
        _ = await adapter.inbox
        var headers = headers
        if let body, headers["Content-Type"] == nil { headers["Content-Type"] = body.type }
        let bytes = body?.bytes ?? []
        let answer = await Routes(robot: robot).answer(method, target, headers: headers, client: "127.0.0.1") {
            _, limit in
            guard bytes.count <= limit else { throw WebRefusal(413, "That is more than I take.") }
            return bytes
        }
        await robot.activity.idle()
        expectNothingElse()
        return answer ?? .text("There is nothing here.\n", status: 404)
    }

    // MARK: What was said

    /// Everything the robot has said, in order.
    public var lines: [Line] { adapter.lines }

    /// Everything it has said in a room.
    public func said(in room: String) -> [Utterance] {
        lines.filter { $0.room == room }.map(\.utterance)
    }

    /// What it logged as a warning or an error, with what it is about.
    public var troubles: [String] { log.lines(from: .warning) }

    // MARK: What it promises

    /// Says every example in the help; returns a line for each that its own listener doesn't take.
    ///
    /// Commands without an example are named too: help that nothing tests may be wrong.
    public func brokenExamples() -> [String] {
        robot.brokenExamples()
    }

    // MARK: How

    private func expectNothingElse() {
        for request in web.takeUnexpected() {
            let problem = "a script asked the web for \(request), which the test doesn't expect"
            #if canImport(Testing)
                Issue.record(Comment(rawValue: problem))
            #else
                log.logger.error("\(problem)")
            #endif
        }
    }

    private func happens(_ content: Message.Content, _ user: String, _ room: String) async -> [Utterance] {
        guard let inbox = await adapter.inbox else { return [] }
        let before = adapter.lines.count
        let message = Message(
            id: Message.ID(adapter: adapter.name, value: "\(number.add(1, ordering: .relaxed).newValue)"),
            user: User(id: User.ID(adapter: adapter.name, value: user), name: user),
            room: Room(id: Room.ID(adapter: adapter.name, value: room), isPrivate: room == user),
            content: content, time: robot.date)
        await inbox.handle(message)
        expectNothingElse()
        return adapter.lines.dropFirst(before).filter { $0.room == room }.map(\.utterance)
    }
}

/// A script made of a closure.
package struct Inline: Script {
    package let name: String
    private let body: @Sendable (inout RobotBuilder) -> Void

    package init(_ name: String = "Inline", _ body: @escaping @Sendable (inout RobotBuilder) -> Void) {
        self.name = name
        self.body = body
    }

    package func register(on robot: inout RobotBuilder) { body(&robot) }
}

/// A list that closures on any thread add to.
package final class Notes: Sendable {
    private let notes = Mutex<[String]>([])

    package init() {}

    package var all: [String] { notes.withLock { $0 } }

    package func add(_ note: String) { notes.withLock { $0.append(note) } }
}

/// Random numbers that come out the same every time, for the same seed (SplitMix64).
public struct SeededGenerator: RandomNumberGenerator, Sendable {
    private var state: UInt64

    /// Begins the numbers of that seed.
    public init(seed: UInt64) {
        state = seed
    }

    public mutating func next() -> UInt64 {
        state &+= 0x9e37_79b9_7f4a_7c15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xbf58_476d_1ce4_e5b9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94d0_49bb_1331_11eb
        return mixed ^ (mixed >> 31)
    }
}
