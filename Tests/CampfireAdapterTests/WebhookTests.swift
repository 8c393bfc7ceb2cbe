import Heybot
import HeybotTesting
import Testing

@testable import CampfireAdapter

/// Who may use the webhook, and what it takes.
@Suite(.timeLimit(.minutes(15))) struct WebhookTests {
    private let echo = Inline { $0.hear(/.*/) { try await $0.send("\($0.message.text ?? "")!") } }

    @Test func `a wrong secret is like a path that isn't there`() async throws {
        try await Bench.run(echo) { bench in
            let body = StandInCampfire.message("hi", id: 1).utf8
            let unknown = await bench.server.post("/somewhere/else", body)
            #expect(unknown.status == 404)
            let secret = StandInCampfire.secret
            for path in ["\(secret)x", String(secret.dropLast()), "x", secret.uppercased(), "%00"] {
                #expect(await bench.server.post("/campfire/\(path)", body) == unknown)
            }
            #expect(await bench.server.post("/campfire", body) == unknown)
            #expect(await bench.server.post("/campfire/\(secret)", body).status == 200)
        }
    }

    @Test func `without a secret there is no webhook, nor a web server for it`() async throws {
        try await Bench.run(secret: nil, echo) { bench in
            #expect(bench.robot.routes.isEmpty)
            #expect(!bench.server.isRunning)
        }
    }

    @Test func `before it runs, and after, the webhook is told to come again`() async throws {
        let body = StandInCampfire.message("hi", id: 1)
        let answers = Watched<[WebResponse]>([])
        let adapter = try await Bench.run(
            early: { routes in
                let answer = await RouteHolder.post(routes, "/campfire/\(StandInCampfire.secret)", body.utf8)
                answers.change { $0.append(answer) }
            }, echo
        ) { bench in
            // What was turned away counts as unheard.
            #expect(await bench.campfire.call(bench.server, body)?.status == 200)
            return bench.adapter
        }
        // Without a body, or Campfire would make a file of it.
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
    func `what isn't as it should be is refused, and nothing is said`(_ body: String) async throws {
        try await Bench.run(echo) { bench in
            let answer = await bench.server.post("/campfire/\(StandInCampfire.secret)", body.utf8)
            #expect(answer.status == 400)
            #expect(bench.campfire.state.value.requests.isEmpty)
        }
    }

    @Test func `ids may be numbers or texts, and a type may be missing or new`() async throws {
        try await Bench.run(echo) { bench in
            let old =
                #"{"user":{"id":"a-1","name":"A"},"room":{"id":"1"},"message":{"id":"x_9","body":{"plain":"hi"}}}"#
            #expect(await bench.campfire.call(bench.server, old)?.text == "hi!")
            #expect(await bench.campfire.call(bench.server, #"{"type":"boost","boost":[1]}"#) == .empty)
            #expect(bench.shown == ["hi!"])
        }
    }

    @Test func `a message that comes twice is handled once, while it is being handled and after`() async throws {
        let time = TestTime()
        let count = Watched(0)
        let script = Inline { robot in
            robot.respond(/deploy/) { res in
                count.change { $0 += 1 }
                try await time.sleep(.seconds(1))
                try await res.send("Done.")
            }
        }
        try await Bench.run(in: StandInCampfire(time), script) { bench in
            let body = StandInCampfire.message("deploy", id: 5)
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

    @Test func `a button says its value, and what is said about it is posted`() async throws {
        let script = Inline { robot in
            robot.respond(/approve/) { try await $0.reply("\($0.message.id) approved") }
        }
        try await Bench.run(script) { bench in
            let answer = await bench.campfire.call(bench.server, StandInCampfire.action("approve", id: "5"))
            #expect(answer == .empty)
            await bench.campfire.waitForArrivals(1)
            #expect(
                bench.campfire.arrivals == [.init(room: "1", shown: "Ada: campfire:action-5 approved", way: .post)])
            // The same event again, and a message that has the same id.
            await bench.campfire.call(bench.server, StandInCampfire.action("approve", id: "5"))
            await bench.campfire.call(bench.server, StandInCampfire.message("approve", id: 5))
            #expect(bench.shown == ["Ada: campfire:action-5 approved", "Ada: campfire:5 approved"])
        }
    }

    @Test func `a button that is let go of says nothing`() async throws {
        try await Bench.run(echo) { bench in
            let event = StandInCampfire.action("approve", id: "5", isSelected: false)
            #expect(await bench.campfire.call(bench.server, event) == .empty)
            // The next is handled after it, were it one.
            await bench.mention("hi")
            #expect(bench.shown == ["hi!"])
        }
    }
}

extension WebResponse {
    fileprivate var text: String { String(decoding: body, as: UTF8.self) }
}
