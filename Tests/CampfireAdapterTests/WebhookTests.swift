import Heybot
import HeybotTesting
import Testing

@testable import CampfireAdapter

/// Who may call the webhook, and what it accepts.
@Suite(.timeLimit(.minutes(15))) struct WebhookTests {
    private let echo = InlineScript { $0.hear(/.*/) { try await $0.send("\($0.message.text ?? "")!") } }

    @Test func `a wrong secret is a 404`() async throws {
        try await CampfireHarness.run(echo) { bench in
            let body = FakeCampfire.message("hi", id: 1).utf8
            let unknown = await bench.server.post("/somewhere/else", body)
            #expect(unknown.status == 404)
            let secret = FakeCampfire.secret
            for path in ["\(secret)x", String(secret.dropLast()), "x", secret.uppercased(), "%00"] {
                #expect(await bench.server.post("/campfire/\(path)", body) == unknown)
            }
            #expect(await bench.server.post("/campfire", body) == unknown)
            #expect(await bench.server.post("/campfire/\(secret)", body).status == 200)
        }
    }

    @Test func `without a secret there is no webhook, and no web server for it`() async throws {
        try await CampfireHarness.run(secret: nil, echo) { bench in
            #expect(bench.robot.routes.isEmpty)
            #expect(!bench.server.isRunning)
        }
    }

    @Test func `before and after the adapter runs, the webhook responds with 503`() async throws {
        let body = FakeCampfire.message("hi", id: 1)
        let answers = ObservedValue<[WebResponse]>([])
        let adapter = try await CampfireHarness.run(
            early: { routes in
                let answer = await InMemoryHTTPServer.post(routes, "/campfire/\(FakeCampfire.secret)", body.utf8)
                answers.change { $0.append(answer) }
            }, echo
        ) { bench in
            // A rejected message may be sent again.
            #expect(await bench.campfire.call(bench.server, body)?.status == 200)
            return bench.adapter
        }
        // Without a body, because Campfire would post it as a file.
        #expect(answers.value == [WebResponse(status: 503)])
        #expect(await adapter.answer(.unknown) == WebResponse(status: 503))
    }

    @Test(arguments: [
        "", "{", "[]", "null", "7", "{}",
        #"{"type":7,"user":{"id":1,"name":"A"},"room":{"id":1,"name":"R"},"message":{"id":1,"body":{"plain":"x"}}}"#,
        #"{"user":{"id":1,"name":"A"},"room":{"id":1,"name":"R"},"message":{"id":1,"body":{"plain":7}}}"#,
        #"{"user":{"id":1,"name":"A"},"room":{"id":1,"name":"R"},"message":{"id":1,"body":{}}}"#,
        #"{"user":{"id":1,"name":"A"},"room":{"id":1,"name":"R"},"message":{"id":1,"body":"x"}}"#,
        #"{"user":{"id":1,"name":"A"},"room":{"id":1,"name":"R"},"message":{"body":{"plain":"x"}}}"#,
        #"{"user":{"id":1,"name":"A"},"room":{"id":"../1","name":"R"},"message":{"id":1,"body":{"plain":"x"}}}"#,
        #"{"user":{"id":1,"name":"A"},"room":{"id":"","name":"R"},"message":{"id":1,"body":{"plain":"x"}}}"#,
        #"{"user":{"id":1.5,"name":"A"},"room":{"id":1,"name":"R"},"message":{"id":1,"body":{"plain":"x"}}}"#,
        #"{"user":{"id":true,"name":"A"},"room":{"id":1,"name":"R"},"message":{"id":1,"body":{"plain":"x"}}}"#,
        #"{"user":{"id":1},"room":{"id":1,"name":"R"},"message":{"id":1,"body":{"plain":"x"}}}"#,
        #"{"user":null,"room":{"id":1,"name":"R"},"message":{"id":1,"body":{"plain":"x"}}}"#,
        #"{"user":{"id":1,"name":"A"},"message":{"id":1,"body":{"plain":"x"}}}"#,
        #"{"type":"action","user":{"id":1,"name":"A"},"room":{"id":1},"action":{"value":"x","selected":true}}"#,
        #"{"type":"action","id":1,"user":{"id":1,"name":"A"},"room":{"id":1},"action":{"value":"x"}}"#,
        #"{"type":"action","id":1,"user":{"id":1,"name":"A"},"room":{"id":1},"action":{"value":7,"selected":true}}"#
    ])
    func `invalid events are rejected without a message`(_ body: String) async throws {
        try await CampfireHarness.run(echo) { bench in
            let answer = await bench.server.post("/campfire/\(FakeCampfire.secret)", body.utf8)
            #expect(answer.status == 400)
            #expect(bench.campfire.state.value.requests.isEmpty)
        }
    }

    @Test func `ids may be numbers or texts, and a type may be missing or unknown`() async throws {
        try await CampfireHarness.run(echo) { bench in
            let old =
                #"{"user":{"id":"a-1","name":"A"},"room":{"id":"1"},"message":{"id":"x_9","body":{"plain":"hi"}}}"#
            #expect(await bench.campfire.call(bench.server, old)?.text == "hi!")
            #expect(await bench.campfire.call(bench.server, #"{"type":"boost","boost":[1]}"#) == .empty)
            #expect(bench.shown == ["hi!"])
        }
    }

    @Test func `a duplicate message is handled once, during and after its handling`() async throws {
        let time = TestTime()
        let count = ObservedValue(0)
        let script = InlineScript { robot in
            robot.respond(/deploy/) { res in
                count.change { $0 += 1 }
                try await time.sleep(.seconds(1))
                try await res.send("Done.")
            }
        }
        try await CampfireHarness.run(in: FakeCampfire(time), script) { bench in
            let body = FakeCampfire.message("deploy", id: 5)
            async let first = bench.campfire.call(bench.server, body)
            await time.waitForSleep(of: .seconds(1))
            #expect(await bench.campfire.call(bench.server, body) == .empty)
            await time.pass(.seconds(1))
            #expect(await first?.status == 200)
            #expect(await bench.campfire.call(bench.server, body) == .empty)
            #expect(bench.shown == ["Done."])
            #expect(count.value == 1)
        }
    }

    @Test func `a button's value is a message, and the answer is posted`() async throws {
        let script = InlineScript { robot in
            robot.respond(/approve/) { try await $0.reply("\($0.message.id) approved") }
        }
        try await CampfireHarness.run(script) { bench in
            let answer = await bench.campfire.call(bench.server, FakeCampfire.action("approve", id: "5"))
            #expect(answer == .empty)
            await bench.campfire.waitForArrivals(1)
            #expect(
                bench.campfire.arrivals == [.init(room: "1", shown: "Ada: campfire:action-5 approved", way: .post)])
            // A duplicate, and a message with the same id.
            await bench.campfire.call(bench.server, FakeCampfire.action("approve", id: "5"))
            await bench.campfire.call(bench.server, FakeCampfire.message("approve", id: 5))
            #expect(bench.shown == ["Ada: campfire:action-5 approved", "Ada: campfire:5 approved"])
        }
    }

    @Test func `a deselected button is ignored`() async throws {
        try await CampfireHarness.run(echo) { bench in
            let event = FakeCampfire.action("approve", id: "5", isSelected: false)
            #expect(await bench.campfire.call(bench.server, event) == .empty)
            // If it were a message, this one would be handled after it.
            await bench.mention("hi")
            #expect(bench.shown == ["hi!"])
        }
    }
}

extension WebResponse {
    fileprivate var text: String { String(decoding: body, as: UTF8.self) }
}
