import Heybot
import Synchronization
import Testing

@testable import CampfireAdapter

/// The preflight check of a Campfire.
@Suite struct PreflightTests {
    private func check(
        _ campfire: FakeCampfire, rooms: [String] = [], key: String = FakeCampfire.key, secret: String? = nil
    ) async throws -> [PreflightCheckResult] {
        let adapter = CampfireAdapter(
            try CampfireAdapter.Configuration(
                url: FakeCampfire.url, key: key, webhookSecret: secret, rooms: rooms),
            http: campfire, robotName: "Marvin")
        let steps = Mutex<[PreflightCheckResult]>([])
        await adapter.check(within: .testLimit) { step in steps.withLock { $0.append(step) } }
        #expect(campfire.arrivals.isEmpty)
        return steps.withLock { $0 }
    }

    @Test func `readable rooms, and one that isn't`() async throws {
        let steps = try await check(FakeCampfire(TestTime()), rooms: ["1", "9", "2"])
        #expect(
            steps == [
                PreflightCheckResult(FakeCampfire.url, .passed("reachable, and the bot's key is valid")),
                PreflightCheckResult("room 1", .passed("it can be read")),
                PreflightCheckResult(
                    "room 9",
                    .failed(
                        "there is no such room, the bot isn't in it, or Campfire is too old to let bots read rooms",
                        fix: "add the bot to the room, or remove the room from rooms")),
                PreflightCheckResult("room 2", .passed("it can be read"))
            ])
    }

    @Test func `the key is checked even without rooms`() async throws {
        let good = try await check(FakeCampfire(TestTime()), secret: FakeCampfire.secret)
        #expect(good.first == PreflightCheckResult(FakeCampfire.url, .passed("reachable, and the bot's key is valid")))
        #expect(good.map(\.subject) == [FakeCampfire.url, "webhook"])
        let wrong = try await check(FakeCampfire(TestTime()), key: "7-hemmelig", secret: FakeCampfire.secret)
        #expect(
            wrong == [
                PreflightCheckResult(
                    FakeCampfire.url,
                    .failed(
                        "the bot's key is invalid",
                        fix: "check key, and whether url should begin with http or https"))
            ])
    }

    @Test func `an unreachable Campfire is one row`() async throws {
        let campfire = FakeCampfire(TestTime())
        campfire.nextReads(.failure(.unreachable))
        let steps = try await check(campfire, rooms: ["1", "2"])
        #expect(steps.count == 1)
        guard case .failed(_, let fix) = steps.first?.outcome else {
            Issue.record("\(steps)")
            return
        }
        #expect(fix == "check url, and that Campfire is up")
    }
}
