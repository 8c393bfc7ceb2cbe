import HeybotTesting
import Testing

@testable import Heybot

/// Which listeners hear corrected messages, reactions and retractions.
@Suite(.timeLimit(.minutes(15))) struct CorrectionTests {
    private func makeRobot() -> TestRobot {
        TestRobot(
            name: "hubot",
            InlineScript { robot in
                robot.respond(/ping$/) { try await $0.send("pong") }
                robot.respond(/maybe$/) { _ in throw SkipListener() }
                robot.respond(/number$/) { res in
                    let answer = try await res.ask("Which?", accepting: { Int($0) != nil })
                    try await res.send("It is \(answer).")
                }
                robot.hear(/tea/) { try await $0.send("tea!") }
                robot.catchAll(onlyAddressed: true) { try await $0.send("What?") }
            })
    }

    @Test func `a corrected command is run if the original wasn't understood`() async {
        let robot = makeRobot()
        #expect(await robot.hears("hubot pingg") == [.text("What?")])
        #expect(await robot.hears(correction: "hubot ping") == [.text("pong")])
        #expect(await robot.hears("hubot maybe") == [.text("What?")])
        #expect(await robot.hears(correction: "hubot ping") == [.text("pong")])
    }

    @Test func `a misspelled name can be corrected too`() async {
        let robot = makeRobot()
        #expect(await robot.hears("hubto ping") == [])
        #expect(await robot.hears(correction: "hubot ping") == [.text("pong")])
    }

    @Test func `a corrected command is run once`() async {
        let robot = makeRobot()
        #expect(await robot.hears("hubot pingg") == [.text("What?")])
        #expect(await robot.hears(correction: "hubot pinggg") == [.text("What?")])
        #expect(await robot.hears(correction: "hubot ping") == [.text("pong")])
        #expect(await robot.hears(correction: "hubot ping") == [])
    }

    @Test func `a command that was understood isn't run again`() async {
        let robot = makeRobot()
        #expect(await robot.hears("hubot ping") == [.text("pong")])
        #expect(await robot.hears(correction: "hubot ping!") == [])
        #expect(await robot.hears(correction: "hubot nonsense") == [])
        #expect(await robot.hears("tea for hubot") == [.text("tea!")])
        #expect(await robot.hears(correction: "hubot ping") == [])
    }

    @Test func `a catch-all that stops the others has understood the command`() async {
        let robot = TestRobot(
            name: "hubot",
            InlineScript { robot in
                robot.respond(/ping$/) { try await $0.send("pong") }
                robot.respond(/say (.+)$/) { res in await res.run(String(res.match.1)) }
                robot.catchAll(onlyAddressed: true) { res in
                    guard res.match.hasPrefix("launch") else { throw SkipListener() }
                    res.finish()
                    try await res.send("liftoff")
                }
                robot.catchAll(onlyAddressed: true) { try await $0.send("What?") }
            })
        #expect(await robot.hears("hubot launch") == [.text("liftoff")])
        #expect(await robot.hears(correction: "hubot launch now") == [])
        // The robot has understood the command, even if it runs nonsense.
        #expect(await robot.hears("hubot say nonsense") == [.text("What?")])
        #expect(await robot.hears(correction: "hubot ping") == [])
        #expect(await robot.hears("hubot nonsense") == [.text("What?")])
        #expect(await robot.hears(correction: "hubot launch") == [.text("liftoff")])
        #expect(await robot.hears(correction: "hubot ping") == [])
    }

    @Test func `no listener hears corrected chat`() async {
        let robot = makeRobot()
        #expect(await robot.hears("some te") == [])
        #expect(await robot.hears(correction: "some tea") == [])
    }

    @Test func `listeners with onEdit hear all corrections, which name the original`() async {
        let robot = TestRobot(
            name: "hubot",
            InlineScript { robot in
                robot.hear(/tea/, onEdit: true) { try await $0.send($0.message.correction == nil ? "tea" : "more tea") }
                robot.hear(/tea/) { try await $0.send("first tea") }
                robot.respond(/brew/, onEdit: true) { try await $0.send("brewing") }
                robot.listen(onEdit: true, { (message: Message) -> Bool? in message.text == "chai" ? true : nil }) {
                    try await $0.send("chai")
                }
                robot.catchAll { try await $0.send("What?") }
            })
        #expect(await robot.hears("tea") == [.text("tea"), .text("first tea")])
        #expect(await robot.hears(correction: "tea please") == [.text("more tea")])
        #expect(await robot.hears("hubot brew") == [.text("brewing")])
        #expect(await robot.hears(correction: "hubot please brew!") == [.text("brewing")])
        #expect(await robot.hears(correction: "chai") == [.text("chai")])
        #expect(await robot.hears(correction: "coffee") == [])
    }

    @Test func `an answer that was accepted isn't corrected, and corrected chat answers no question`() async {
        let robot = makeRobot()
        #expect(await robot.hears("hubot number") == [.reply("Which?")])
        #expect(await robot.hears("5") == [.text("It is 5.")])
        #expect(await robot.hears(correction: "hubot ping") == [])
        #expect(await robot.hears("hubot number") == [.reply("Which?")])
        #expect(await robot.hears(correction: "6") == [])
        #expect(await robot.hears("7") == [.text("It is 7.")])
    }

    @Test func `the ids of handled messages are bounded`() {
        let handled = HandledMessages(limit: 2)
        func id(_ number: Int) -> Message.ID { Message.ID(adapter: "test", value: "\(number)") }
        for number in 1...3 { handled.insert(id(number)) }
        #expect((1...3).map { handled.contains(id($0)) } == [false, true, true])
        handled.remove(id(3))
        #expect(!handled.contains(id(3)))
        // The entry at its former place must not remove it.
        handled.insert(id(3))
        handled.insert(id(4))
        #expect((2...4).map { handled.contains(id($0)) } == [false, true, true])
        handled.insert(id(5))
        #expect((3...5).map { handled.contains(id($0)) } == [false, true, true])
    }

    @Test func `reactions and retractions reach only the listeners for them`() async {
        let robot = TestRobot(
            name: "hubot",
            InlineScript { robot in
                robot.reaction { res in
                    let changes = res.match.added.map { "+" + $0 } + res.match.removed.map { "-" + $0 }
                    try await res.send("\(res.match.message) \(changes.joined(separator: " "))")
                }
                robot.retraction { try await $0.send("\($0.match) is gone") }
                robot.hear(/.*/) { try await $0.send("heard") }
                robot.catchAll { try await $0.send("What?") }
            })
        #expect(await robot.hears("hi") == [.text("heard")])
        let id = Message.ID(adapter: "test", value: "sent-1")
        #expect(
            await robot.sees(reaction: Message.Reaction(to: id, added: ["👍"], removed: ["🍵"]))
                == [.text("test:sent-1 +👍 -🍵")])
        #expect(await robot.sees(retractionOf: id) == [.text("test:sent-1 is gone")])
    }
}
