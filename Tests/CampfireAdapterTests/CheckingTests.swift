import Heybot
import Synchronization
import Testing

@testable import CampfireAdapter

/// What a check finds out of a Campfire.
@Suite struct CheckingTests {
    private func check(
        _ campfire: StandInCampfire, rooms: [String] = [], key: String = StandInCampfire.key, secret: String? = nil
    ) async throws -> [CheckStep] {
        let adapter = CampfireAdapter(
            try CampfireAdapter.Configuration(
                url: StandInCampfire.url, key: key, webhookSecret: secret, rooms: rooms),
            http: campfire, robotName: "Marvin")
        let steps = Mutex<[CheckStep]>([])
        await adapter.check(within: .testLimit) { step in steps.withLock { $0.append(step) } }
        #expect(campfire.arrivals.isEmpty)
        return steps.withLock { $0 }
    }

    @Test func `rooms that can be read, and one that can't`() async throws {
        let steps = try await check(StandInCampfire(TestTime()), rooms: ["1", "9", "2"])
        #expect(
            steps == [
                CheckStep(StandInCampfire.url, .passed("it answers, and takes the bot's key")),
                CheckStep("room 1", .passed("it can be read")),
                CheckStep(
                    "room 9",
                    .failed(
                        "there is no such room, or the bot isn't in it, or this Campfire is too old to be read",
                        cure: "add the bot to the room, or take it out of rooms")),
                CheckStep("room 2", .passed("it can be read"))
            ])
    }

    @Test func `without rooms the key is looked at all the same`() async throws {
        let good = try await check(StandInCampfire(TestTime()), secret: StandInCampfire.secret)
        #expect(good.first == CheckStep(StandInCampfire.url, .passed("it answers, and takes the bot's key")))
        #expect(good.map(\.subject) == [StandInCampfire.url, "webhook"])
        let wrong = try await check(StandInCampfire(TestTime()), key: "7-hemmelig", secret: StandInCampfire.secret)
        #expect(
            wrong == [
                CheckStep(
                    StandInCampfire.url,
                    .failed(
                        "it doesn't know the bot's key",
                        cure: "check key, and http or https in url"))
            ])
    }

    @Test func `a Campfire that is away is one row`() async throws {
        let campfire = StandInCampfire(TestTime())
        campfire.nextReads(.trouble(.unreachable))
        let steps = try await check(campfire, rooms: ["1", "2"])
        #expect(steps.count == 1)
        guard case .failed(_, let cure) = steps.first?.outcome else {
            Issue.record("\(steps)")
            return
        }
        #expect(cure == "check url, and that the Campfire is up")
    }
}
