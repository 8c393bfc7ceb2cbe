import Heybot
import HeybotTesting
import StandardScripts
import Testing

@testable import CampfireAdapter

/// What people see in a room when they mention the robot.
@Suite(.timeLimit(.minutes(15))) struct ConversationTests {
    @Test func `a quick answer is the webhook's own`() async throws {
        let script = Inline { $0.respond(/ping/) { try await $0.reply("pong") } }
        try await Bench.run(script) { bench in
            let answer = await bench.mention("ping")
            #expect(answer?.headers["Content-Type"] == "text/plain; charset=utf-8")
            #expect(bench.campfire.arrivals == [.init(room: "1", shown: "Ada: pong", way: .answer)])
        }
    }

    @Test func `what is said to nobody is answered with nothing`() async throws {
        try await Bench.run(Inline { _ in }) { bench in
            #expect(await bench.mention("ping") == .empty)
            #expect(bench.shown == [])
        }
    }

    @Test func `two utterances are both posted, in order`() async throws {
        let script = Inline { $0.respond(/count/) { try await $0.send("one", "two", "three") } }
        try await Bench.run(script) { bench in
            #expect(await bench.mention("count") == .empty)
            await bench.campfire.waitForArrivals(3)
            #expect(bench.shown == ["one", "two", "three"])
            #expect(Set(bench.ways) == [.post])
        }
    }

    @Test func `who thinks for long posts the words, and Campfire doesn't complain`() async throws {
        let time = TestTime()
        let script = Inline { robot in
            robot.respond(/think/) { res in
                try await time.sleep(.seconds(20))
                try await res.send("42")
            }
        }
        try await Bench.run(in: StandInCampfire(time), script) { bench in
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

    @Test func `a text before long work is the answer after half a second`() async throws {
        let time = TestTime()
        let script = Inline { robot in
            robot.respond(/deploy/) { res in
                try await res.send("On it.")
                try await time.sleep(.seconds(20))
                try await res.send("Done.")
            }
        }
        try await Bench.run(in: StandInCampfire(time), script) { bench in
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

    @Test func `a second text within half a second brings both by post, and frees the webhook`() async throws {
        let time = TestTime()
        let script = Inline { robot in
            robot.respond(/deploy/) { res in
                try await res.send("On it.")
                try await time.sleep(.milliseconds(300))
                try await res.send("Nearly.")
                try await time.sleep(.seconds(20))
            }
        }
        try await Bench.run(in: StandInCampfire(time), script) { bench in
            async let answer = bench.mention("deploy")
            await time.pass(.milliseconds(300))
            #expect(await answer == .empty)
            await bench.campfire.waitForArrivals(2)
            #expect(bench.shown == ["On it.", "Nearly."])
            #expect(bench.ways == [.post, .post])
        }
    }

    @Test func `a text said just before the deadline is the answer at the deadline`() async throws {
        let time = TestTime()
        let script = Inline { robot in
            robot.respond(/think/) { res in
                try await time.sleep(.milliseconds(5_800))
                try await res.send("42")
                try await time.sleep(.seconds(20))
            }
        }
        try await Bench.run(in: StandInCampfire(time), script) { bench in
            async let answer = bench.mention("think")
            await time.waitForSleep(of: .seconds(6))
            await time.pass(.milliseconds(5_800))
            await time.waitForSleep(of: .milliseconds(500))
            time.advance(by: .milliseconds(200))
            #expect(await answer?.status == 200)
            #expect(bench.shown == ["42"])
        }
    }

    @Test func `a question is asked by the webhook's answer, and answered by the next message`() async throws {
        let script = Inline { robot in
            robot.respond(/book/) { res in try await res.send("Booked for \(try await res.ask("When?")).") }
        }
        try await Bench.run(script) { bench in
            await bench.mention("book")
            await bench.time.pass(.milliseconds(250))
            await bench.mention("noon")
            await bench.campfire.waitForArrivals(2)
            #expect(bench.shown == ["Ada: When?", "Booked for noon."])
        }
    }

    @Test func `what follows an answer waits until that has got there`() async throws {
        let script = Inline { $0.respond(/ping/) { try await $0.send("pong") } }
        try await Bench.run(script) { bench in
            await bench.mention("ping")
            let posting = Task { try await bench.robot.messageRoom("1", "news") }
            await bench.time.waitForSleep(of: .milliseconds(250))
            #expect(bench.shown == ["pong"])
            bench.time.advance(by: .milliseconds(250))
            try await posting.value
            #expect(bench.shown == ["pong", "news"])
        }
    }

    @Test func `something else said in the room takes a kept text with it, in order`() async throws {
        let time = TestTime()
        let script = Inline { robot in
            robot.respond(/deploy/) { res in
                try await res.send("On it.")
                try await time.sleep(.seconds(20))
            }
        }
        try await Bench.run(in: StandInCampfire(time), script) { bench in
            async let answer = bench.mention("deploy")
            await time.waitForSleep(of: .seconds(20))
            try await bench.robot.messageRoom("2", "elsewhere")
            #expect(bench.campfire.shown(in: "1") == [])
            try await bench.robot.messageRoom("1", "news")
            #expect(await answer == .empty)
            #expect(bench.campfire.shown(in: "1") == ["On it.", "news"])
        }
    }

    @Test func `what is said elsewhere in answer to a message isn't the webhook's answer`() async throws {
        let time = TestTime()
        let script = Inline { robot in
            robot.respond(/deploy/) { _ in try await time.sleep(.seconds(20)) }
        }
        try await Bench.run(in: StandInCampfire(time), script) { bench in
            async let answer = bench.campfire.call(bench.server, StandInCampfire.message("deploy", id: 5))
            await time.waitForSleep(of: .seconds(20))
            let room = Room(id: Room.ID(adapter: "campfire", value: "2"))
            let message = Message.ID(adapter: "campfire", value: "5")
            try await bench.adapter.deliver(.text("deploying"), to: Envelope(room: room, message: message))
            #expect(bench.campfire.arrivals == [.init(room: "2", shown: "deploying", way: .post)])
            await time.pass(.seconds(6))
            #expect(await answer == .empty)
        }
    }

    @Test func `an answer doesn't pass what is being posted in its room`() async throws {
        let script = Inline { $0.respond(/ping/) { try await $0.send("pong") } }
        try await Bench.run(script) { bench in
            let gate = Watched(false)
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

    @Test func `two people at once each get their answer, in the order it was said`() async throws {
        let time = TestTime()
        let script = Inline { robot in
            robot.respond(/first/) { res in
                try await res.send("1")
                try await time.sleep(.seconds(20))
            }
            robot.respond(/second/) { try await $0.send("2") }
        }
        try await Bench.run(in: StandInCampfire(time), script) { bench in
            async let first = bench.mention("first")
            await time.waitForSleep(of: .seconds(20))
            #expect(await bench.mention("second") == .empty)
            #expect(await first == .empty)
            await bench.campfire.waitForArrivals(2)
            #expect(bench.shown == ["1", "2"])
        }
    }

    @Test func `where the webhook's connection is gone, what was kept is posted`() async throws {
        let time = TestTime()
        let script = Inline { robot in
            robot.respond(/deploy/) { res in
                try await res.send("On it.")
                try await time.sleep(.seconds(20))
            }
        }
        try await Bench.run(in: StandInCampfire(time), script) { bench in
            let request = Task { await bench.adapter.answer(.deploy) }
            await time.waitForSleep(of: .milliseconds(500))
            request.cancel()
            #expect(await request.value == .empty)
            await bench.campfire.waitForArrivals(1)
            #expect(bench.campfire.arrivals == [.init(room: "1", shown: "On it.", way: .post)])
        }
    }

    @Test func `a robot that is stopped posts what it kept`() async throws {
        let time = TestTime()
        let campfire = StandInCampfire(time)
        let script = Inline { robot in
            robot.respond(/deploy/) { res in
                try await res.send("On it.")
                try await time.sleep(.seconds(20))
            }
        }
        try await Bench.run(in: campfire, script) { bench in
            Task { await bench.mention("deploy") }
            await time.waitForSleep(of: .milliseconds(500))
        }
        #expect(campfire.shown() == ["On it."])
    }

    @Test func `it ends when what it kept has been posted`() async throws {
        let time = TestTime()
        let (campfire, gate) = (StandInCampfire(time), Watched(false))
        let script = Inline { robot in
            robot.respond(/deploy/) { res in
                try await res.send("On it.")
                try await time.sleep(.seconds(20))
            }
        }
        try await Bench.run(in: campfire, grace: .seconds(30), script) { bench in
            let request = Task { await bench.adapter.answer(.deploy) }
            await time.waitForSleep(of: .milliseconds(500))
            campfire.next(.held(gate))
            request.cancel()
            await campfire.waitForRequests(1)
            await time.pass(.seconds(20))
            Task {
                // It takes nothing more, but isn't at its end.
                while await bench.adapter.answer(.unknown) == .empty { await Task.yield() }
                for _ in 0..<1_000 { await Task.yield() }
                #expect("\(bench.adapter.status)".hasPrefix("up"))
                gate.change { $0 = true }
            }
        }
        #expect(campfire.shown() == ["On it."])
    }

    @Test func `what can't be posted later is in the log`() async throws {
        let script = Inline { $0.respond(/count/) { try await $0.send("one", "two") } }
        try await Bench.run(script) { bench in
            bench.campfire.next(.status(422))
            await bench.mention("count")
            await bench.campfire.waitForArrivals(1)
            try await bench.logs("didn't get there")
            #expect(bench.shown == ["two"])
            #expect(bench.log.lines(from: .error).count == 1)
            #expect(bench.log.lines(from: .error)[0].contains("chat.example.org answered with status 422"))
        }
    }

    @Test func `a room without a name is known by its id`() async throws {
        let script = Inline { $0.respond(/where/) { try await $0.send("in \($0.message.room.name)") } }
        try await Bench.run(script) { bench in
            let body = """
                {"user":{"id":"1","name":"Ada"},"room":{"id":"2","name":null},
                 "message":{"id":"9","body":{"plain":"where"}},"more":[{}]}
                """
            await bench.campfire.call(bench.server, body, "2")
            #expect(bench.campfire.shown(in: "2") == ["in 2"])
        }
    }

    @Test func `a room of two is private`() async throws {
        let campfire = StandInCampfire(TestTime())
        let users = "campfire:1 Ada (admin)"
        try await Bench.run(in: campfire, admins: ["campfire:1"], Storage()) { bench in
            await bench.mention("show users", in: StandInCampfire.direct)
            #expect(campfire.shown(in: StandInCampfire.direct) == [users])
            await bench.mention("show users")
            #expect(campfire.shown() == ["Ada: Ask me that in private."])
        }
    }

    @Test func `what a message is made of`() async throws {
        let messages = Watched<[Message]>([])
        let script = Inline { robot in
            robot.hear(/.*/) { res in messages.change { $0.append(res.message) } }
        }
        try await Bench.run(script) { bench in
            _ = await bench.campfire.call(
                bench.server, StandInCampfire.message("hi\nthere", id: 5, name: "A\u{0}d\r\na\u{2028}"))
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
        let id = Identifier("1")
        guard let id else { return .unknown }
        let (person, place) = (Heard.Person(id: id, name: "Ada"), Heard.Place(id: id, name: nil))
        return .message(Heard(id: id, user: person, room: place, text: "deploy"))
    }
}
