import FoundationEssentials
import Heybot
import HeybotTesting
import Testing

@Suite(.timeLimit(.minutes(15))) struct HealthTests {
    private struct StandingAdapter: Adapter {
        let name: String
        let status: AdapterStatus
        func run(_ inbox: Inbox) async throws {}
        func deliver(_ utterance: Utterance, to envelope: Envelope) async throws {}
    }

    private func health(_ adapters: [any Adapter], isOpen: Bool = true) async throws -> Health {
        let brain = Brain(store: MemoryStore())
        if isOpen { try await brain.open() }
        return await Robot(adapters: adapters, brain: brain, scripts: []).health()
    }

    @Test func `health is good if every adapter is up and the brain answers`() async throws {
        let health = try await health([StandingAdapter(name: "irc", status: .up(since: .distantPast))])
        #expect(health.isGood)
        #expect(health.brain == "ok")
        #expect(health.adapters["irc"]?.hasPrefix("up since") == true)
        #expect(health.reasons == [])
    }

    @Test func `an adapter that has finished doesn't affect health`() async throws {
        let health = try await health([StandingAdapter(name: "shell", status: .ended(since: .distantPast))])
        #expect(health.isGood)
        #expect(health.adapters["shell"]?.hasPrefix("ended at") == true)
    }

    @Test func `an adapter that is down is a reason, and one that hasn't come up too`() async throws {
        let health = try await health([
            StandingAdapter(name: "irc", status: .down(since: .distantPast, reason: "no route")),
            StandingAdapter(name: "xmpp", status: .starting)
        ])
        #expect(!health.isGood)
        #expect(health.reasons.count == 2)
        #expect(health.reasons[0].hasSuffix("no route"))
        #expect(health.reasons[1] == "xmpp is starting")
    }

    @Test func `so is an unavailable brain`() async throws {
        let health = try await health(
            [StandingAdapter(name: "irc", status: .up(since: .distantPast))], isOpen: false)
        #expect(!health.isGood)
        #expect(health.reasons.count == 1)
        #expect(health.reasons[0].hasPrefix("the brain is unavailable: "))
    }

    @Test func `the health of a robot in two processes is that of both`() async throws {
        let gateway = Health(isGood: false, adapters: ["irc": "starting"], brain: "ok", reasons: ["irc is starting"])
        let worker = Health(
            isGood: false, adapters: ["irc": "up", "campfire": "down"], brain: "gone",
            reasons: ["irc is down", "campfire is down", "the brain is unavailable: gone"])
        let both = gateway.including(scripts: worker)
        #expect(both.adapters == ["irc": "starting", "campfire": "down"])
        #expect(both.brain == "gone")
        #expect(both.reasons == ["irc is starting", "campfire is down", "the brain is unavailable: gone"])
        #expect(!both.isGood)
        let good = Health(isGood: true, adapters: ["irc": "up"], brain: "ok", reasons: [])
        #expect(good.including(scripts: good) == good)
        let alone = good.including(scripts: nil)
        #expect(!alone.isGood)
        #expect(alone.reasons == ["the process of the scripts doesn't answer"])
    }

    @Test func `it survives encoding as JSON`() async throws {
        let health = try await health([StandingAdapter(name: "irc", status: .starting)])
        let data = try JSONEncoder().encode(health)
        #expect(try JSONDecoder().decode(Health.self, from: data) == health)
        #expect(String(decoding: data, as: UTF8.self).contains(#""ok":false"#))
    }
}
