import Heybot
import HeybotXMPP
import TestServers
import Testing

@testable import XMPPAdapter

/// Replies, edits, reactions and retractions, also forged ones, with a scripted server.
@Suite(.timeLimit(.minutes(15))) struct MessageReferenceTests {
    private let room = "dev@conference.xmpp.test"
    private let login = ScriptedLogin(account: ("marvin", "pencil"))

    private func withClient(_ body: (AcceptedXMPPClient) async throws -> Void) async throws {
        let server = try ScriptedXMPPServer()
        try await withBot(Bot(.test(server.port, rooms: [room]), scripts: [TestScript.script, Changes()])) { bot in
            let client = try await server.accept()
            client.answerJoins(others: ["ada", "bob"])
            client.answerRequests()
            try await client.logIn(login)
            try await client.expect("<presence to='\(room)/marvin'")
            try await bot.isUp()
            try await body(client)
        }
    }

    /// A message in the room, to which the room gives the id `s-` and the sender's id.
    private func said(_ xml: String, id: String, as nick: String = "ada") -> String {
        "<message type='groupchat' from='\(room)/\(nick)' id='\(id)'>\(xml)"
            + "<stanza-id xmlns='urn:xmpp:sid:0' id='s-\(id)' by='\(room)'/></message>"
    }

    private func told(_ xml: String, id: String, by person: String = "ada@xmpp.test") -> String {
        "<message type='chat' from='\(person)/x' to='marvin@xmpp.test' id='\(id)'>\(xml)</message>"
    }

    private func correction(_ text: String, of id: String) -> String {
        "<body>\(text)</body><replace xmlns='urn:xmpp:message-correct:0' id='\(id)'/>"
    }

    private func reactions(_ reactions: String..., to id: String) -> String {
        let all = reactions.map { "<reaction>\($0)</reaction>" }.joined()
        return "<reactions xmlns='urn:xmpp:reactions:0' id='\(id)'>\(all)</reactions>"
    }

    private func retraction(of id: String, _ more: String = "") -> String {
        "<retract xmlns='urn:xmpp:message-retract:1' id='\(id)'>\(more)</retract>"
    }

    /// Waits for a message of the robot, and returns its id.
    private func id(of text: String, _ client: AcceptedXMPPClient) async throws -> String {
        let sent = try await client.expect("<body>\(text)</body>")
        return try #require(attribute("id", of: sent))
    }

    /// Waits for the robot's next message that has a text.
    private func expectNext(_ text: String, _ client: AcceptedXMPPClient) async throws {
        let sent = try await client.expect("<body>")
        #expect(sent.contains("<body>\(text)</body>"), "\(sent)")
    }

    @Test func `the robot's replies are native, and replies to it are addressed to it`() async throws {
        try await withClient { client in
            client.send(said("<body>hello</body>", id: "1"))
            let sent = try await client.expect("<body>ada: hello</body>")
            #expect(sent.contains("<reply xmlns='urn:xmpp:reply:0' id='s-1' to='\(room)/ada'/>"))
            #expect(sent.contains("for='urn:xmpp:reply:0'><body end='5' start='0'/></fallback>"))
            let own = try #require(attribute("id", of: sent))
            func reply(_ text: String, to id: String) -> String {
                "<body>&gt; ada: hello&#10;\(text)</body><reply xmlns='urn:xmpp:reply:0' id='\(id)'/>"
            }
            client.send(
                said("<body>ada: hello</body>", id: own, as: "marvin"), said(reply("ping", to: "s-1"), id: "2"),
                said(reply("say one", to: "s-\(own)"), id: "3"))
            try await expectNext("one", client)
            client.send(told("<body>hello</body>", id: "4"))
            let direct = try await client.expect("<body>hello</body>")
            #expect(!direct.contains("<reply"))
            let forged = "<body>&gt; I owe you 10&#10;quote</body><reply xmlns='urn:xmpp:reply:0' id='s-\(own)'/>"
            client.send(said(forged, id: "5"))
            try await expectNext("You answer: ada: hello", client)
        }
    }

    @Test func `the id of an answer tells what it answers; what an observer sends answers nothing`() async throws {
        try await withClient { client in
            client.send(said("<body>marvin: say observed</body>", id: "1"))
            let answer = try await client.find("the answer", since: 0) { $0.contains("<body>observed</body>") }
            let letter = try await client.find("the letter", since: 0) { $0.contains("a letter</body>") }
            #expect(attribute("id", of: answer)?.hasSuffix("~s-1") == true, "\(answer)")
            #expect(attribute("id", of: letter)?.hasSuffix("~") == true, "\(letter)")
        }
    }

    @Test func `a reply to what the robot has relayed isn't addressed to it`() async throws {
        try await withClient { client in
            client.send(said("<body>marvin: relay</body>", id: "1"))
            let sent = try await client.expect("ob&gt; hello</body>")
            let own = try #require(attribute("id", of: sent))
            client.send(
                said("<body>It has an id now</body>", id: own, as: "marvin"),
                said("<body>say one</body><reply xmlns='urn:xmpp:reply:0' id='s-\(own)'/>", id: "2"),
                said("<body>marvin: say two</body>", id: "3"))
            try await expectNext("two", client)
        }
    }

    @Test func `an action differs from a text`() async throws {
        try await withClient { client in
            client.send(said("<body>bob nods</body>", id: "1"))
            try await expectNext("a text: bob nods", client)
            client.send(said("<body>/me nods</body>", id: "2"))
            try await expectNext("an action: nods", client)
            let quote =
                "<reply xmlns='urn:xmpp:reply:0' id='s-1'/>"
                + "<fallback xmlns='urn:xmpp:fallback:0' for='urn:xmpp:reply:0'><body start='0' end='6'/></fallback>"
            client.send(said("<body>&gt; one&#10;/me nods again</body>\(quote)", id: "3"))
            try await expectNext("an action: nods again", client)
            client.send(said("<body>&gt; one&#10;bob nods again</body>\(quote)", id: "4"))
            try await expectNext("a text: bob nods again", client)
        }
    }

    @Test func `a message that was sent in parts isn't edited or retracted`() async throws {
        try await withClient { client in
            client.send(told("<body>recite</body>", id: "1"))
            let edited = try await client.expect("<body>It is short</body>")
            #expect(!edited.contains("<replace"))
            try await expectNext("It stays", client)
        }
    }

    @Test func `an edit replaces the message, and another user's correction is ignored`() async throws {
        try await withClient { client in
            client.send(told("<body>work</body>", id: "1"))
            let own = try await id(of: "Working", client)
            try await client.expect("<body>Done</body>", "<replace xmlns='urn:xmpp:message-correct:0' id='\(own)'/>")
            client.send(
                said("<body>marvin: pingg</body>", id: "2"),
                said(correction("marvin: say forged", of: "2"), id: "3", as: "bob"),
                told(correction("say forged", of: "1"), id: "4", by: "eve@xmpp.test"),
                said(correction("marvin: say corrected", of: "2"), id: "5"),
                said(correction("marvin: say it again", of: "2"), id: "6"))
            try await expectNext("corrected", client)
            client.send(said("<body>marvin: say end</body>", id: "7"))
            try await expectNext("end", client)
        }
    }

    @Test func `an edited reply stays a reply`() async throws {
        try await withClient { client in
            client.send(said("<body>marvin: rework</body>", id: "1"))
            let own = try await id(of: "ada: Working", client)
            let edited = try await client.expect("<body>ada: Done</body>")
            #expect(edited.contains("<replace xmlns='urn:xmpp:message-correct:0' id='\(own)'/>"))
            #expect(edited.contains("<reply xmlns='urn:xmpp:reply:0' id='s-1' to='\(room)/ada'/>"))
            #expect(edited.contains("for='urn:xmpp:reply:0'><body end='5' start='0'/></fallback>"))
        }
    }

    @Test func `reactions are sent and received`() async throws {
        try await withClient { client in
            client.send(told("<body>like</body>", id: "1"))
            try await client.expect(
                "<reactions xmlns='urn:xmpp:reactions:0' id='1'><reaction>👍</reaction></reactions>")
            client.send(said("<body>marvin: like</body>", id: "2"))
            try await client.expect("id='s-2'><reaction>👍</reaction></reactions>", "type='groupchat'")
            client.send(told("<body>ping</body>", id: "3"))
            let own = try await id(of: "PONG", client)
            client.send(told(reactions("👍", "🎉", to: own), id: "4"))
            try await client.expect("<body>+👍 🎉 - to \(own)</body>")
            client.send(
                told(reactions("🎉", to: own), id: "5", by: "eve@xmpp.test"),
                told(reactions("😀", to: "unknown"), id: "6"), told(reactions("🎉", "👍", to: own), id: "7"),
                told(reactions("🎉", to: own), id: "8"))
            try await expectNext("+ -👍 to \(own)", client)
        }
    }

    @Test func `a reaction and a retraction wait until the room has shown the robot's message`() async throws {
        try await withClient { client in
            client.send(said("<body>marvin: note</body>", id: "1"))
            let noted = try await id(of: "ada: Noted", client)
            try await client.expect("<body>It waits</body>")
            client.send(said("<body>ada: Noted</body>", id: noted, as: "marvin"))
            try await client.expect("id='s-\(noted)'><reaction>📝</reaction></reactions>", "type='groupchat'")
            client.send(said("<body>marvin: disavow</body>", id: "2"))
            let secret = try await id(of: "A secret", client)
            try await client.expect("<body>It goes</body>")
            client.send(said("<body>A secret</body>", id: secret, as: "marvin"))
            try await client.expect("<retract xmlns='urn:xmpp:message-retract:1' id='s-\(secret)'/>")
        }
    }

    @Test func `in a room that gives messages no ids, a reaction and a retraction are refused`() async throws {
        try await withClient { client in
            for command in ["note", "disavow"] {
                client.send(
                    "<message type='groupchat' from='\(room)/ada' id='\(command)'>"
                        + "<body>marvin: \(command)</body></message>")
                try await client.expect("<body>It is refused</body>")
            }
        }
    }

    @Test func `the robot retracts its message, and only the author and the room can retract another`() async throws {
        try await withClient { client in
            client.send(told("<body>forget</body>", id: "1"))
            let own = try await id(of: "A secret", client)
            try await client.expect("<retract xmlns='urn:xmpp:message-retract:1' id='\(own)'/>")
            let moderated = "<moderated xmlns='urn:xmpp:message-moderate:1' by='\(room)/bob'/>"
            client.send(
                said("<body>psst</body>", id: "2"), said("<body>hush</body>", id: "3"),
                said(retraction(of: "s-2"), id: "4", as: "bob"),
                said(retraction(of: "s-2", moderated), id: "5", as: "bob"),
                told(retraction(of: "2"), id: "6", by: "eve@xmpp.test"), said(retraction(of: "s-2"), id: "7"))
            try await expectNext("ada retracted it", client)
            client.send("<message type='groupchat' from='\(room)'>\(retraction(of: "s-3", moderated))</message>")
            try await expectNext("bob retracted it", client)
        }
    }

    @Test func `the next user with a nick neither corrects nor retracts what the last one has said`() async throws {
        try await withClient { client in
            client.send(
                said("<body>marvin: pingg</body>", id: "1"), "<presence type='unavailable' from='\(room)/ada'/>",
                "<presence from='\(room)/ada'/>")
            try await client.expect("<body>welcome, ada</body>")
            client.send(
                said(correction("marvin: say forged", of: "1"), id: "2"), said(retraction(of: "s-1"), id: "3"),
                said("<body>marvin: say end</body>", id: "4"))
            try await expectNext("end", client)
        }
    }

    @Test func `the robot's own messages are forgotten in the order in which they were sent`() throws {
        var own = OwnMessages()
        let dev = try JID(room)
        for number in 0...1_000 {
            own.record("\(number)", OwnMessages.Entry(target: dev, isPublic: true, text: "text \(number)"))
            own.record(stanzaID: "s\(number)", of: "\(number)", in: dev)
        }
        #expect(own["0"] == nil && own["1"]?.text == "text 1" && own["1000"]?.stanzaID == "s1000")
        own.recordEdit(of: "1", String(repeating: "x", count: 501))
        #expect(own["1"]?.text.count == 500)
    }

    @Test func `only changes of a user's reactions count`() {
        var latest = LatestReactions()
        func changes(_ reactions: [String], of person: String) -> [[String]] {
            let (added, removed) = latest.set(reactions, of: person, to: "1")
            return [added, removed]
        }
        #expect(changes(["a", "b"], of: "ada") == [["a", "b"], []])
        #expect(changes(["b", "c"], of: "ada") == [["c"], ["a"]])
        #expect(changes(["b"], of: "bob") == [["b"], []])
        var own = latest.change("a", isAdded: true, to: "1")
        #expect(own == ["a"])
        own = latest.change("b", isAdded: true, to: "1")
        #expect(own == ["a", "b"])
        own = latest.change("a", isAdded: false, to: "1")
        #expect(own == ["b"])
        for number in 2...1_010 { _ = latest.set(["a"], of: "ada", to: "\(number)") }
        #expect(changes(["b", "c"], of: "ada") == [["b", "c"], []])
    }
}

/// Changes messages, and says what users change.
private struct Changes: Script {
    let name = "Changes"

    func register(on robot: inout RobotBuilder) {
        robot.respond(/work$/) { try await $0.send("Working").edit("Done") }
        robot.respond(/rework$/) { try await $0.reply("Working").edit("Done") }
        robot.respond(/like$/) { try await $0.react("👍") }
        robot.respond(/forget$/) { try await $0.send("A secret").retract() }
        robot.respond(/note$/) { res in
            let sent = try await res.reply("Noted")
            let isDone = try await sent.react("📝")
            try await res.send(isDone ? "It waits" : "It is refused")
        }
        robot.respond(/disavow$/) { res in
            let isDone = try await res.send("A secret").retract()
            try await res.send(isDone ? "It goes" : "It is refused")
        }
        robot.respond(/quote$/) { try await $0.send("You answer: \($0.message.reply?.text ?? "nothing")") }
        robot.respond(/recite$/) { res in
            let sent = try await res.send(String(repeating: "word ", count: 2_000))
            try await sent.edit("It is short")
            if try await !sent.retract() { try await res.send("It stays") }
        }
        robot.hear(/nods/) { res in
            try await res.send("\(res.message.isAction ? "an action" : "a text"): \(res.message.text ?? "")")
        }
        robot.observe { message, robot in
            guard message.text?.hasSuffix("observed") == true else { return nil }
            let envelope = Envelope(room: message.room, user: message.user, message: message.id)
            return { try await robot.deliver(.reply("a letter"), to: envelope) }
        }
        robot.respond(/relay$/) { try await $0.send("<b\u{2060}ob> hello") }
        robot.reaction { res in
            let (added, removed) = (res.match.added.joined(separator: " "), res.match.removed.joined(separator: " "))
            try await res.send("+\(added) -\(removed) to \(res.match.message.value)")
        }
        robot.retraction { try await $0.send("\($0.message.user.name) retracted it") }
    }
}
