import Heybot
import Testing

@testable import CampfireAdapter

/// What is tried again, and what could be said twice by that.
@Suite(.timeLimit(.minutes(1))) struct RetryTests {
    private static let host = "chat.example.org"
    private let mute = Inline { _ in }
    private let envelope = Envelope(room: Room(id: Room.ID(adapter: "campfire", value: "1")))

    @Test(arguments: [
        (StandInCampfire.Outcome.trouble(.unreachable), Duration.seconds(1)),
        (.status(429), .seconds(1)), (.status(503), .seconds(1)),
        (.status(429, ["Retry-After": "17"]), .seconds(17)),
        (.status(503, ["Retry-After": "86400"]), .seconds(60)),
        (.status(503, ["Retry-After": "0"]), .zero),
        (.status(503, ["Retry-After": "-5"]), .seconds(1)),
        (.status(503, ["Retry-After": "Wed, 21 Oct 2026 07:28:00 GMT"]), .seconds(1))
    ])
    func `what surely wasn't taken is said again after a while`(
        outcome: StandInCampfire.Outcome, pause: Duration
    ) async throws {
        try await Bench.run(mute) { bench in
            bench.campfire.next(outcome)
            async let saying: Void = bench.adapter.deliver(.text("hi"), to: envelope)
            await bench.time.waitForSleep(of: pause)
            #expect(bench.shown == [])
            bench.time.advance(by: pause)
            try await saying
            #expect(bench.shown == ["hi"])
            #expect(bench.campfire.state.value.requests.count == 2)
        }
    }

    @Test(arguments: [
        (StandInCampfire.Outcome.trouble(.timeout), CampfireError.trouble(HTTPError(.timeout, host: host))),
        (.trouble(.broken), .trouble(HTTPError(.broken, host: host))),
        (.trouble(.untrusted), .trouble(HTTPError(.untrusted, host: host))),
        (.trouble(.tooLong), .trouble(HTTPError(.tooLong, host: host))),
        (.trouble(.redirects), .wrongKey(host: host)),
        (.oddity("https://chat.example.org/rooms/1/7-secret/messages broke"), .trouble(HTTPError(.broken, host: host))),
        (.status(301), .wrongKey(host: host)), (.status(302), .wrongKey(host: host)),
        (.status(401), .wrongKey(host: host)),
        (.status(404), .unknownRoom("1")),
        (.status(400), .refused(host: host, status: 400)), (.status(403), .refused(host: host, status: 403)),
        (.status(422), .refused(host: host, status: 422)), (.status(500), .refused(host: host, status: 500)),
        (.status(502), .refused(host: host, status: 502)), (.status(504), .refused(host: host, status: 504))
    ])
    func `what may have been said isn't said again, and the error says why`(
        outcome: StandInCampfire.Outcome, expected: CampfireError
    ) async throws {
        try await Bench.run(mute) { bench in
            bench.campfire.next(outcome)
            await #expect(throws: expected) { try await bench.adapter.deliver(.text("hi"), to: envelope) }
            #expect(bench.campfire.state.value.requests.count == 1)
            #expect(bench.time.slept == [])
        }
    }

    @Test func `it gives up after five more tries, each after a longer pause`() async throws {
        try await Bench.run(mute) { bench in
            for _ in 0..<6 { bench.campfire.next(.trouble(.unreachable)) }
            let saying = Task { try await bench.adapter.deliver(.text("hi"), to: envelope) }
            for seconds in [1, 2, 4, 8, 16] { await bench.time.pass(.seconds(seconds)) }
            await #expect(throws: CampfireError.trouble(HTTPError(.unreachable, host: Self.host))) {
                try await saying.value
            }
            #expect(bench.campfire.state.value.requests.count == 6)
            #expect(bench.shown == [])
        }
    }

    @Test func `what comes after it waits meanwhile`() async throws {
        try await Bench.run(mute) { bench in
            bench.campfire.next(.status(503))
            let first = Task { try await bench.adapter.deliver(.text("first"), to: envelope) }
            await bench.time.waitForSleep(of: .seconds(1))
            let second = Task { try await bench.adapter.deliver(.text("second"), to: envelope) }
            bench.time.advance(by: .seconds(1))
            try await first.value
            try await second.value
            #expect(bench.shown == ["first", "second"])
        }
    }

    @Test func `without polling, posts tell how it stands`() async throws {
        try await Bench.run(mute) { bench in
            let (adapter, campfire) = (bench.adapter, bench.campfire)
            let start = bench.time.date
            #expect(adapter.status == .up(since: start))
            bench.time.advance(by: .seconds(60))
            campfire.next(.status(500), .trouble(.timeout), .trouble(.broken))
            try? await adapter.deliver(.text("refused"), to: envelope)
            #expect(adapter.status == .up(since: start))
            try? await adapter.deliver(.text("lost"), to: envelope)
            let down = AdapterStatus.down(since: bench.time.date, reason: "\(Self.host) took too long to answer")
            #expect(adapter.status == down)
            bench.time.advance(by: .seconds(60))
            try? await adapter.deliver(.text("lost"), to: envelope)
            #expect("\(adapter.status)".hasSuffix("00:01:00Z: \(Self.host) broke off"))
            try await adapter.deliver(.text("said"), to: envelope)
            #expect(adapter.status == .up(since: bench.time.date))
        }
    }
}
