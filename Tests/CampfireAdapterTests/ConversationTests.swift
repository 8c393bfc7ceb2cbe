import Heybot
import HeybotTesting
import StandardScripts
import Testing

@testable import CampfireAdapter

/// What users see in a room when they mention the robot.
@Suite(.timeLimit(.minutes(15))) struct ConversationTests {
    @Test func `a quick answer is the webhook's response`() async throws {
        let script = InlineScript { $0.respond(/ping/) { try await $0.reply("pong") } }
        try await CampfireHarness.run(script) { bench in
            let answer = await bench.mention("ping")
            #expect(answer?.headers["Content-Type"] == "text/plain; charset=utf-8")
            #expect(bench.campfire.arrivals == [.init(room: "1", shown: "Ada: pong", way: .answer)])
        }
    }

    @Test func `an unanswered message gets an empty response`() async throws {
        try await CampfireHarness.run(InlineScript { _ in }) { bench in
            #expect(await bench.mention("ping") == .empty)
            #expect(bench.shown == [])
        }
    }

    @Test func `two utterances are both posted, in order`() async throws {
        let script = InlineScript { $0.respond(/count/) { try await $0.send("one", "two", "three") } }
        try await CampfireHarness.run(script) { bench in
            #expect(await bench.mention("count") == .empty)
            await bench.campfire.waitForArrivals(3)
            #expect(bench.shown == ["one", "two", "three"])
            #expect(Set(bench.ways) == [.post])
        }
    }

    @Test func `a slow answer is posted, and Campfire doesn't time out`() async throws {
        let time = TestTime()
        let script = InlineScript { robot in
            robot.respond(/think/) { res in
                try await time.sleep(.seconds(20))
                try await res.send("42")
            }
        }
        try await CampfireHarness.run(in: FakeCampfire(time), script) { bench in
            async let answer = bench.mention("think")
            await time.waitForSleep(of: .seconds(20))
            await time.waitForSleep(of: .seconds(7))
            await time.pass(.seconds(6))
            #expect(await answer == .empty)
            time.advance(by: .seconds(14))
            await bench.campfire.waitForArrivals(1)
            #expect(bench.campfire.arrivals == [.init(room: "1", shown: "42", way: .post)])
        }
    }

    @Test func `a text before long work is the response after half a second`() async throws {
        let time = TestTime()
        let script = InlineScript { robot in
            robot.respond(/deploy/) { res in
                try await res.send("On it.")
                try await time.sleep(.seconds(20))
                try await res.send("Done.")
            }
        }
        try await CampfireHarness.run(in: FakeCampfire(time), script) { bench in
            async let answer = bench.mention("deploy")
            await time.waitForSleep(of: .seconds(20))
            await time.waitForSleep(of: .milliseconds(500))
            time.advance(by: .milliseconds(499))
            #expect(bench.shown == [])
            time.advance(by: .milliseconds(1))
            #expect(await answer?.status == 200)
            await time.pass(.milliseconds(250))
            time.advance(by: .seconds(20))
            await bench.campfire.waitForArrivals(2)
            #expect(bench.shown == ["On it.", "Done."])
            #expect(bench.ways == [.answer, .post])
        }
    }

    @Test func `two texts within half a second are both posted, and the webhook responds`() async throws {
        let time = TestTime()
        let script = InlineScript { robot in
            robot.respond(/deploy/) { res in
                try await res.send("On it.")
                try await time.sleep(.milliseconds(300))
                try await res.send("Nearly.")
                try await time.sleep(.seconds(20))
            }
        }
        try await CampfireHarness.run(in: FakeCampfire(time), script) { bench in
            async let answer = bench.mention("deploy")
            await time.pass(.milliseconds(300))
            #expect(await answer == .empty)
            await bench.campfire.waitForArrivals(2)
            #expect(bench.shown == ["On it.", "Nearly."])
            #expect(bench.ways == [.post, .post])
        }
    }

    @Test func `a text just before the deadline is the response at the deadline`() async throws {
        let time = TestTime()
        let script = InlineScript { robot in
            robot.respond(/think/) { res in
                try await time.sleep(.milliseconds(5_800))
                try await res.send("42")
                try await time.sleep(.seconds(20))
            }
        }
        try await CampfireHarness.run(in: FakeCampfire(time), script) { bench in
            async let answer = bench.mention("think")
            await time.waitForSleep(of: .seconds(6))
            await time.pass(.milliseconds(5_800))
            await time.waitForSleep(of: .milliseconds(500))
            time.advance(by: .milliseconds(200))
            #expect(await answer?.status == 200)
            #expect(bench.shown == ["42"])
        }
    }

    @Test func `a question is asked in the webhook's response, and answered by the next message`() async throws {
        let script = InlineScript { robot in
            robot.respond(/book/) { res in try await res.send("Booked for \(try await res.ask("When?")).") }
        }
        try await CampfireHarness.run(script) { bench in
            await bench.mention("book")
            await bench.time.pass(.milliseconds(250))
            await bench.mention("noon")
            await bench.campfire.waitForArrivals(2)
            #expect(bench.shown == ["Ada: When?", "Booked for noon."])
        }
    }

    @Test func `messages after a response wait for it to arrive`() async throws {
        let script = InlineScript { $0.respond(/ping/) { try await $0.send("pong") } }
        try await CampfireHarness.run(script) { bench in
            await bench.mention("ping")
            let posting = Task { try await bench.robot.messageRoom("1", "news") }
            await bench.time.waitForSleep(of: .milliseconds(250))
            #expect(bench.shown == ["pong"])
            bench.time.advance(by: .milliseconds(250))
            try await posting.value
            #expect(bench.shown == ["pong", "news"])
        }
    }

    @Test func `another message in the room releases a held text, in order`() async throws {
        let time = TestTime()
        let script = InlineScript { robot in
            robot.respond(/deploy/) { res in
                try await res.send("On it.")
                try await time.sleep(.seconds(20))
            }
        }
        try await CampfireHarness.run(in: FakeCampfire(time), script) { bench in
            async let answer = bench.mention("deploy")
            await time.waitForSleep(of: .seconds(20))
            try await bench.robot.messageRoom("2", "elsewhere")
            #expect(bench.campfire.shown(in: "1") == [])
            try await bench.robot.messageRoom("1", "news")
            #expect(await answer == .empty)
            #expect(bench.campfire.shown(in: "1") == ["On it.", "news"])
        }
    }

    @Test func `an answer in another room isn't the webhook's response`() async throws {
        let time = TestTime()
        let script = InlineScript { robot in
            robot.respond(/deploy/) { _ in try await time.sleep(.seconds(20)) }
        }
        try await CampfireHarness.run(in: FakeCampfire(time), script) { bench in
            async let answer = bench.campfire.call(bench.server, FakeCampfire.message("deploy", id: 5))
            await time.waitForSleep(of: .seconds(20))
            let room = Room(id: Room.ID(adapter: "campfire", value: "2"))
            let message = Message.ID(adapter: "campfire", value: "5")
            try await bench.adapter.deliver(.text("deploying"), to: Envelope(room: room, message: message))
            #expect(bench.campfire.arrivals == [.init(room: "2", shown: "deploying", way: .post)])
            await time.pass(.seconds(6))
            #expect(await answer == .empty)
        }
    }

    @Test func `an answer doesn't overtake earlier posts in its room`() async throws {
        let script = InlineScript { $0.respond(/ping/) { try await $0.send("pong") } }
        try await CampfireHarness.run(script) { bench in
            let gate = ObservedValue(false)
            bench.campfire.next(.held(gate))
            let posting = Task { try await bench.robot.messageRoom("1", "first") }
            await bench.campfire.waitForRequests(1)
            #expect(await bench.mention("ping", in: "2")?.status == 200)
            async let answer = bench.mention("ping")
            #expect(await answer == .empty)
            gate.change { $0 = true }
            try await posting.value
            await bench.campfire.waitForArrivals(3)
            #expect(bench.campfire.shown(in: "1") == ["first", "pong"])
        }
    }

    @Test func `two users at once each get their answer, in order`() async throws {
        let time = TestTime()
        let script = InlineScript { robot in
            robot.respond(/first/) { res in
                try await res.send("1")
                try await time.sleep(.seconds(20))
            }
            robot.respond(/second/) { try await $0.send("2") }
        }
        try await CampfireHarness.run(in: FakeCampfire(time), script) { bench in
            async let first = bench.mention("first")
            await time.waitForSleep(of: .seconds(20))
            #expect(await bench.mention("second") == .empty)
            #expect(await first == .empty)
            await bench.campfire.waitForArrivals(2)
            #expect(bench.shown == ["1", "2"])
        }
    }

    @Test func `if the webhook's connection is lost, the held text is posted`() async throws {
        let time = TestTime()
        let script = InlineScript { robot in
            robot.respond(/deploy/) { res in
                try await res.send("On it.")
                try await time.sleep(.seconds(20))
            }
        }
        try await CampfireHarness.run(in: FakeCampfire(time), script) { bench in
            let request = Task { await bench.adapter.answer(.deploy) }
            await time.waitForSleep(of: .milliseconds(500))
            request.cancel()
            #expect(await request.value == .empty)
            await bench.campfire.waitForArrivals(1)
            #expect(bench.campfire.arrivals == [.init(room: "1", shown: "On it.", way: .post)])
        }
    }

    @Test func `a stopped robot posts held texts`() async throws {
        let time = TestTime()
        let campfire = FakeCampfire(time)
        let script = InlineScript { robot in
            robot.respond(/deploy/) { res in
                try await res.send("On it.")
                try await time.sleep(.seconds(20))
            }
        }
        try await CampfireHarness.run(in: campfire, script) { bench in
            Task { await bench.mention("deploy") }
            await time.waitForSleep(of: .milliseconds(500))
        }
        #expect(campfire.shown() == ["On it."])
    }

    @Test func `it ends after posting held texts`() async throws {
        let time = TestTime()
        let (campfire, gate) = (FakeCampfire(time), ObservedValue(false))
        let script = InlineScript { robot in
            robot.respond(/deploy/) { res in
                try await res.send("On it.")
                try await time.sleep(.seconds(20))
            }
        }
        try await CampfireHarness.run(in: campfire, grace: .seconds(600), script) { bench in
            let request = Task { await bench.adapter.answer(.deploy) }
            await time.waitForSleep(of: .milliseconds(500))
            campfire.next(.held(gate))
            request.cancel()
            await campfire.waitForRequests(1)
            await time.pass(.seconds(20))
            Task {
                // It accepts no more messages, but is still running.
                while await bench.adapter.answer(.unknown) == .empty { await Task.yield() }
                for _ in 0..<100 { await Task.yield() }
                #expect("\(bench.adapter.status)".hasPrefix("up"))
                gate.change { $0 = true }
            }
        }
        #expect(campfire.shown() == ["On it."])
    }

    @Test func `a failed background post is logged`() async throws {
        let script = InlineScript { $0.respond(/count/) { try await $0.send("one", "two") } }
        try await CampfireHarness.run(script) { bench in
            bench.campfire.next(.status(422))
            await bench.mention("count")
            await bench.campfire.waitForArrivals(1)
            try await bench.logs("couldn't send a message")
            #expect(bench.shown == ["two"])
            #expect(bench.log.lines(from: .error).count == 1)
            #expect(bench.log.lines(from: .error)[0].contains("chat.example.org answered with status 422"))
        }
    }

    @Test func `a room without a name is known by its id`() async throws {
        let script = InlineScript { $0.respond(/where/) { try await $0.send("in \($0.message.room.name)") } }
        try await CampfireHarness.run(script) { bench in
            let body = """
                {"user":{"id":"1","name":"Ada"},"room":{"id":"2","name":null},
                 "message":{"id":"9","body":{"plain":"where"}},"more":[{}]}
                """
            await bench.campfire.call(bench.server, body, "2")
            #expect(bench.campfire.shown(in: "2") == ["in 2"])
        }
    }

    @Test func `a direct room is private`() async throws {
        let campfire = FakeCampfire(TestTime())
        let users = "campfire:1 Ada (admin)"
        try await CampfireHarness.run(in: campfire, admins: ["campfire:1"], Storage()) { bench in
            await bench.mention("show users", in: FakeCampfire.direct)
            #expect(campfire.shown(in: FakeCampfire.direct) == [users])
            await bench.mention("show users")
            #expect(campfire.shown() == ["Ada: Ask me that in private."])
        }
    }

    @Test func `a message's parts`() async throws {
        let messages = ObservedValue<[Message]>([])
        let script = InlineScript { robot in
            robot.hear(/.*/) { res in messages.change { $0.append(res.message) } }
        }
        try await CampfireHarness.run(script) { bench in
            _ = await bench.campfire.call(
                bench.server, FakeCampfire.message("hi\nthere", id: 5, name: "A\u{0}d\r\na\u{2028}"))
            let message = try #require(messages.value.first)
            #expect(message.id.description == "campfire:5")
            #expect(message.user == User(id: User.ID(adapter: "campfire", value: "1"), name: "Ada"))
            #expect(message.room == Room(id: Room.ID(adapter: "campfire", value: "1"), name: "Room 1"))
            #expect(message.text == "hi\nthere")
            #expect(message.isAddressed)
        }
    }
}

extension WebhookEvent {
    fileprivate static var deploy: WebhookEvent {
        let id = CampfireID("1")
        guard let id else { return .unknown }
        let (person, place) = (WebhookMessage.Sender(id: id, name: "Ada"), WebhookMessage.Room(id: id, name: nil))
        return .message(WebhookMessage(id: id, user: person, room: place, text: "deploy"))
    }
}
