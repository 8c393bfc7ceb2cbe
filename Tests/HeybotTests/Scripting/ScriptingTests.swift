import Heybot
import HeybotTesting
import Testing

@Suite(.timeLimit(.minutes(15))) struct MiddlewareTests {
    @Test func `receive middleware changes messages and stops them, in order`() async {
        let robot = TestRobot(
            InlineScript {
                $0.receiveMiddleware { message, _ in
                    var message = message
                    if let text = message.text { message.content = .text(text.uppercased()) }
                    return message
                }
                $0.receiveMiddleware { message, _ in message.text?.contains("SPAM") == true ? nil : message }
                $0.hear(/.*/, caseSensitive: true) { try await $0.send(String($0.match)) }
            })
        #expect(await robot.hears("ham") == [.text("HAM")])
        #expect(await robot.hears("spam") == [])
    }

    @Test func `receive middleware that fails stops the message, and is logged`() async {
        let robot = TestRobot(
            InlineScript("Guard") {
                $0.receiveMiddleware { _, _ in throw Refusal("broken") }
                $0.hear(/.*/) { try await $0.send("heard") }
            })
        #expect(await robot.hears("a") == [])
        #expect(robot.loggedProblems.count == 1)
        #expect(robot.loggedProblems[0].contains("script=Guard"))
    }

    @Test func `listener middleware gets the listener, may answer, and may prevent the closure`() async {
        let robot = TestRobot(
            InlineScript {
                $0.listenerMiddleware { listener, res in
                    if listener.id == "secret" { try await res.reply("It is a secret.") }
                    return listener.id != "secret"
                }
                $0.hear(/a/, id: "secret") { try await $0.send("the secret") }
                $0.hear(/a/, id: "open") { try await $0.send("open") }
            })
        #expect(await robot.hears("a") == [.reply("It is a secret."), .text("open")])
    }

    @Test func `an error in middleware is attributed to it, and it can drop refusals too`() async {
        struct Trouble: Error {}
        let robot = TestRobot(
            InlineScript("Guard") {
                $0.listenerMiddleware { listener, _ in
                    if listener.id == "Good.1" { throw Trouble() }
                    return true
                }
                $0.responseMiddleware { utterance, _, _ in utterance.content == "hush" ? nil : utterance }
            },
            InlineScript("Good") {
                $0.hear(/a/) { _ in }
                $0.hear(/b/) { _ in throw Refusal("hush") }
            })
        #expect(await robot.hears("a") == [.reply("Sorry, something went wrong (Guard).")])
        #expect(robot.loggedProblems.count == 1)
        #expect(
            robot.loggedProblems[0].contains("listener=listener middleware")
                && robot.loggedProblems[0].contains("script=Guard"))
        #expect(await robot.hears("b") == [])
    }

    @Test func `a script that is switched off does nothing at all`() async {
        let robot = TestRobot(
            switches: DisabledScripts(off: ["Off"], offInRoom: ["#quiet": ["Rooms"]]),
            InlineScript("Off") {
                $0.receiveMiddleware { _, _ in nil }
                $0.every(.minutes(1)) { try await $0.messageRoom("#test", "tick") }
                $0.on(LaterTests.deployed) { _, robot in try await robot.messageRoom("#ops", "event") }
            },
            InlineScript("Rooms") {
                $0.receiveMiddleware { message, _ in message.text == "stop" ? nil : message }
                $0.listenerMiddleware { _, _ in false }
                $0.responseMiddleware { _, _, _ in nil }
            },
            InlineScript("On") {
                $0.hear(/.*/) { res in
                    await res.robot.emit(LaterTests.deployed, "web")
                    try await res.send("heard")
                }
            })
        #expect(await robot.hears("hello") == [])
        #expect(await robot.hears("stop", in: "#quiet") == [.text("heard")])
        #expect(robot.said(in: "#ops") == [])
        #expect(await robot.advance(by: .minutes(2)) == [])
    }

    @Test func `response middleware can change and drop answers`() async {
        let robot = TestRobot(
            InlineScript {
                $0.responseMiddleware { utterance, envelope, _ in
                    utterance.content == "hush" ? nil : .emote("\(utterance.content) in \(envelope.room.name)")
                }
                $0.hear(/a/) { try await $0.send("one", "hush", "two") }
            })
        #expect(await robot.hears("a") == [.emote("one in #test"), .emote("two in #test")])
    }
}

@Suite(.timeLimit(.minutes(15))) struct ResponseTests {
    @Test func `there are four ways to say something`() async {
        let robot = TestRobot(
            InlineScript {
                $0.hear(/a/) { res in
                    try await res.send("text")
                    try await res.reply("reply")
                    try await res.emote("waves")
                    try await res.topic("new")
                }
            })
        #expect(await robot.hears("a", from: "bob") == [.text("text"), .reply("reply"), .emote("waves"), .topic("new")])
        #expect(robot.lines[1].envelope.user?.name == "bob")
        #expect(robot.lines[1].envelope.message != nil)
    }

    @Test func `chance repeats itself for the same seed`() async {
        func robot(_ seed: UInt64) -> TestRobot {
            TestRobot(
                seed: seed,
                InlineScript {
                    $0.hear(/roll/) { try await $0.send("\($0.random(in: 1...1_000_000))") }
                    $0.hear(/pick/) { try await $0.send($0.random(["a"]) ?? "-", $0.random([String]()) ?? "none") }
                })
        }
        let (one, same, other) = (robot(1), robot(1), robot(2))
        let roll = await one.hears("roll")
        #expect(await same.hears("roll") == roll)
        #expect(await other.hears("roll") != roll)
        #expect(await one.hears("pick") == [.text("a"), .text("none")])
    }

    @Test func `commands for admins are refused to others`() async {
        let robot = TestRobot(
            admins: ["root", "test:boss"],
            InlineScript { $0.respond(/die/, help: "die - End", allow: .admins) { try await $0.send("dying") } })
        #expect(await robot.hears("heybot die", from: "alice") == [.reply("Only my admins may use that.")])
        #expect(await robot.hears("heybot die", from: "root") == [.text("dying")])
        #expect(await robot.hears("heybot die", from: "boss") == [.text("dying")])
        #expect(robot.loggedProblems == [])
    }

    @Test func `a listener cools down, reports that every few seconds at most, and is ready again`() async {
        let robot = TestRobot(
            InlineScript {
                $0.hear(/tea/, cooldown: .perRoom(.seconds(10))) { try await $0.send("tea") }
                $0.respond(/pug/, cooldown: .perUser(.seconds(10))) { try await $0.send("pug") }
                $0.respond(/bomb/, cooldown: .perRoom(.seconds(10))) { try await $0.send("bomb") }
                $0.respond(/all/, cooldown: .perRobot(.seconds(10))) { try await $0.send("all") }
            })
        #expect(await robot.hears("heybot pug") == [.text("pug")])
        _ = await robot.advance(by: .seconds(2))
        #expect(await robot.hears("heybot pug") == [.reply("Not so fast: try that again in 8 s.")])
        #expect(await robot.hears("heybot pug") == [])
        _ = await robot.advance(by: .seconds(3))
        #expect(await robot.hears("heybot pug") == [.reply("Not so fast: try that again in 5 s.")])
        #expect(await robot.hears("heybot pug", from: "bob") == [.text("pug")])
        _ = await robot.advance(by: .seconds(5))
        #expect(await robot.hears("heybot pug") == [.text("pug")])

        #expect(await robot.hears("heybot bomb") == [.text("bomb")])
        #expect(await robot.hears("heybot bomb", from: "bob") == [.reply("Not so fast: try that again in 10 s.")])
        #expect(await robot.hears("heybot bomb", in: "#other") == [.text("bomb")])

        #expect(await robot.hears("heybot all") == [.text("all")])
        #expect(
            await robot.hears("heybot all", from: "carol", in: "#other") == [
                .reply("Not so fast: try that again in 10 s.")
            ])

        // Nobody asked for it.
        #expect(await robot.hears("tea") == [.text("tea")])
        #expect(await robot.hears("tea", from: "bob") == [])
        // Now there is a handler.
        #expect(await robot.hears("heybot tea", from: "dora") == [.reply("Not so fast: try that again in 10 s.")])
        #expect(await robot.hears("heybot pug with tea", from: "emil") == [.text("pug")])
    }
}

@Suite(.timeLimit(.minutes(15))) struct LaterTests {
    static let deployed = ScriptEvent<String>("deployed")

    @Test func `events reach their handlers in order, and a failing handler stops no other`() async {
        let robot = TestRobot(
            InlineScript("A") {
                $0.on(Self.deployed) { _, _ in throw Refusal("no") }
                $0.on(ScriptEvent<Int>("deployed")) { number, robot in try await robot.messageRoom("#ops", "\(number)")
                }
            },
            InlineScript("B") {
                $0.on(Self.deployed) { app, robot in try await robot.messageRoom("#ops", "\(app) is out") }
            },
            InlineScript("C") { $0.hear(/deploy (\w+)/) { await $0.robot.emit(Self.deployed, String($0.match.1)) } })
        _ = await robot.hears("deploy web")
        #expect(robot.said(in: "#ops") == [.text("web is out")])
        #expect(
            robot.loggedProblems == [
                "script A failed: Refusal(userMessage: \"no\") listener=on deployed message=test:1 script=A",
                "script A failed: the event deployed was emitted with String, but this handler expects Int "
                    + "listener=on deployed message=test:1 script=A"
            ])
    }

    @Test func `repeated work repeats, delayed work is done once, and failing does not end it`() async {
        let robot = TestRobot(
            InlineScript {
                $0.every(.minutes(1)) { robot in
                    try await robot.messageRoom("#clock", "tick")
                    throw Refusal("tock")
                }
                $0.after(.seconds(90)) { try await $0.messageRoom("#clock", "once") }
            })
        #expect(await robot.advance(by: .minutes(3)).map(\.utterance.content) == ["tick", "once", "tick", "tick"])
        #expect(robot.loggedProblems.count == 3)
    }

    @Test func `a closure may do something later, or take it back`() async {
        let robot = TestRobot(
            InlineScript {
                $0.hear(/tea/) { res in
                    res.after(.minutes(3)) { try await res.reply("tea is ready") }
                    res.after(.minutes(4)) { try await res.reply("tea is cold") }.cancel()
                    res.after(.minutes(5)) { throw Refusal("no more tea") }
                }
            })
        #expect(await robot.hears("tea", from: "bob") == [])
        let lines = await robot.advance(by: .minutes(6))
        #expect(lines.map(\.utterance) == [.reply("tea is ready"), .reply("no more tea")])
        #expect(lines.allSatisfy { $0.envelope.user?.name == "bob" })
    }

    @Test func `a timer in the far future is harmless`() async {
        let robot = TestRobot(
            InlineScript {
                $0.hear(/later (\d+)/) { res in
                    res.after(.hours(Int(res.match.1) ?? 0)) { try await res.send("at last") }
                    res.after(.minutes(.max)) {}
                    try await res.send("so be it")
                }
            })
        #expect(await robot.hears("later 9000000000000000000") == [.text("so be it")])
        #expect(await robot.advance(by: .hours(1)) == [])
    }

    @Test func `later work may ask too`() async {
        let robot = TestRobot(
            InlineScript {
                $0.hear(/remind/) { res in
                    res.after(.minutes(1)) { try await res.send("you said " + res.ask("done?")) }
                }
            })
        _ = await robot.hears("remind")
        #expect(await robot.advance(by: .minutes(1)).map(\.utterance) == [.reply("done?")])
        #expect(await robot.hears("yes") == [.text("you said yes")])
    }
}
