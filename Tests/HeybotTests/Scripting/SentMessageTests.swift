import Heybot
import HeybotTesting
import Testing

/// What `send` and `reply` return, and what becomes of changes that a service doesn't have.
@Suite(.timeLimit(.minutes(15))) struct SentMessageTests {
    private let script = InlineScript { robot in
        robot.responseMiddleware { utterance, _, _ in
            utterance.content == "hush" ? nil : utterance.content == "damn" ? .text("****") : utterance
        }
        robot.respond(/build/) { res in
            let sent = try await res.reply("Building …")
            try await sent.edit("Built.")
        }
        robot.respond(/dance/) { try await $0.emote("dances").edit("sleeps") }
        robot.respond(/swear/) { try await $0.send("Well …").edit("damn") }
        robot.respond(/hush/) { res in
            let sent = try await res.send("hush")
            try await sent.edit("I said nothing.")
            try await sent.retract()
        }
        robot.respond(/thumb/) { res in
            let done = [try await res.react("👍"), try await res.unreact("👍")]
            if done.contains(false) { try await res.send("no thumbs") }
        }
        robot.respond(/shout/) { res in
            let done = [try await res.react(""), try await res.react(String(repeating: "!", count: 65))]
            if done == [false, false] { try await res.send("not so loud") }
        }
        robot.respond(/forget/) { res in
            let sent = try await res.send("a secret")
            if try await !sent.retract() { try await res.send("Please forget that.") }
        }
        robot.respond(/features/) { res in
            let features = res.robot.messageFeatures(in: res.message.room).map(\.rawValue).sorted()
            try await res.send(features.joined(separator: " "))
        }
    }

    private let first = Message.ID(adapter: "test", value: "sent-1")

    @Test func `a message is edited, reacted to and retracted`() async {
        let robot = TestRobot(name: "hubot", script)
        #expect(await robot.hears("hubot build") == [.reply("Building …")])
        #expect(robot.changes.map(\.change) == [.edit(.reply("Built."))])
        #expect(robot.changes.map(\.message) == [first])
        #expect(await robot.hears("hubot thumb") == [])
        let heard = Message.ID(adapter: "test", value: "2")
        #expect(robot.changes.dropFirst().map(\.change) == [.react("👍"), .unreact("👍")])
        #expect(robot.changes.dropFirst().map(\.message) == [heard, heard])
        #expect(await robot.hears("hubot forget") == [.text("a secret")])
        #expect(robot.changes.last?.change == .retract)
        #expect(await robot.hears("hubot dance") == [.emote("dances")])
        #expect(robot.changes.last?.change == .edit(.emote("sleeps")))
        let features = "delivery edits reactions reading replies retractions threads typing"
        #expect(await robot.hears("hubot features") == [.text(features)])
    }

    @Test func `a reaction is neither empty nor long`() async {
        let robot = TestRobot(name: "hubot", script)
        #expect(await robot.hears("hubot shout") == [.text("not so loud")])
        #expect(robot.changes.isEmpty)
    }

    @Test func `on a service without changes, an edit is a further message`() async {
        let robot = TestRobot(name: "hubot", messageFeatures: [], script)
        #expect(await robot.hears("hubot build") == [.reply("Building …"), .reply("Built.")])
        #expect(await robot.hears("hubot thumb") == [.text("no thumbs")])
        #expect(await robot.hears("hubot forget") == [.text("a secret"), .text("Please forget that.")])
        #expect(robot.changes.isEmpty)
        #expect(await robot.hears("hubot features") == [.text("")])
    }

    @Test func `edits pass the response middleware, and what it drops can't be edited`() async {
        let robot = TestRobot(name: "hubot", script)
        #expect(await robot.hears("hubot swear") == [.text("Well …")])
        #expect(robot.changes.map(\.change) == [.edit(.text("****"))])
        #expect(await robot.hears("hubot hush") == [])
        #expect(robot.changes.count == 1)
    }
}
