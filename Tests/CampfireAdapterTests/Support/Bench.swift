import FoundationEssentials
import Heybot
import HeybotTesting

@testable import CampfireAdapter

/// A script made of a closure.
struct Inline: Script {
    let name = "Inline"
    let body: @Sendable (inout RobotBuilder) -> Void

    init(_ body: @escaping @Sendable (inout RobotBuilder) -> Void) {
        self.body = body
    }

    func register(on robot: inout RobotBuilder) { body(&robot) }
}

/// A robot called Marvin with its adapter, in a Campfire, on a clock that stands still.
struct Bench: Sendable {
    let time: TestTime
    let campfire: StandInCampfire
    let log: KeptLog
    let server: RouteHolder
    let adapter: CampfireAdapter
    let robot: Robot
    private let dates: Watched<Int>

    private init(
        _ time: TestTime, _ campfire: StandInCampfire, secret: String?, rooms: [String], key: String,
        grace: Duration, _ early: @escaping @Sendable (Routes) async -> Void, _ script: any Script, admins: Set<String>
    ) throws {
        self.time = time
        self.campfire = campfire
        let (log, dates) = (KeptLog(), Watched(0))
        self.log = log
        self.dates = dates
        server = RouteHolder(early: early)
        adapter = CampfireAdapter(
            try CampfireAdapter.Configuration(
                url: StandInCampfire.url, key: key, webhookSecret: secret, rooms: rooms),
            http: campfire, name: "campfire", robotName: "Marvin", sleep: time.sleep,
            date: {
                dates.change { $0 += 1 }
                return time.date
            }, logger: log.logger)
        var limits = Robot.Limits()
        limits.grace = grace
        limits.farewell = grace
        limits.patience = .seconds(60)
        robot = Robot(
            name: "Marvin", adapters: [adapter], brain: Brain(store: MemoryStore()), scripts: [adapter, script],
            admins: admins, server: server, limits: limits, logger: log.logger)
    }

    /// Does it while such a robot runs.
    @discardableResult
    static func run<Result: Sendable>(
        secret: String? = StandInCampfire.secret, rooms: [String] = [], key: String = StandInCampfire.key,
        in campfire: StandInCampfire = StandInCampfire(TestTime()), grace: Duration = .zero,
        early: @escaping @Sendable (Routes) async -> Void = { _ in }, admins: Set<String> = [],
        _ script: any Script, _ body: (Bench) async throws -> Result
    ) async throws -> Result {
        let bench = try Bench(
            campfire.time, campfire, secret: secret, rooms: rooms, key: key, grace: grace, early, script,
            admins: admins)
        let running = Task { try await bench.robot.run() }
        // It asks for the date when it is up, or knows that it isn't.
        await bench.dates.wait { $0 > 0 }
        defer { bench.robot.stop() }
        let result = try await body(bench)
        bench.robot.stop()
        try await running.value
        return result
    }

    /// Somebody mentions the robot; returns what its webhook answered.
    @discardableResult
    func mention(_ text: String, in room: String = "1") async -> WebResponse? {
        await campfire.mention(text, in: room, at: server)
    }

    var shown: [String] { campfire.shown() }
    var ways: [StandInCampfire.Arrival.Way] { campfire.arrivals.map(\.way) }
}
