import FoundationEssentials
import Heybot
import HeybotTesting
import TestServers

@testable import CampfireAdapter

/// A robot called Marvin with its adapter, in a Campfire, on a clock that stands still.
struct Bench: Sendable {
    let time: TestTime
    let campfire: StandInCampfire
    let server: RouteHolder
    private let bot: NetworkBot<CampfireAdapter>
    private let dates: Watched<Int>

    private init(
        _ time: TestTime, _ campfire: StandInCampfire, secret: String?, rooms: [String], key: String,
        grace: Duration, _ early: @escaping @Sendable (Routes) async -> Void, _ script: any Script, admins: Set<String>
    ) throws {
        self.time = time
        self.campfire = campfire
        let dates = Watched(0)
        self.dates = dates
        let server = RouteHolder(early: early)
        self.server = server
        var limits = Robot.Limits()
        limits.farewell = grace
        limits.patience = .seconds(60)
        bot = try NetworkBot(
            name: "Marvin", limits: limits, grace: grace, admins: admins, server: server, scripts: { [$0, script] }
        ) { logger in
            CampfireAdapter(
                try CampfireAdapter.Configuration(
                    url: StandInCampfire.url, key: key, webhookSecret: secret, rooms: rooms),
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
        return try await withBot(bench.bot) { _ in
            // It asks for the date when it is up, or knows that it isn't.
            await bench.dates.wait { $0 > 0 }
            return try await body(bench)
        }
    }

    /// Returns as soon as it has logged that.
    func logs(_ text: String) async throws { try await bot.logs(text) }

    /// Somebody mentions the robot; returns what its webhook answered.
    @discardableResult
    func mention(_ text: String, in room: String = "1") async -> WebResponse? {
        await campfire.mention(text, in: room, at: server)
    }

    var shown: [String] { campfire.shown() }
    var ways: [StandInCampfire.Arrival.Way] { campfire.arrivals.map(\.way) }
}
