import FoundationEssentials
import Heybot
import HeybotTesting
import TestServers

@testable import CampfireAdapter

/// A robot named Marvin with its adapter, in a fake Campfire, with a manual clock.
struct CampfireHarness: Sendable {
    let time: TestTime
    let campfire: FakeCampfire
    let server: InMemoryHTTPServer
    private let bot: NetworkBot<CampfireAdapter>
    private let dates: ObservedValue<Int>

    private init(
        _ time: TestTime, _ campfire: FakeCampfire, secret: String?, rooms: [String], key: String,
        grace: Duration, _ early: @escaping @Sendable (RouteResponder) async -> Void, _ script: any Script,
        admins: Set<String>
    ) throws {
        self.time = time
        self.campfire = campfire
        let dates = ObservedValue(0)
        self.dates = dates
        let server = InMemoryHTTPServer(early: early)
        self.server = server
        var limits = Robot.Limits()
        limits.disconnectTimeout = grace
        limits.stallThreshold = .seconds(60)
        bot = try NetworkBot(
            name: "Marvin", limits: limits, grace: grace, admins: admins, server: server, scripts: { [$0, script] }
        ) { logger in
            CampfireAdapter(
                try CampfireAdapter.Configuration(
                    url: FakeCampfire.url, key: key, webhookSecret: secret, rooms: rooms),
                http: campfire, name: "campfire", robotName: "Marvin", sleep: time.sleep,
                date: {
                    dates.change { $0 += 1 }
                    return time.date
                }, logger: logger)
        }
    }

    var adapter: CampfireAdapter { bot.adapter }
    var log: TestLog { bot.log }
    var robot: Robot { bot.robot }

    /// Runs `body` while the robot runs.
    @discardableResult
    static func run<Result: Sendable>(
        secret: String? = FakeCampfire.secret, rooms: [String] = [], key: String = FakeCampfire.key,
        in campfire: FakeCampfire = FakeCampfire(TestTime()), grace: Duration = .zero,
        early: @escaping @Sendable (RouteResponder) async -> Void = { _ in }, admins: Set<String> = [],
        _ script: any Script, _ body: (CampfireHarness) async throws -> Result
    ) async throws -> Result {
        let bench = try CampfireHarness(
            campfire.time, campfire, secret: secret, rooms: rooms, key: key, grace: grace, early, script,
            admins: admins)
        return try await withBot(bench.bot) { _ in
            // The adapter asks for the date when its status changes.
            await bench.dates.wait { $0 > 0 }
            return try await body(bench)
        }
    }

    /// Waits until a text has been logged.
    func logs(_ text: String) async throws { try await bot.logs(text) }

    /// Has a user mention the robot, and returns the webhook's response.
    @discardableResult
    func mention(_ text: String, in room: String = "1") async -> WebResponse? {
        await campfire.mention(text, in: room, at: server)
    }

    var shown: [String] { campfire.shown() }
    var ways: [FakeCampfire.Arrival.Way] { campfire.arrivals.map(\.way) }
}
