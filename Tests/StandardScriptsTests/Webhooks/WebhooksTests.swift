import Heybot
import HeybotTesting
import StandardScripts
import Testing

@Suite struct WebhooksTests {
    let robot = TestRobot(
        name: "hubot", admins: ["root"], settings: ["WEBHOOKS_URL": "https://bot.example.org/"], seed: 7, Webhooks())

    /// Creates a webhook as an admin in a direct message, and returns the path of its address.
    private func webhook(for room: String, _ options: String = "") async throws -> String {
        let said = await robot.hears("webhook for \(room)\(options)", from: "root", in: "root")
        let match = try #require(said.first?.content.firstMatch(of: /https:\/\/bot\.example\.org(\/webhooks\/\S+)/))
        return String(match.1)
    }

    private func post(_ text: String, to path: String, type: String = "text/plain") async -> WebResponse {
        await robot.receives(.post, path, body: HTTPRequestBody(text.utf8, type: type))
    }

    private func said(in room: String) -> [String] { robot.said(in: room).map(\.content) }

    static let tooManyMarks = "The text has too many combining marks in a row."
    static let marks = "{" + String(repeating: "\u{301}", count: 200)
    static let escapedMarks = String(repeating: "\\u0323\\ud834\\udd65", count: 200)
    static let encodedMarks = String(repeating: "%CC%81", count: 200)

    @Test func `an admin gets an address, and texts sent to it are posted`() async throws {
        let path = try await webhook(for: "#ops")
        #expect(path.hasPrefix("/webhooks/1/"))
        #expect(path.wholeMatch(of: /\/webhooks\/1\/[0-9a-f]{40}/) != nil)
        #expect(await post("Deployed\n", to: path) == .text("ok"))
        #expect(await post(#"{"text": "Hi"}"#, to: path, type: "application/json") == .text("ok"))
        #expect(said(in: "#ops") == ["[webhook 1] Deployed", "[webhook 1] Hi"])
    }

    @Test func `a webhook can have a name`() async throws {
        let path = try await webhook(for: "#ops", " as Backups")
        _ = await post("Done", to: path)
        #expect(said(in: "#ops") == ["[backups] Done"])
        let again = await robot.hears("webhook for #dev as backups", from: "root", in: "root").map(\.content)
        #expect(again == ["There is already a webhook backups. Choose another name, or say: revoke webhook backups."])
        let invalid = await robot.hears("webhook for #dev as ../x", from: "root", in: "root").map(\.content)
        #expect(invalid == ["The name of a webhook has up to 30 letters, digits and hyphens."])
    }

    @Test func `only admins create and revoke webhooks`() async {
        for command in ["webhook for here", "revoke webhook 1"] {
            #expect(await robot.hears("hubot \(command)") == [.reply("Only my admins may use that.")])
        }
    }

    @Test func `the address isn't shown in a room`() async {
        // The test's adapter has no direct messages besides those that a user begins.
        let said = await robot.hears("hubot webhook for here", from: "root")
        #expect(said == [.reply("Ask me that in private, because the address is a secret.")])
        #expect(await robot.hears("webhooks", from: "root", in: "root") == [.reply("There are no webhooks yet.")])
    }

    @Test func `without a web server, the missing setting is named`() async {
        let robot = TestRobot(name: "hubot", admins: ["root"], Webhooks())
        let said = await robot.hears("webhook for here", from: "root", in: "root").map(\.content)
        #expect(said.count == 1 && said.allSatisfy { $0.contains("HEYBOT_WEBHOOKS_URL") })
    }

    @Test func `webhooks are listed without their secrets, and can be revoked`() async throws {
        let path = try await webhook(for: "#ops")
        _ = try await webhook(for: "#dev")
        let secret = try #require(path.split(separator: "/").last)
        let all = await robot.hears("webhooks", from: "root", in: "root").map(\.content)
        #expect(all == ["2 for #dev, created by root on 2001-01-01\n1 for #ops, created by root on 2001-01-01"])
        let here = await robot.hears("hubot webhooks", in: "#ops").map(\.content)
        #expect(here == ["1 for #ops, created by root on 2001-01-01"])
        #expect(await robot.hears("hubot webhooks", in: "#else") == [.reply("This room has no webhook yet.")])
        let stored = try await robot.robot.brain.recall(BrainCollection<[String: String]>("webhooks.addresses"), "1")
        #expect(stored?["room"] == "test:#ops")
        #expect(stored?.values.contains { $0.contains(secret) } == false)

        let revoked = await robot.hears("revoke webhook 1", from: "root", in: "root")
        #expect(revoked == [.reply("Webhook 1 for #ops is revoked.")])
        #expect(await post("still there?", to: path).status == 404)
        #expect(said(in: "#ops").count == 1)
        let again = await robot.hears("revoke webhook 1", from: "root", in: "root")
        #expect(again == [.reply("There is no webhook 1. To list them, say: webhooks.")])
        // The next one has another secret.
        #expect(try await webhook(for: "#ops") != path)
    }

    @Test func `an address is for its own room`() async throws {
        let ops = try await webhook(for: "#ops")
        let dev = try await webhook(for: "#dev")
        let secret = try #require(ops.split(separator: "/").last)
        let payload = ##"{"text": "hi", "channel": "#dev", "room": "#dev"}"##
        #expect(await post(payload, to: "\(ops)?channel=%23dev", type: "application/json") == .text("ok"))
        #expect(said(in: "#dev") == [])
        let wrong = [
            "/webhooks/2/\(secret)", "/webhooks/3/\(secret)", "/webhooks/1/\(secret.dropLast())",
            "/webhooks/1/\(secret)0", "/webhooks/1/\(secret.uppercased())x", "/webhooks/1/%00",
            "/webhooks/..%2F1/\(secret)"
        ]
        let refusal = "There is no such webhook: it was revoked, or the address is incomplete.\n"
        for path in wrong { #expect(await post("hi", to: path) == .text(refusal, status: 404)) }
        #expect(said(in: "#dev") == [])
        #expect(said(in: "#ops") == ["[webhook 1] hi"])
        #expect(await post("hi", to: dev) == .text("ok"))
        #expect(robot.web.requests == [])
    }

    @Test(arguments: [
        (#"payload=%7B%22text%22%3A%22from+a+form%22%7D"#, "[webhook 1] from a form"),
        ("text=from+a+form", "[webhook 1] from a form"),
        ("Deployed to production", "[webhook 1] Deployed to production"),
        (#"{"text": "with curl -d"}"#, "[webhook 1] with curl -d"),
        ("from=ada", "[webhook 1] I got a payload whose format I don't know. Its keys: from")
    ])
    func `forms are read, also those that aren't forms`(_ body: String, _ line: String) async throws {
        let path = try await webhook(for: "#ops")
        _ = await post(body, to: path, type: "application/x-www-form-urlencoded")
        #expect(said(in: "#ops") == [line])
    }

    @Test(arguments: [
        ("", "text/plain", 400, "There is nothing to post: send JSON, a form or text."),
        ("{", "application/json", 400, "The body isn't valid JSON, or is nested too deeply."),
        ("payload=%7B", "application/x-www-form-urlencoded", 400, "The form's field payload isn't valid JSON."),
        ("x", "image/png", 415, "I can't read image/png: send JSON, a form or text."),
        (marks, "text/plain", 400, tooManyMarks),
        ("{\"a\(escapedMarks)\": 1}", "application/json", 400, tooManyMarks),
        ("text\(encodedMarks)=x", "application/x-www-form-urlencoded", 400, tooManyMarks)
    ])
    func `what can't be read is refused with the reason`(
        _ body: String, _ type: String, _ status: Int, _ reason: String
    ) async throws {
        let path = try await webhook(for: "#ops")
        #expect(await post(body, to: path, type: type) == .text("\(reason)\n", status: status))
        #expect(said(in: "#ops") == [])
    }

    @Test func `of an unknown format, the keys are posted once, and its sender gets them too`() async throws {
        let path = try await webhook(for: "#ops")
        for _ in 0..<3 {
            let answer = await post(#"{"kind": "x", "data": {"id": 1}}"#, to: path, type: "application/json")
            #expect(
                answer
                    == .text("I don't know this format, so I posted only its keys: data.id, kind\n", status: 202))
        }
        #expect(
            said(in: "#ops")
                == ["[webhook 1] I got a payload whose format I don't know. Its keys: data.id, kind"])
    }

    @Test func `too many messages become a summary after half a minute`() async throws {
        let path = try await webhook(for: "#ops")
        for number in 1...300 { #expect(await post("message \(number)", to: path) == .text("ok")) }
        #expect(said(in: "#ops").count == 5)
        _ = await robot.advance(by: .seconds(29))
        #expect(said(in: "#ops").count == 5)
        _ = await robot.advance(by: .seconds(1))
        #expect(said(in: "#ops").count == 6)
        #expect(said(in: "#ops").last == "[webhook 1] In 30 seconds: 295 messages, the last: message 300")
        _ = await robot.advance(by: .hours(1))
        #expect(said(in: "#ops").count == 6)
        #expect(await post("calm again", to: path) == .text("ok"))
        #expect(said(in: "#ops").last == "[webhook 1] calm again")
    }

    @Test func `a webhook revoked during a storm posts no summary`() async throws {
        let path = try await webhook(for: "#ops")
        for number in 1...20 { _ = await post("message \(number)", to: path) }
        _ = await robot.hears("revoke webhook 1", from: "root", in: "root")
        _ = await robot.advance(by: .minutes(1))
        #expect(said(in: "#ops").count == 5)
        #expect(robot.loggedProblems == [])
    }

    @Test func `it is silent where the script is disabled`() async throws {
        let path = try await webhook(for: "#ops")
        try await robot.robot.turn("Webhooks", on: false, in: "#ops")
        #expect(
            await post("hi", to: path)
                == .text("The script Webhooks is disabled in this webhook's room.\n", status: 403))
        #expect(said(in: "#ops") == [])
    }

    @Test func `GitHub may send its events to an address too`() async throws {
        let path = try await webhook(for: "#ops")
        let body = HTTPRequestBody(try Payload.issue("opened").bytes, type: "application/json")
        let answer = await robot.receives(.post, path, headers: ["X-GitHub-Event": "issues"], body: body)
        #expect(answer == .text("ok"))
        #expect(
            said(in: "#ops")
                == ["[Engine] ada opened issue #3: It prints upside down https://github.com/Ada/Engine/issues/3"])
    }

    @Test func `a large payload from GitHub is refused`() async throws {
        let path = try await webhook(for: "#ops")
        let title = String(repeating: "x", count: 1 << 20)
        let body = HTTPRequestBody(try Payload.issue("opened", title: title).bytes, type: "application/json")
        let answer = await robot.receives(.post, path, headers: ["X-GitHub-Event": "issues"], body: body)
        #expect(answer == .text("A payload from GitHub may have at most 1024 KiB here.\n", status: 413))
        #expect(said(in: "#ops") == [])
    }

    @Test func `an address can't change what another one knows about GitHub's checks`() async throws {
        func status(_ state: String, to path: String) async -> WebResponse {
            let json = """
                {"state": "\(state)", "context": "ci", "sha": "abcdabcd", "branches": [{"name": "main"}],
                 "repository": {"full_name": "ada/engine", "default_branch": "main"}}
                """
            let body = HTTPRequestBody(json.utf8, type: "application/json")
            return await robot.receives(.post, path, headers: ["X-GitHub-Event": "status"], body: body)
        }
        let (ops, dev) = (try await webhook(for: "#ops"), try await webhook(for: "#dev"))
        #expect(await status("failure", to: ops) == .text("ok"))
        #expect(await status("success", to: dev).status == 202)
        #expect(await status("success", to: ops) == .text("ok"))
        #expect(said(in: "#ops").count == 2)
        #expect(said(in: "#dev") == [])
    }

    private static let secret = "0123456789abcdef0123456789abcdef01234567"

    /// A brain with webhook 1 for a room, whose secret is ``secret``.
    private static func brain(_ room: String, in store: MemoryStore = MemoryStore()) async throws -> Brain {
        // With the SHA-256 of the secret.
        let entry = [
            "room": room, "secretHash": "deb87fabd17715bb31ad4cf4ffb9494eeb15f8d33d85b031a301c64ab3417eaa",
            "creator": "ada", "date": "2026-01-01T00:00:00Z"
        ]
        let brain = Brain(store: store)
        try await brain.open()
        try await brain.remember(BrainCollection<[String: String]>("webhooks.addresses"), "1", entry)
        return brain
    }

    @Test func `a room that can't be reached is reported, and the repetition is posted`() async throws {
        let irc = FlakyAdapter("irc", silent: ["#ops"])
        let brain = try await Self.brain("irc:#ops")
        let settings = ["WEBHOOKS_URL": "https://bot.example.org"]
        try await withRobot([irc], Webhooks(), settings: settings, brain: brain) { post in
            let payload = HTTPRequestBody(
                #"{"name": "shop", "build": {"number": 1, "phase": "FINALIZED", "status": "SUCCESS"}}"#.utf8,
                type: "application/json")
            let path = "/webhooks/1/\(Self.secret)"
            #expect(
                await post(path, [:], payload)
                    == .text("I can't post in this webhook's room right now.\n", status: 503))
            irc.recover()
            #expect(await post(path, [:], payload) == .text("ok"))
            #expect(await post(path, [:], payload) == .text("ok"))
            #expect(irc.said == ["#ops: [Jenkins] shop #1 succeeded"])
        }
    }

    @Test(arguments: [8, 20])
    func `a summary that isn't due when the robot stops is posted after the next start`(_ count: Int) async throws {
        let store = MemoryStore()
        let chat = FlakyAdapter("test")
        let settings = ["WEBHOOKS_URL": "https://bot.example.org"]
        let brain = try await Self.brain("test:#ops", in: store)
        try await withRobot([chat], Webhooks(), settings: settings, brain: brain) { post in
            for number in 1...count {
                _ = await post("/webhooks/1/\(Self.secret)", [:], HTTPRequestBody.text("message \(number)"))
            }
        }
        #expect(chat.said.count == 5)

        // A robot on another network leaves it alone.
        let elsewhere = FlakyAdapter("other")
        let other = Brain(store: store)
        try await withRobot([elsewhere], Webhooks(), settings: settings, brain: other) { _ in }
        let next = TestRobot(name: "hubot", brain: Brain(store: store), settings: settings, Webhooks())
        _ = await next.advance(by: .seconds(1))
        await next.receives(.post, "/webhooks/1/\(Self.secret)", body: .text("after the restart"))
        #expect(next.lines == [])
        _ = await next.advance(by: .seconds(30))
        let said = next.said(in: "#ops").map(\.content)
        if count == 8 {
            #expect(
                said == [
                    "[webhook 1] message 6\n[webhook 1] message 7\n[webhook 1] message 8\n[webhook 1] after the restart"
                ])
        } else {
            let end = "seconds: 15 messages, the last: message 20\n[webhook 1] after the restart"
            #expect(said.count == 1 && said.first?.hasSuffix(end) == true, "\(said)")
        }
        _ = await next.advance(by: .hours(1))
        #expect(next.lines.count == 1)
    }

    @Test func `a revoked webhook's summary isn't posted by a new one with its name`() async throws {
        let store = MemoryStore()
        let settings = ["WEBHOOKS_URL": "https://bot.example.org"]
        let brain = try await Self.brain("test:#ops", in: store)
        try await withRobot([FlakyAdapter("test")], Webhooks(), settings: settings, brain: brain) { post in
            for number in 1...8 {
                _ = await post("/webhooks/1/\(Self.secret)", [:], HTTPRequestBody.text("message \(number)"))
            }
            // As by another robot.
            try await brain.forget(BrainCollection<[String: String]>("webhooks.addresses"), "1")
        }
        let later = try await Self.brain("test:#dev", in: store)
        let next = TestRobot(name: "hubot", brain: later, settings: settings, Webhooks())
        _ = await next.advance(by: .minutes(1))
        #expect(next.lines == [])
    }
}
