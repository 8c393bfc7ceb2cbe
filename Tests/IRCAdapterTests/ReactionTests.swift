import Heybot
import TestServers
import Testing

@testable import IRCAdapter

/// Replies, reactions and edits, with a scripted server.
@Suite(.timeLimit(.minutes(15))) struct ReactionTests {
    private func withClient(
        _ capabilities: [String], _ body: (Bot, AcceptedIRCClient) async throws -> Void
    ) async throws {
        let server = try ScriptedIRCServer()
        try await withBot(Bot(.test(server.port, "#dev"), TestScript.script, Changes())) { bot in
            let client = try await server.accept()
            client.answerJoins(of: "marvin!~marvin@host.test")
            client.answerPings()
            _ = try await client.welcome(RegistrationScript(capabilities: capabilities))
            try await bot.isUp()
            try await body(bot, client)
        }
    }

    private let room = Room(id: Room.ID(adapter: "irc", value: "#dev"))

    @Test func `the robot's replies are tagged, and replies to it are addressed to it`() async throws {
        try await withClient(["message-tags", "echo-message"]) { bot, client in
            #expect(bot.robot.messageFeatures(in: room) == [.replies, .reactions, .typing])
            client.send("@msgid=a :ada!a@h PRIVMSG #dev hello")
            try await client.expect("@+draft/reply=a PRIVMSG #dev :ada: hello")
            client.send(
                "@msgid=own :marvin!~marvin@host.test PRIVMSG #dev :ada: hello",
                "@msgid=b;+draft/reply=a :ada!a@h PRIVMSG #dev ping",
                "@msgid=c;+draft/reply=own :ada!a@h PRIVMSG #dev :say one")
            let next = try await client.expect("PRIVMSG #dev")
            #expect(next.contains("PRIVMSG #dev one"))
        }
    }

    @Test func `a reply to what the robot has relayed isn't addressed to it`() async throws {
        try await withClient(["message-tags", "echo-message"]) { _, client in
            client.send(
                "@msgid=own :marvin!~marvin@host.test PRIVMSG #dev :<b\u{2060}ob> hello",
                "@msgid=a;+draft/reply=own :ada!a@h PRIVMSG #dev :say one",
                "@msgid=b :ada!a@h PRIVMSG #dev :marvin: say two")
            let next = try await client.expect("PRIVMSG #dev")
            #expect(next.contains("PRIVMSG #dev two"))
        }
    }

    @Test func `reactions are sent and received`() async throws {
        try await withClient(["message-tags"]) { _, client in
            client.send("@msgid=a :ada!a@h PRIVMSG #dev :marvin: like")
            try await client.expect("@+draft/react=👍;+draft/reply=a TAGMSG #dev")
            client.send("@+draft/reply=a;+draft/react=🎉 :ada!a@h TAGMSG #dev")
            try await client.expect("PRIVMSG #dev :ada added 🎉 to irc:a")
            // Without an id, the message can't be referred to.
            client.send(":ada!a@h PRIVMSG #dev :marvin: like")
            try await client.expect("PRIVMSG #dev :I like that")
        }
    }

    @Test func `the robot is seen writing`() async throws {
        try await withClient(["message-tags"]) { _, client in
            client.send(":ada!a@h PRIVMSG #dev :marvin: think")
            try await client.expect("@+typing=active TAGMSG #dev")
            try await client.expect("PRIVMSG #dev Hm.")
        }
    }

    @Test func `a script waits until the server has received a message`() async throws {
        try await withClient(["batch", "echo-message", "labeled-response", "message-tags"]) { bot, client in
            #expect(bot.robot.messageFeatures(in: room) == [.replies, .reactions, .typing, .delivery])
            client.send(":ada!a@h PRIVMSG #dev :marvin: dinner")
            let sent = try await client.expect("PRIVMSG #dev Dinner!")
            let label = try #require(sent.firstMatch(of: /label=(h[0-9]+)/)).1
            client.send("@label=\(label) :marvin!~marvin@host.test PRIVMSG #dev Dinner!")
            try await client.expect("PRIVMSG #dev :It has arrived.")
            try await client.expect("PRIVMSG #dev :I can't tell whether the message was read")
        }
    }

    @Test func `without message-tags, everything is plain text`() async throws {
        try await withClient([]) { bot, client in
            #expect(bot.robot.messageFeatures(in: room).isEmpty)
            client.send(":ada!a@h PRIVMSG #dev :marvin: like")
            try await client.expect("PRIVMSG #dev :I like that")
            client.send(":ada!a@h PRIVMSG #dev :marvin: work")
            try await client.expect("PRIVMSG #dev Working")
            try await client.expect("PRIVMSG #dev Done")
            #expect(!client.lines.contains { $0.contains("@+draft") })
        }
    }

    @Test func `a file is replaced by a text, or refused with a hint`() async throws {
        try await withClient([]) { _, client in
            client.send(":ada!a@h PRIVMSG #dev :marvin: chart")
            try await client.expect("PRIVMSG #dev https://example.org/chart")
            client.send(":ada!a@h PRIVMSG #dev :marvin: list")
            try await client.expect("PRIVMSG #dev :Ada, 3")
            try await client.expect("PRIVMSG #dev :Bob, 2")
            client.send(":ada!a@h PRIVMSG #dev :marvin: picture")
            try await client.expect("picture.png can't be sent, because IRC has no files: ask on another network")
        }
    }
}

/// Changes messages, and says what users change.
private struct Changes: Script {
    let name = "Changes"

    func register(on robot: inout RobotBuilder) {
        robot.respond(/work$/) { try await $0.send("Working").edit("Done") }
        robot.respond(/like$/) { res in
            if try await !res.react("👍") { try await res.send("I like that") }
        }
        robot.respond(/think$/) { res in
            res.typing()
            try await res.send("Hm.")
        }
        robot.respond(/dinner$/, deadline: .minutes(10)) { res in
            let sent = try await res.send(tracked: "Dinner!")
            if try await sent.delivered(within: .minutes(10)) { try await res.send("It has arrived.") }
            do { _ = try await sent.seen() } catch let error as AdapterError { try await res.send(error.reason) }
        }
        robot.respond(/chart$/) { res in
            let link = "https://example.org/chart"
            try await res.send(Attachment(name: "a.png", type: "image/png", bytes: [1], alternative: link))
        }
        robot.respond(/list$/) { res in
            try await res.send(Attachment(name: "a.csv", type: "text/csv", bytes: Array("Ada, 3\nBob, 2".utf8)))
        }
        robot.respond(/picture$/) { res in
            try await res.send(Attachment(name: "picture.png", type: "image/png", bytes: [1]))
        }
        robot.reaction { res in
            let added = res.match.added.joined(separator: " ")
            try await res.send("\(res.message.user.name) added \(added) to \(res.match.message)")
        }
    }
}
