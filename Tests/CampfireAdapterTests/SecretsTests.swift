import Heybot
import HeybotTesting
import Testing

@testable import CampfireAdapter

/// The key and the secret occur only where they belong.
@Suite(.timeLimit(.minutes(15))) struct SecretsTests {
    private typealias Configuration = CampfireAdapter.Configuration

    private func isClean(_ text: String) -> Bool {
        !text.contains(FakeCampfire.secret) && !text.contains(FakeCampfire.key) && !text.contains("kR3x9mP8qL2n")
    }

    private func dumped(_ value: Any) -> String {
        var text = ""
        dump(value, to: &text)
        return text
    }

    @Test func `descriptions omit secrets`() throws {
        let configuration = try Configuration(
            url: FakeCampfire.url, key: FakeCampfire.key, webhookSecret: FakeCampfire.secret, rooms: ["1"])
        let adapter = CampfireAdapter(configuration, http: FakeCampfire(TestTime()), robotName: "Marvin")
        let values: [Any] = [configuration, adapter, adapter.api, Optional(configuration) as Any]
        for value in values {
            #expect(isClean("\(value)"))
            #expect(isClean(String(reflecting: value)))
            #expect(isClean(dumped(value)))
        }
        #expect("\(configuration)" == "https://chat.example.org/team, with a webhook, polling 1")
    }

    @Test func `errors and logs omit secrets`() async throws {
        let campfire = FakeCampfire(TestTime())
        let url = "\(FakeCampfire.url)/rooms/1/\(FakeCampfire.key)/messages"
        let outcomes: [FakeCampfire.Outcome] = [
            .status(302, ["Location": url]), .status(401), .status(404), .status(422), .status(500), .oddity(url),
            .failure(.timeout), .failure(.broken), .failure(.redirects), .failure(.unreadable)
        ]
        let script = InlineScript { robot in
            robot.respond(/fail/) { res in try await res.send("one") }
            robot.respond(/twice/) { res in try await res.send("one", "two") }
        }
        for outcome in outcomes {
            try await CampfireHarness.run(rooms: ["1"], in: campfire, script) { bench in
                campfire.nextReads(outcome)
                bench.time.advance(by: .seconds(60))
                campfire.next(outcome, outcome, outcome, outcome)
                await bench.mention("fail")
                await bench.time.pass(.milliseconds(250))
                for _ in 0..<2 { await bench.mention("twice") }
                let envelope = Envelope(room: Room(id: Room.ID(adapter: "campfire", value: "1")))
                do {
                    try await bench.adapter.deliver(.text("hi"), to: envelope)
                } catch {
                    #expect(isClean("\(error)") && isClean(String(reflecting: error)) && isClean(dumped(error)))
                    #expect(!"\(error)".contains("\n"))
                    #expect(isClean((error as? any UserFacingError)?.userMessage ?? ""))
                }
                await bench.server.post("/campfire/\(FakeCampfire.secret)x", [])
                await bench.server.post("/campfire/\(FakeCampfire.secret)", [])
                #expect(isClean("\(bench.adapter.status)"))
                #expect(bench.log.lines().count > 3)
                for line in bench.log.lines() { #expect(isClean(line)) }
            }
        }
    }

    @Test func `configuration errors omit the value`() {
        let long = "hooked-on-campfire_16"
        let cases: [(String, String, String?, [String], CampfireAdapter.ConfigurationError)] = [
            ("chat.example.org", "7-abc", nil, [], .badURL),
            ("ftp://chat.example.org", "7-abc", nil, [], .badURL),
            ("https://", "7-abc", nil, [], .badURL), ("https:///x", "7-abc", nil, [], .badURL),
            ("https://ada:sesame@chat.example.org", "7-abc", nil, [], .badURL),
            ("https://chat.example.org?x=1", "7-abc", nil, [], .badURL),
            ("https://chat.example.org/#x", "7-abc", nil, [], .badURL),
            ("https://chat.example.org/a b", "7-abc", nil, [], .badURL),
            ("https://chat.example.org//x", "7-abc", nil, [], .badURL),
            ("https://chat.example.org\r\nX: 1", "7-abc", nil, [], .badURL),
            ("https://chat.example.org:", "7-abc", nil, [], .badURL),
            ("https://chat.example.org:+80", "7-abc", nil, [], .badURL),
            ("https://[::1", "7-abc", nil, [], .badURL), ("https://[evil]", "7-abc", nil, [], .badURL),
            ("https://chät.example.org", "7-abc", nil, [], .badURL),
            ("https://chat.example.org", "", nil, [], .badKey), ("https://chat.example.org", "7", nil, [], .badKey),
            ("https://chat.example.org", "7-", nil, [], .badKey), ("https://chat.example.org", "x-y", nil, [], .badKey),
            ("https://chat.example.org", "7-a/b", nil, [], .badKey),
            ("https://chat.example.org", "7-abc\n", nil, [], .badKey),
            ("https://chat.example.org", "7-abc", "", [], .badSecret),
            ("https://chat.example.org", "7-abc", "fifteen-letters", [], .badSecret),
            ("https://chat.example.org", "7-abc", "hooked on campfire 16", [], .badSecret),
            ("https://chat.example.org", "7-abc", "hooked-on-campfire/16", [], .badSecret),
            ("https://chat.example.org", "7-abc", long, ["1", ""], .badRoom),
            ("https://chat.example.org", "7-abc", long, ["1/7-abc/messages"], .badRoom)
        ]
        for (url, key, secret, rooms, expected) in cases {
            let error = #expect(throws: CampfireAdapter.ConfigurationError.self, "\(url) \(key)") {
                try Configuration(url: url, key: key, webhookSecret: secret, rooms: rooms)
            }
            #expect(error == expected, "\(url) \(key) \(secret ?? "")")
            #expect(error.map { !"\($0)".contains("sesame") && !"\($0)".contains("7-abc") } == true)
        }
    }

    @Test(arguments: [
        ("https://chat.example.org", "https://chat.example.org"),
        ("https://chat.example.org/", "https://chat.example.org"),
        ("HTTP://localhost:3000//", "HTTP://localhost:3000"),
        ("https://example.org/team/chat/", "https://example.org/team/chat"),
        ("http://[::1]:3000/", "http://[::1]:3000")
    ])
    func `a URL may have a trailing slash`(given: String, taken: String) throws {
        let configuration = try Configuration(url: given, key: "7-a_b-c", rooms: ["1", "2", "1"])
        #expect(configuration.url == taken)
        #expect(configuration.rooms == ["1", "2"])
    }
}
