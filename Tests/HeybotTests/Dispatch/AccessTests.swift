import HeybotTesting
import TestServers
import Testing

@testable import Heybot

/// Who may use a command, its confirmation, and the approval by a second user.
@Suite(.timeLimit(.minutes(15))) struct AccessTests {
    private static func user(_ name: String, isAnonymous: Bool = false) -> User {
        User(id: User.ID(adapter: "test", value: name), name: name, isAnonymous: isAnonymous)
    }

    private static func room(_ name: String, on adapter: String = "test") -> Room {
        Room(id: Room.ID(adapter: adapter, value: name))
    }

    // MARK: Access

    @Test(
        arguments: [
            (Access.everyone, [], "#dev", nil), (.admins, ["ops"], "#dev", "Only my admins may use that."),
            (.admins, ["admin"], "#dev", nil), (.role("Deployer"), ["deployer"], "#dev", nil),
            (.role("deployer"), ["admin"], "#dev", nil),
            (.role("deployer", "ops"), ["dev"], "#dev", "You need the deployer or the ops role for that."),
            (.in("#ops"), [], "#OPS", nil), (.in("test:#ops"), [], "#ops", nil),
            (.in("irc:#ops"), [], "#ops", "You can use that only in irc:#ops."),
            (.role("deployer").in("#ops"), ["deployer"], "#dev", "You can use that only in #ops."),
            (.admins.in("#ops"), ["admin"], "#dev", "You can use that only in #ops."),
            (.on("test"), [], "#dev", nil), (.on("irc"), [], "#dev", "You can use that only on irc.")
        ] as [(Access, [String], String, String?)])
    func `roles, rooms and adapters decide`(_ access: Access, _ roles: [String], _ room: String, _ refusal: String?) {
        #expect(access.refusal(ofUserWith: Set(roles), in: Self.room(room), on: []) == refusal)
    }

    @Test func `a room's name gives no access, only its id does`() {
        let room = Room(id: Room.ID(adapter: "test", value: "1"), name: "#ops")
        #expect(Access.in("#ops").refusal(ofUserWith: [], in: room, on: []) != nil)
    }

    /// An adapter whose rooms are those that the others name in capitals, except accented letters.
    private struct FoldingAdapter: RoomNameFolding {
        let name = "irc"
        let status = AdapterStatus.starting

        func run(_ inbox: Inbox) async throws {}
        func deliver(_ utterance: Utterance, to envelope: Envelope) async throws {}

        func foldedRoomName(_ name: String) -> String {
            let bytes = name.utf8.map { (byte: UInt8) -> UInt8 in (0x41...0x5E).contains(byte) ? byte + 0x20 : byte }
            return String(decoding: bytes, as: UTF8.self)
        }
    }

    @Test(
        arguments: [
            ("#OPS[1]", "#ops{1}", true), ("IRC:#Ops", "#ops", true), ("#ops", "#OPS", true), ("#ops", "#ops2", false),
            ("test:#ops", "#ops", false), ("#Ä", "#ä", false), ("#e\u{301}", "#é", false)
        ])
    func `rooms are compared as their network does`(_ rule: String, _ room: String, _ isSame: Bool) {
        let refusal = Access.in(rule).refusal(
            ofUserWith: [], in: Self.room(room, on: "irc"), on: [FoldingAdapter()])
        #expect((refusal == nil) == isSame)
    }

    @Test func `an id has the form of the network's messages, however it is written`() {
        let robot = Robot(
            adapters: [FoldingAdapter(), ManualAdapter()], brain: Brain(store: MemoryStore()), scripts: [])
        #expect(robot.foldedID(of: Room.ID(adapter: "irc", value: "#Ops[1]")).description == "irc:#ops{1}")
        #expect(robot.foldedID(of: Room.ID(adapter: "hand", value: "#Ops")).description == "hand:#Ops")
    }

    @Test func `a command for a role in a room`() async throws {
        let robot = TestRobot(
            admins: ["root"],
            InlineScript("Deploy") {
                $0.respond(/deploy/, help: "deploy - Deploy", allow: .role("deployer").in("#ops")) {
                    try await $0.send("done")
                }
            })
        #expect(
            await robot.hears("heybot deploy", from: "ada", in: "#ops") == [
                .reply("You need the deployer role for that.")
            ])
        try await robot.robot.set(role: "deployer", of: Self.user("ada"), to: true)
        #expect(await robot.hears("heybot deploy", from: "ada", in: "#ops") == [.text("done")])
        #expect(
            await robot.hears("heybot deploy", from: "ada", in: "#dev") == [.reply("You can use that only in #ops.")])
        #expect(robot.robot.commands(for: Self.user("ada"), in: Self.room("#ops")).map(\.line.usage) == ["deploy"])
        #expect(robot.robot.commands(for: Self.user("ada"), in: Self.room("#dev")).isEmpty)
        #expect(robot.robot.commands(for: Self.user("bob"), in: Self.room("#ops")).isEmpty)
    }

    @Test func `a change of access takes precedence over the script, a command's over its script's, until it is reset`()
        async throws
    {
        let brain = Brain(store: MemoryStore())
        let script = InlineScript("Tea") {
            $0.respond(/make/, help: "make <kind> - Make tea", allow: .admins) { try await $0.send("made") }
            $0.respond(/drink/, help: "drink - Drink tea") { try await $0.send("drunk") }
        }
        let robot = TestRobot(admins: ["root"], brain: brain, script)
        let root = Self.user("root")
        // The first message opens the brain.
        _ = await robot.hears("hi")
        try await robot.robot.setAccess(.everyone, to: "Tea", command: "make", by: root)
        try await robot.robot.setAccess(.role("host"), to: "Tea", command: nil, by: root)
        #expect(await robot.hears("heybot make tea", from: "ada") == [.text("made")])
        #expect(await robot.hears("heybot drink", from: "ada") == [.reply("You need the host role for that.")])
        // Another robot with this brain, and a change that replaces one.
        let other = TestRobot(admins: ["root"], brain: brain, script)
        _ = await other.hears("hi")
        try await other.robot.loadSwitchesAndRoles()
        #expect(await other.hears("heybot drink", from: "ada") == [.reply("You need the host role for that.")])
        try await robot.robot.setAccess(.in("#kitchen"), to: "Tea", command: nil, by: root)
        #expect(robot.robot.changedAccess.entries.count == 2)
        #expect(await robot.hears("heybot drink", from: "ada", in: "#kitchen") == [.text("drunk")])
        #expect(try await robot.robot.resetAccess(to: "Tea", command: "make"))
        #expect(try await robot.robot.resetAccess(to: "Tea", command: nil))
        #expect(try await !robot.robot.resetAccess(to: "Tea", command: nil))
        #expect(await robot.hears("heybot make tea", from: "ada") == [.reply("Only my admins may use that.")])
        #expect(await robot.hears("heybot drink", from: "ada") == [.text("drunk")])
    }

    @Test func `the number of changes is limited`() throws {
        var changed = ChangedAccess()
        for number in 0..<ChangedAccess.most {
            try changed.set(entry("command \(number)"))
        }
        try changed.set(entry("command 0"))
        #expect(throws: Refusal.self) { try changed.set(entry("one more")) }
        #expect(changed.entries.count == ChangedAccess.most)
    }

    private func entry(_ command: String) -> ChangedAccess.Entry {
        ChangedAccess.Entry(
            script: "Tea", command: command, access: .admins, admin: User.ID(adapter: "test", value: "root"),
            date: .distantPast)
    }

    // MARK: Confirmation and approval

    private static let danger = InlineScript("Danger") {
        $0.respond(/erase (\w+)/, confirm: "This can't be undone. Are you sure?") {
            try await $0.send("erased \($0.match.1)")
        }
        $0.respond(/launch (\w+)/, approve: .by("captain")) { try await $0.send("launched \($0.match.1)") }
    }

    @Test func `a confirmation is asked before the closure runs`() async {
        let robot = TestRobot(Self.danger)
        let question: [Utterance] = [.reply("This can't be undone. Are you sure? (yes/no)")]
        #expect(await robot.hears("heybot erase logs") == question)
        #expect(await robot.hears("Yes!") == [.text("erased logs")])
        for answer in ["no", "well", ""] {
            #expect(await robot.hears("heybot erase logs") == question)
            #expect(await robot.hears("heybot \(answer)") == [.reply("OK, I won't.")])
        }
    }

    /// Returns the number of the command that waits for approval.
    private func start(_ robot: TestRobot) async throws -> Int {
        _ = await robot.hears("hi")
        for name in ["ada", "grace"] { try await robot.robot.set(role: "captain", of: Self.user(name), to: true) }
        let asked = await robot.hears("heybot launch apollo", from: "ada")
        let number = try #require(robot.robot.pendingApprovals.first).id
        #expect(
            asked == [
                .reply(
                    "Somebody else with the captain role, or an admin, must approve this within 10 min: say \"approve "
                        + "\(number)\" or \"deny \(number)\".")
            ])
        return number
    }

    @Test func `only a plain yes confirms`() async {
        let robot = TestRobot(Self.danger)
        for answer in ["ok grace, see you", "yeah, no", "sure not"] {
            _ = await robot.hears("heybot erase logs")
            // That may be meant for somebody else.
            #expect(await robot.hears(answer) == [])
            #expect(await robot.hears("heybot \(answer)") == [.reply("OK, I won't.")])
        }
        _ = await robot.hears("heybot erase logs")
        #expect(await robot.hears("yes, please") == [.text("erased logs")])
        _ = await robot.hears("heybot erase logs")
        #expect(await robot.hears("No, thanks.") == [.reply("OK, I won't.")])
    }

    @Test func `a second user with the role approves, from any room, and the closure runs once`() async throws {
        let robot = TestRobot(Self.danger)
        let number = try await start(robot)
        let waiting = try #require(robot.robot.pendingApprovals.first)
        #expect(waiting.command == "launch apollo" && waiting.requester.name == "ada")
        #expect(throws: Refusal("Somebody else must approve that.")) {
            try robot.robot.decide(number, approves: true, by: Self.user("ada"))
        }
        #expect(throws: Refusal("You need the captain role for that.")) {
            try robot.robot.decide(number, approves: true, by: Self.user("bob"))
        }
        for approves in [true, false] {
            #expect(throws: Refusal.self) {
                try robot.robot.decide(number, approves: approves, by: Self.user("grace", isAnonymous: true))
            }
            #expect(throws: Refusal.self) {
                try robot.robot.decide(number, approves: approves, by: Self.user("ada", isAnonymous: true))
            }
        }
        let namesake = User(id: User.ID(adapter: "other", value: "1"), name: "Ada")
        try await robot.robot.set(role: "captain", of: namesake, to: true)
        #expect(throws: Refusal.self) { try robot.robot.decide(number, approves: true, by: namesake) }
        #expect(try robot.robot.decide(number, approves: true, by: Self.user("grace")) == waiting)
        #expect(try robot.robot.decide(number, approves: true, by: Self.user("grace")) == nil)
        try await wait(for: "the launch") { robot.lines.contains { $0.utterance == .text("launched apollo") } }
        #expect(robot.lines.count { $0.utterance == .text("launched apollo") } == 1)
        #expect(robot.robot.pendingApprovals.isEmpty)
    }

    @Test func `somebody denies it, the requester withdraws it, or the time passes: the closure doesn't run`()
        async throws
    {
        for (user, said) in [("grace", "grace has denied launch apollo."), ("ada", "OK, I won't.")] {
            let robot = TestRobot(Self.danger)
            let number = try await start(robot)
            #expect(try robot.robot.decide(number, approves: false, by: Self.user(user)) != nil)
            try await wait(for: "the answer") { robot.lines.last?.utterance == .reply(said) }
        }
        let robot = TestRobot(Self.danger)
        let number = try await start(robot)
        #expect(await robot.advance(by: .seconds(599)) == [])
        #expect(
            await robot.advance(by: .seconds(1)).map(\.utterance) == [
                .reply("Nobody has approved launch apollo in time.")
            ])
        #expect(try robot.robot.decide(number, approves: true, by: Self.user("grace")) == nil)
        #expect(!robot.lines.contains { $0.utterance == .text("launched apollo") })
    }

    @Test func `what can't be shown whole, or comes from an anonymous user, can't be approved`() async throws {
        let robot = TestRobot(Self.danger)
        let long = "launch apollo\(String(repeating: " ", count: 190))and more"
        #expect(
            await robot.hears("heybot \(long)")
                == [.reply("Say that in at most 200 plain characters, so that others can see what they approve.")])
        let adapter = ManualAdapter()
        try await withRobot(adapters: [adapter], Self.danger) { _ in
            var message = adapter.message("heybot launch apollo", "m2")
            message.user = Self.user("m2", isAnonymous: true)
            await adapter.handle(message)
            #expect(adapter.texts.last?.contains("log in to your account first") == true, "\(adapter.texts)")
        }
    }

    @Test func `rights that end while a command waits count`() async throws {
        let script = InlineScript("Danger") {
            $0.respond(/launch/, allow: .role("captain"), confirm: "Sure?") { try await $0.send("launched") }
        }
        for change in ["role", "ignored", "off"] {
            let robot = TestRobot(admins: ["root"], script)
            _ = await robot.hears("hi")
            let ada = Self.user("ada")
            try await robot.robot.set(role: "captain", of: ada, to: true)
            _ = await robot.hears("heybot launch", from: "ada")
            switch change {
            case "role": try await robot.robot.set(role: "captain", of: ada, to: false)
            case "off": try await robot.robot.turn("Danger", on: false)
            default: try await robot.robot.ignore(ada)
            }
            _ = await robot.hears("yes", from: "ada")
            #expect(!robot.lines.contains { $0.utterance == .text("launched") }, "\(change)")
        }
    }

    @Test func `a restricted listener that only happens to match stays silent, and another catch-all answers`()
        async throws
    {
        let robot = TestRobot(
            admins: ["root"],
            InlineScript("Links") { $0.hear(/https/) { try await $0.send("a link") } },
            InlineScript("First") { $0.catchAll(onlyAddressed: true) { try await $0.send("first") } },
            InlineScript("Last") { $0.catchAll(onlyAddressed: true) { try await $0.send("last") } })
        _ = await robot.hears("hi")
        for name in ["Links", "First"] {
            try await robot.robot.setAccess(.in("#a"), to: name, command: nil, by: Self.user("root"))
        }
        #expect(await robot.hears("see https://example.org") == [])
        #expect(await robot.hears("heybot what") == [.text("last")])
        #expect(await robot.hears("see https://example.org", in: "#a") == [.text("a link")])
    }

    @Test func `a user can't have more than five commands wait`() async throws {
        let robot = TestRobot(Self.danger)
        for _ in 1...5 { _ = await robot.hears("heybot launch apollo", from: "ada") }
        #expect(
            await robot.hears("heybot launch apollo", from: "ada")
                == [.reply("Too many commands are waiting for approval already.")])
        let numbers = robot.robot.pendingApprovals.map(\.id)
        #expect(numbers.count == 5 && numbers == (0..<5).map { (numbers.first ?? 0) + $0 })
    }
}
