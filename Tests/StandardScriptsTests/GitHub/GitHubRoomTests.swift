import Heybot
import HeybotTesting
import StandardScripts
import Testing

/// The rooms in which events are posted, and how often.
@Suite struct GitHubRoomTests {
    let brain = Brain(store: MemoryStore())
    let robot: TestRobot
    let hook: GitHubHook

    init() {
        robot = TestRobot(
            name: "hubot", admins: ["root"], brain: brain, settings: ["GITHUB_SECRET": GitHubHook.secret], GitHub())
        hook = GitHubHook(robot: robot)
    }

    private func admin(_ text: String, in room: String = "#dev") async -> [Utterance] {
        await robot.hears("hubot github " + text, from: "root", in: room)
    }

    private func rooms(since count: Int) -> [String] { robot.lines.dropFirst(count).map(\.room) }

    @Test func `help and examples are true`() {
        #expect(robot.brokenExamples() == [])
    }

    // MARK: Subscriptions

    @Test func `a room gets the events that it is subscribed to`() async throws {
        #expect(await admin("subscribe Ada/Engine") == [.reply("#dev now follows ada/engine.")])
        #expect(await admin("subscribe ada/ENGINE here") == [.reply("#dev follows ada/engine.")])
        #expect(await admin("subscribe ada/engine in #ops") == [.reply("#ops now follows ada/engine.")])
        #expect(await admin("subscribe ada/* in test:#all") == [.reply("#all now follows ada/*.")])
        #expect(await admin("subscribe ada/* in here", in: "#ops") == [.reply("#ops now follows ada/*.")])
        #expect(await admin("subscribe ada/cards in #cards") == [.reply("#cards now follows ada/cards.")])
        let count = robot.lines.count
        #expect(try await hook.sends("issues", Payload.issue("opened"), to: "/github") == .text("posted in 3 rooms"))
        #expect(rooms(since: count) == ["#all", "#dev", "#ops"])
    }

    @Test func `events of a repository without subscribers are posted nowhere`() async throws {
        _ = await admin("subscribe ada/other")
        let count = robot.lines.count
        #expect(
            try await hook.sends("issues", Payload.issue("opened"), to: "/github")
                == .text("no room gets this event of Ada/Engine"))
        #expect(rooms(since: count) == [])
    }

    @Test func `subscriptions end`() async throws {
        _ = await admin("subscribe ada/engine")
        _ = await admin("subscribe ada/engine in #ops")
        _ = await admin("subscribe ada/*")
        #expect(
            await admin("unsubscribe Ada/Engine here")
                == [.reply("#dev no longer follows ada/engine, but still follows ada/*, which includes it.")])
        #expect(await admin("unsubscribe ada/engine") == [.reply("#dev doesn't follow ada/engine.")])
        #expect(await admin("unsubscribe ada/*") == [.reply("#dev no longer follows ada/*.")])
        #expect(await admin("unsubscribe ada/engine in #ops") == [.reply("#ops no longer follows ada/engine.")])
        #expect(
            await admin("subscriptions") == [
                .text("No room follows a repository yet. Try: github subscribe owner/name.")
            ])
        let memories = BrainCollection<[Room.ID]>("github.subscriptions")
        #expect(try await brain.recall(memories, "ada/engine") == nil)
        #expect(try await brain.recall(memories, "ada/*") == nil)
    }

    @Test func `they are kept sorted, by the name in lower case`() async throws {
        for room in ["#b", "#c", "#a"] { _ = await admin("subscribe Ada/Engine in \(room)") }
        let memories = BrainCollection<[Room.ID]>("github.subscriptions")
        #expect(
            try await brain.recall(memories, "ada/engine")
                == ["#a", "#b", "#c"].map { Room.ID(adapter: "test", value: $0) })
    }

    @Test func `two at once are both kept`() async throws {
        let memories = BrainCollection<[Room.ID]>("github.subscriptions")
        await withTaskGroup(of: Void.self) { group in
            for number in 1...20 {
                group.addTask { _ = await admin("subscribe ada/engine in #room\(number)") }
            }
        }
        #expect(try await brain.recall(memories, "ada/engine")?.count == 20)
    }

    @Test func `admins see all subscriptions, others those of their room`() async {
        _ = await admin("subscribe zoe/tools in #ops")
        _ = await admin("subscribe ada/engine in #ops")
        _ = await admin("subscribe ada/engine")
        #expect(await admin("subscriptions") == [.text("ada/engine: #dev, #ops\nzoe/tools: #ops")])
        let question = "hubot github subscriptions"
        #expect(await robot.hears(question, in: "#ops") == [.text("This room follows ada/engine, zoe/tools.")])
        #expect(await robot.hears(question, in: "#dev") == [.text("This room follows ada/engine.")])
        #expect(await robot.hears(question, in: "#all") == [.text("This room follows no repositories.")])
    }

    @Test func `only admins change them`() async {
        let no: [Utterance] = [.reply("Only my admins may use that.")]
        #expect(await robot.hears("hubot github subscribe ada/engine") == no)
        #expect(await robot.hears("hubot github unsubscribe ada/engine") == no)
        #expect(
            await admin("subscriptions") == [
                .text("No room follows a repository yet. Try: github subscribe owner/name.")
            ])
    }

    @Test(arguments: [
        ("ada", "Write owner/name for a repository, or owner/* for all of an owner's repositories."),
        (
            "https://github.com/ada/engine",
            "Write owner/name for a repository, or owner/* for all of an owner's repositories."
        ),
        ("-ada/engine", "GitHub has no owner named -ada."), ("ada-/engine", "GitHub has no owner named ada-."),
        ("a--da/engine", "GitHub has no owner named a--da."), ("a.da/engine", "GitHub has no owner named a.da."),
        ("*/engine", "GitHub has no owner named *."), ("/engine", "GitHub has no owner named ."),
        ("ädä/engine", "GitHub has no owner named ädä."),
        (
            "\(String(repeating: "a", count: 40))/engine",
            "GitHub has no owner named \(String(repeating: "a", count: 40))."
        ),
        ("ada/", "GitHub has no repository named ."), ("ada/..", "GitHub has no repository named ..."),
        ("ada/engine.git", "GitHub has no repository named engine.git."),
        ("ada/eng*", "GitHub has no repository named eng*."), ("ada/é", "GitHub has no repository named é."),
        (
            "ada/\(String(repeating: "x", count: 101))",
            "GitHub has no repository named \(String(repeating: "x", count: 101))."
        )
    ])
    func `names that GitHub doesn't have are refused`(_ name: String, _ why: String) async {
        #expect(await admin("subscribe \(name)") == [.reply(why)])
    }

    @Test(arguments: [
        "a/b", "A-1/._-", "ada_acme/x", "\(String(repeating: "a", count: 39))/\(String(repeating: "x", count: 100))"
    ])
    func `names that GitHub has are taken`(_ name: String) async {
        #expect(await admin("subscribe \(name)") == [.reply("#dev now follows \(name.lowercased()).")])
    }

    // MARK: Rooms in the path

    @Test(arguments: [
        ("/github/%23dev", "#dev"), ("/github/test:%23dev", "#dev"), ("/github/ada", "ada"),
        ("/github/room%2Fwith%20more", "room/with more"), ("/github/test:a:b", "a:b")
    ])
    func `only the room in the path gets the event`(_ target: String, _ room: String) async throws {
        _ = await admin("subscribe ada/engine in #ops")
        let count = robot.lines.count
        #expect(try await hook.sends("issues", Payload.issue("opened"), to: target) == .text("posted in 1 room"))
        #expect(rooms(since: count) == [room])
    }

    @Test(arguments: [
        ("/github/irc:%23dev", "I have no adapter irc; I have test."), ("/github/test:", "Which room on test? Name it.")
    ])
    func `a room that can't be is refused`(_ target: String, _ why: String) async throws {
        #expect(try await hook.sends("issues", Payload.issue("opened"), to: target) == .text(why + "\n", status: 404))
        #expect(robot.lines == [])
    }

    @Test func `it posts nothing where the script is disabled`() async throws {
        _ = await admin("subscribe ada/engine")
        _ = await admin("subscribe ada/engine in #ops")
        try await robot.robot.turn("GitHub", on: false, in: "test:#dev")
        let count = robot.lines.count
        #expect(try await hook.sends("issues", Payload.issue("opened"), to: "/github") == .text("posted in 1 room"))
        #expect(
            try await hook.sends("issues", Payload.issue("opened"))
                == .text("no room gets this event of Ada/Engine"))
        #expect(rooms(since: count) == ["#ops"])
    }

    // MARK: Again

    @Test func `a redelivery isn't posted twice`() async throws {
        let event = Payload.issue("opened")
        #expect(try await hook.sends("issues", event, delivery: "1") == .text("posted in 1 room"))
        #expect(try await hook.sends("issues", event, delivery: "1") == .text("already posted"))
        #expect(try await hook.sends("issues", event, delivery: "2") == .text("posted in 1 room"))
        // Another webhook's delivery of the same event.
        #expect(try await hook.sends("issues", event, to: "/github/%23ops", delivery: "1") == .text("posted in 1 room"))
        _ = await admin("subscribe ada/engine")
        _ = await admin("subscribe ada/engine in #all")
        let count = robot.lines.count
        #expect(try await hook.sends("issues", event, to: "/github", delivery: "1") == .text("posted in 1 room"))
        #expect(rooms(since: count) == ["#all"])
    }

    @Test func `without an id there are no duplicates`() async throws {
        for _ in 1...2 { #expect(try await hook.sends("issues", Payload.issue("opened")) == .text("posted in 1 room")) }
    }

    @Test func `the last thousand ids are remembered`() async throws {
        let event = Payload.issue("opened")
        for number in 0...1_000 { try await hook.sends("issues", event, delivery: "\(number)") }
        #expect(try await hook.sends("issues", event, delivery: "1") == .text("already posted"))
        #expect(try await hook.sends("issues", event, delivery: "1000") == .text("already posted"))
        #expect(try await hook.sends("issues", event, delivery: "0") == .text("posted in 1 room"))
        // That one came in place of the then oldest.
        #expect(try await hook.sends("issues", event, delivery: "2") == .text("already posted"))
        #expect(try await hook.sends("issues", event, delivery: "1") == .text("posted in 1 room"))
    }

    // MARK: Trouble

    @Test func `a room of an adapter that is gone fails alone, and can be unsubscribed`() async throws {
        _ = await admin("subscribe ada/engine")
        let memories = BrainCollection<[Room.ID]>("github.subscriptions")
        try await brain.remember(
            memories, "ada/engine", [Room.ID(adapter: "irc", value: "#old"), Room.ID(adapter: "test", value: "#dev")])
        #expect(
            try await hook.sends("issues", Payload.issue("opened"), to: "/github")
                == .text("posted in 1 room, 1 failed"))
        #expect(robot.loggedProblems.count == 1)
        #expect(robot.loggedProblems.first?.contains("there is no adapter irc") == true)
        #expect(robot.loggedProblems.first?.contains("room=irc:#old") == true)
        #expect(await admin("unsubscribe ada/engine in irc:#old") == [.reply("irc:#old no longer follows ada/engine.")])
        #expect(try await hook.sends("issues", Payload.issue("opened"), to: "/github") == .text("posted in 1 room"))
    }

    @Test func `if no room can be reached, GitHub may retry`() async throws {
        let (irc, xmpp) = (FlakyAdapter("irc", silent: ["#ops"]), FlakyAdapter("xmpp", silent: ["dev@example.org"]))
        let rooms = ["irc:#dev", "irc:#ops", "xmpp:dev@example.org"].compactMap { Room.ID($0) }
        let brain = Brain(store: MemoryStore())
        try await brain.open()
        try await brain.remember(BrainCollection<[Room.ID]>("github.subscriptions"), "ada/engine", rooms)
        let body = HTTPRequestBody(try Payload.issue("opened", title: "x").bytes, type: "application/json")
        let signature = GitHubHook.signature(of: body.bytes)
        let settings = ["GITHUB_SECRET": GitHubHook.secret]
        try await withRobot([irc, xmpp], GitHub(), settings: settings, brain: brain) { post in
            func send(_ target: String, _ delivery: String) async -> WebResponse {
                await post(
                    target,
                    [
                        "X-GitHub-Event": "issues", "X-GitHub-Delivery": delivery, "X-Hub-Signature-256": signature
                    ], body)
            }
            #expect(await send("/github", "1") == .text("posted in 1 room, 2 failed"))
            let failed = WebResponse.text("I couldn't post in the room.\n", status: 503)
            #expect(await send("/github/irc:%23ops", "2") == failed)
            #expect(
                await send("/github/%23dev", "3")
                    == .text("Which adapter is that room on? Write irc:%23dev or xmpp:%23dev.\n", status: 404))
            #expect(
                await send("/github/slack:%23dev", "4")
                    == .text("I have no adapter slack; I have irc, xmpp.\n", status: 404))
            let line = "[Engine] ada opened issue #3: x https://github.com/Ada/Engine/issues/3"
            #expect(irc.said == ["#dev: \(line)"])
            // A redelivery is posted only where the first delivery failed.
            irc.recover()
            #expect(await send("/github", "1") == .text("posted in 1 room, 1 failed"))
            #expect(await send("/github/irc:%23ops", "2") == .text("posted in 1 room"))
            #expect(irc.said == ["#dev: \(line)", "#ops: \(line)", "#ops: \(line)"])
            xmpp.recover()
            #expect(await send("/github", "1") == .text("posted in 1 room"))
            #expect(await send("/github", "1") == .text("already posted"))
            #expect(xmpp.said == ["dev@example.org: \(line)"])
        }
    }
}
