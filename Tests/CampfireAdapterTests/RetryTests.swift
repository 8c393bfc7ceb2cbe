import Heybot
import HeybotTesting
import Testing

@testable import CampfireAdapter

/// What is retried, without posting anything twice.
@Suite(.timeLimit(.minutes(15))) struct RetryTests {
    private static let host = "chat.example.org"
    private let mute = InlineScript { _ in }
    private let envelope = Envelope(room: Room(id: Room.ID(adapter: "campfire", value: "1")))

    @Test(arguments: [
        (FakeCampfire.Outcome.failure(.unreachable), Duration.seconds(1)),
        (.status(429), .seconds(1)), (.status(503), .seconds(1)),
        (.status(429, ["Retry-After": "17"]), .seconds(17)),
        (.status(503, ["Retry-After": "86400"]), .seconds(60)),
        (.status(503, ["Retry-After": "0"]), .zero),
        (.status(503, ["Retry-After": "-5"]), .seconds(1)),
        (.status(503, ["Retry-After": "Wed, 21 Oct 2026 07:28:00 GMT"]), .seconds(1))
    ])
    func `a post that certainly failed is retried`(
        outcome: FakeCampfire.Outcome, pause: Duration
    ) async throws {
        try await CampfireHarness.run(mute) { bench in
            bench.campfire.next(outcome)
            async let saying: Void = bench.adapter.deliver(.text("hi"), to: envelope)
            await bench.time.waitForSleep(of: pause)
            #expect(bench.shown == [])
            bench.time.advance(by: pause)
            try await saying
            await bench.campfire.waitForArrivals(1)
            #expect(bench.shown == ["hi"])
            #expect(bench.campfire.state.value.requests.count == 2)
        }
    }

    @Test(arguments: [
        (FakeCampfire.Outcome.failure(.untrusted), CampfireError.requestFailed(HTTPError(.untrusted, host: host))),
        (.failure(.tooLong), .requestFailed(HTTPError(.tooLong, host: host))),
        (.failure(.redirects), .wrongKey(host: host)),
        (.status(301), .wrongKey(host: host)), (.status(302), .wrongKey(host: host)),
        (.status(401), .wrongKey(host: host)),
        (.status(404), .unknownRoom("1")),
        (.status(400), .refused(host: host, status: 400)), (.status(403), .refused(host: host, status: 403)),
        (.status(422), .refused(host: host, status: 422))
    ])
    func `a permanent failure isn't retried, and is reported`(
        outcome: FakeCampfire.Outcome, expected: CampfireError
    ) async throws {
        try await CampfireHarness.run(mute) { bench in
            bench.campfire.next(outcome)
            await #expect(throws: expected) { try await bench.adapter.deliver(.text("hi"), to: envelope) }
            #expect(bench.campfire.state.value.requests.count == 1)
            #expect(bench.time.slept == [])
        }
    }

    @Test(arguments: [
        FakeCampfire.Outcome.failure(.timeout), .failure(.broken), .status(500), .status(502), .status(504),
        .oddity("https://chat.example.org/rooms/1/7-secret/messages broke")
    ])
    func `after an unclear failure, a missing post is sent again`(_ outcome: FakeCampfire.Outcome) async throws {
        try await CampfireHarness.run(mute) { bench in
            try await bench.adapter.deliver(.text("hi"), to: envelope)
            bench.campfire.next(outcome)
            try await bench.adapter.deliver(.text("hi"), to: envelope)
            await bench.time.pass(.seconds(1))
            await bench.campfire.waitForArrivals(2)
            #expect(bench.shown == ["hi", "hi"])
            #expect(bench.campfire.state.value.reads == 1)
        }
    }

    @Test(arguments: [500, 502, 504])
    func `after an unclear failure, a shown post isn't sent again`(_ status: Int) async throws {
        try await CampfireHarness.run(mute) { bench in
            try await bench.adapter.deliver(.text("a <b>\n  c"), to: envelope)
            bench.campfire.next(.said(status))
            try await bench.adapter.deliver(.text("a <b>\n  c"), to: envelope)
            try await bench.adapter.deliver(.text("after"), to: envelope)
            await bench.time.pass(.seconds(1))
            await bench.campfire.waitForArrivals(3)
            #expect(bench.shown == ["a <b>\n  c", "a <b>\n  c", "after"])
        }
    }

    @Test func `if bots can't read, an unclear post isn't sent again`() async throws {
        let campfire = FakeCampfire(TestTime())
        campfire.state.change { $0.form = .none }
        try await CampfireHarness.run(in: campfire, mute) { bench in
            campfire.next(.status(500))
            try await bench.adapter.deliver(.text("hi"), to: envelope)
            await bench.time.pass(.seconds(1))
            try await bench.logs(
                "couldn't send a message to room 1: \(Self.host) answered with status 500")
            #expect(bench.shown == [])
        }
    }

    @Test func `it gives up after nine retries with growing delays, and logs it`() async throws {
        try await CampfireHarness.run(mute) { bench in
            for _ in 0..<10 { bench.campfire.next(.failure(.unreachable)) }
            try await bench.adapter.deliver(.text("hi"), to: envelope)
            for seconds in [1, 2, 4, 8, 16, 32, 60, 60, 60] { await bench.time.pass(.seconds(seconds)) }
            try await bench.logs("couldn't send a message to room 1: \(Self.host) can't be reached")
            #expect(bench.campfire.state.value.requests.count == 10)
            #expect(bench.shown == [])
        }
    }

    @Test func `an outage longer than a script's deadline loses no answer`() async throws {
        let script = InlineScript { robot in
            robot.respond(/ask (?<what>\w+)/) { res in
                try await res.send("one \(res.match.what)")
                try await res.send("two \(res.match.what)")
            }
        }
        try await CampfireHarness.run(script) { bench in
            for _ in 0..<6 { bench.campfire.next(.failure(.unreachable)) }
            // The second text makes the first one a post instead of the webhook's response.
            await bench.mention("ask a")
            await bench.mention("ask b")
            for seconds in [1, 2, 4, 8, 16, 32] { await bench.time.pass(.seconds(seconds)) }
            await bench.campfire.waitForArrivals(4)
            #expect(bench.shown == ["one a", "two a", "one b", "two b"])
            #expect(bench.log.lines(from: .error) == [])
        }
    }

    @Test func `a stopped robot stops retrying, and logs what is lost`() async throws {
        let log = try await CampfireHarness.run(grace: .seconds(600), mute) { bench in
            bench.campfire.next(.failure(.unreachable))
            try await bench.adapter.deliver(.text("hi"), to: envelope)
            await bench.time.waitForSleep(of: .seconds(1))
            return bench.log
        }
        #expect(log.lines(from: .error).count == 1)
    }

    @Test func `a wrong key is logged as in the guide`() async throws {
        try await CampfireHarness.run(key: "7-wrong", mute) { bench in
            await #expect(throws: CampfireError.wrongKey(host: Self.host)) {
                try await bench.adapter.deliver(.text("hi"), to: envelope)
            }
            try await bench.logs(
                "couldn't send a message to room 1: \(Self.host) rejected the bot's key")
        }
    }

    @Test func `later posts to the room wait for a retry`() async throws {
        try await CampfireHarness.run(mute) { bench in
            bench.campfire.next(.status(503))
            let first = Task { try await bench.adapter.deliver(.text("first"), to: envelope) }
            await bench.time.waitForSleep(of: .seconds(1))
            let second = Task { try await bench.adapter.deliver(.text("second"), to: envelope) }
            bench.time.advance(by: .seconds(1))
            try await first.value
            try await second.value
            await bench.campfire.waitForArrivals(2)
            #expect(bench.shown == ["first", "second"])
        }
    }

    @Test func `without polling, posts determine the status`() async throws {
        try await CampfireHarness.run(mute) { bench in
            let (adapter, campfire) = (bench.adapter, bench.campfire)
            let start = bench.time.date
            #expect(adapter.status == .up(since: start))
            bench.time.advance(by: .seconds(60))
            campfire.next(.status(422), .failure(.untrusted), .failure(.tooLong))
            try? await adapter.deliver(.text("refused"), to: envelope)
            #expect(adapter.status == .up(since: start))
            try? await adapter.deliver(.text("lost"), to: envelope)
            let down = AdapterStatus.down(since: bench.time.date, reason: "\(Self.host) can't be trusted")
            #expect(adapter.status == down)
            bench.time.advance(by: .seconds(60))
            try? await adapter.deliver(.text("lost"), to: envelope)
            #expect("\(adapter.status)".hasSuffix("00:01:00Z: \(Self.host) sent a response that is too long"))
            try await adapter.deliver(.text("said"), to: envelope)
            #expect(adapter.status == .up(since: bench.time.date))
        }
    }
}
