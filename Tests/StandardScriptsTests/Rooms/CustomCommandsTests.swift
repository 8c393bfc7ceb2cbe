import Heybot
import HeybotTesting
import Testing

@testable import StandardScripts

@Suite(.timeLimit(.minutes(15))) struct CustomCommandsTests {
    private let brain = Brain(store: MemoryStore())
    private let robot: TestRobot

    init() {
        robot = Self.makeRobot(brain)
    }

    private static func makeRobot(
        _ brain: Brain, admins: Set<String> = ["root"], networks: [any Adapter] = []
    ) -> TestRobot {
        let launcher = InlineScript("Launcher") { robot in
            robot.respond(/launch(?: (?<what>.+))?$/, allow: .admins) { res in
                try await res.send("launching \(res.match.what ?? "all") for \(res.message.user.name)")
            }
        }
        return TestRobot(
            name: "hubot", admins: admins, brain: brain, networks: networks, Descriptions(), Diagnostics(),
            CustomCommands(), Help(), launcher)
    }

    private func says(_ text: String, from user: String = "alice", in room: String = "#test") async -> [String] {
        await robot.hears("hubot \(text)", from: user, in: room).map(\.content)
    }

    private static let unknown = "I don't understand that. Say \"help\" to see what I can do."
    private static let unknownInRoom = "I don't understand that. Say \"hubot help\" to see what I can do."

    // MARK: Saying

    @Test func `a command says its text, in its room only`() async {
        #expect(
            await says("when I say standup say What did you do, <user>?") == [
                "OK, \"standup\" is a command in this room now."
            ])
        #expect(await says("standup", from: "bob") == ["What did you do, bob?"])
        #expect(await says("Standup!", from: "bob") == ["What did you do, bob?"])
        #expect(await robot.hears("standup", from: "bob") == [])
        #expect(await says("standup", from: "bob", in: "#other") == [Self.unknownInRoom])
    }

    @Test func `arguments are in the text`() async {
        _ = await says("when I say greet <name> from <place> say Hello <name>, how is <Place> compared to <room>?")
        #expect(await says("greet Ada L. from the moon") == ["Hello Ada L., how is the moon compared to #test?"])
        #expect(await says("greet <place> from <user>") == ["Hello <place>, how is <user> compared to #test?"])
        #expect(
            await says("when I say hug <x> say <user> hugs <y>") == ["What is <y>? It isn't in \"hug <x>\"."])
    }

    @Test func `without its arguments, a command answers with its usage`() async {
        _ = await says("when I say greet <name> say Hello <name>")
        #expect(await says("greet") == ["Usage: greet <name>"])
    }

    @Test func `of two commands, the one with more words is meant`() async {
        _ = await says("when I say order <food> say ordering <food>")
        _ = await says("when I say order two <food> say twice <food>")
        #expect(await says("order two pizzas") == ["twice pizzas"])
        #expect(await says("order a pizza") == ["ordering a pizza"])
    }

    @Test func `quotes allow the words say and run in a command`() async {
        #expect(
            await says("when people say \"run all tests\", say \"no, thanks\"") == [
                "OK, \"run all tests\" is a command in this room now."
            ])
        #expect(await says("run all tests") == ["no, thanks"])
        #expect(await says("when I say \"run all tests\" do nothing") == ["OK, I've forgotten \"run all tests\"."])
    }

    // MARK: Running

    @Test func `a command runs another one, with the rights of the user`() async {
        _ = await says("when I say go <what> run launch <what>")
        #expect(await says("go rocket") == ["Only my admins may use that."])
        _ = await says("when I say go <what> run launch the <what>", from: "root")
        #expect(await says("go rocket", from: "root") == ["launching the rocket for root"])
    }

    @Test func `a user agrees once to what another one has made`() async {
        _ = await says("when I say go <what> run launch <what>")
        let question = "alice made that. It runs \"launch rocket\" as if you had said it. Go ahead? (yes/no)"
        #expect(await says("go rocket", from: "root") == [question])
        #expect(await robot.hears("no", from: "root").map(\.content) == ["OK, I won't."])
        #expect(await says("go rocket", from: "root") == [question])
        _ = await robot.hears("yes", from: "root")
        await robot.robot.inFlight.waitUntilIdle()
        #expect(robot.said(in: "#test").last == .text("launching rocket for root"))
        #expect(await says("go moon", from: "root") == ["launching moon for root"])
        // A change has to be agreed to again.
        _ = await says("when I say go <what> run launch the <what>")
        #expect(
            await says("go moon", from: "root") == [
                "alice made that. It runs \"launch the moon\" as if you had said it. Go ahead? (yes/no)"
            ])
    }

    @Test func `an anonymous user agrees once, until the robot is restarted`() async {
        let irc = PrivateNetwork("irc")
        let robot = Self.makeRobot(brain, admins: ["irc:root"], networks: [irc])
        func says(_ text: String, from origin: String = "bob@home") async -> [String] {
            await irc.hears("hubot \(text)", from: "bob", in: "#dev", isAnonymous: true, origin: origin)
        }
        func makes(_ text: String) async {
            _ = await irc.hears("hubot when I say twice <what> run \(text)", from: "ada", in: "#dev")
        }
        await makes("echo <what> and <what>")
        let question = "ada made that. It runs \"echo a and a\" as if you had said it. Go ahead? (yes/no)"
        #expect(await says("twice a") == [question])
        _ = await says("yes")
        await robot.robot.inFlight.waitUntilIdle()
        #expect(irc.takeDelivered().last == "#dev: a and a")
        #expect(await says("twice b") == ["b and b"])
        // Somebody else has the nick.
        #expect(await says("twice a", from: "bob@elsewhere") == [question])
        _ = await says("no", from: "bob@elsewhere")
        await makes("echo <what>, <what>")
        #expect(await says("twice b").first?.hasPrefix("ada made that. It runs \"echo b, b\"") == true)
        _ = await says("no")
        await makes("echo <what> and <what>")
        let newIRC = PrivateNetwork("irc")
        let second = Self.makeRobot(brain, admins: ["irc:root"], networks: [newIRC])
        #expect(
            await newIRC.hears("hubot twice a", from: "bob", in: "#dev", isAnonymous: true, origin: "bob@home")
                == [question])
        withExtendedLifetime((robot, second)) {}
    }

    @Test func `what an anonymous user has made isn't by the user of that name`() async {
        let irc = PrivateNetwork("irc")
        let robot = Self.makeRobot(brain, admins: ["irc:root"], networks: [irc])
        _ = await irc.hears("when I say go run launch", from: "root", isAnonymous: true)
        #expect(
            await irc.hears("go", from: "root") == [
                "root made that. It runs \"launch\" as if you had said it. Go ahead? (yes/no)"
            ])
        _ = await irc.hears("when I say greet say hello", from: "ada", isAnonymous: true)
        #expect(
            await irc.hears("when I say greet do nothing", from: "ada") == [
                "Nobody has made a command \"greet\" here. To list all, say \"custom commands\"."
            ])
        withExtendedLifetime(robot) {}
    }

    @Test func `commands that run each other come to an end`() async {
        _ = await says("when I say ping1 run ping2")
        _ = await says("when I say ping2 run ping1")
        _ = await says("when I say self run self")
        let end = ["I've stopped there: at most 5 commands may run each other."]
        #expect(await says("ping1") == end)
        #expect(await says("self") == end)
    }

    @Test func `a command can run one that says something`() async {
        _ = await says("when I say twice <text> run echo <text> and <text>")
        #expect(await says("twice a") == ["a and a"])
    }

    // MARK: Who may

    @Test func `a script's command can't be replaced`() async {
        #expect(
            await says("when I say ping say pong") == [
                "I have a command like that already (Diagnostics). Choose another name."
            ])
        #expect(
            await says("when I say launch <what> say no") == [
                "I have a command like that already (Launcher). Choose another name."
            ])
        #expect(await says("ping") == ["PONG"])
        let robot = TestRobot(name: "hubot", CustomCommands(), ShipIt())
        let answers = await robot.hears("hubot when I say ship it say no").map(\.content)
        #expect(answers.contains("I have a command like that already (ShipIt). Choose another name."))
    }

    @Test func `a command may be limited to roles`() async throws {
        _ = await says("when I say standup say now")
        #expect(await says("only ops or leads may say standup") == ["OK. Who may use \"standup\": leads or ops."])
        #expect(await says("standup", from: "bob") == ["You need the leads or the ops role for that."])
        let bob = User(id: User.ID(adapter: "test", value: "bob"), name: "bob")
        try await robot.robot.set(role: "ops", of: bob, to: true)
        #expect(await says("standup", from: "bob") == ["now"])
        #expect(await says("only admins can say standup") == ["OK. Who may use \"standup\": admins."])
        #expect(await says("standup", from: "bob") == ["Only my admins may use that."])
        #expect(await says("standup", from: "root") == ["now"])
        _ = await says("when I say standup say later")
        #expect(await says("standup", from: "bob") == ["Only my admins may use that."])
        #expect(await says("everyone may say standup") == ["OK. Who may use \"standup\": everyone."])
        #expect(await says("standup", from: "bob") == ["later"])
        #expect(
            await says("only ops may say nothing") == [
                "Nobody has made a command \"nothing\" here. To list all, say \"custom commands\"."
            ])
    }

    @Test func `only its maker and admins change it`() async {
        _ = await says("when I say standup say now")
        let refusal = ["alice has made \"standup\". Ask them to change it, or one of my admins."]
        #expect(await says("when I say standup say never", from: "bob") == refusal)
        #expect(await says("when I say standup do nothing", from: "bob") == refusal)
        #expect(await says("only ops may say standup", from: "bob") == refusal)
        #expect(await says("when I say standup say later") == ["OK, I've changed \"standup\"."])
        #expect(await says("standup", from: "bob") == ["later"])
        #expect(await says("when I say standup do nothing", from: "root") == ["OK, I've forgotten \"standup\"."])
        #expect(
            await says("when I say standup do nothing") == [
                "Nobody has made a command \"standup\" here. To list all, say \"custom commands\"."
            ])
    }

    @Test func `nobody's command takes the place of another one for some messages`() async {
        _ = await says("when I say deploy <app> run echo deploying <app>")
        let refusal = ["alice has made \"deploy <app>\", which can mean the same. Choose another name."]
        #expect(await says("when I say deploy shop say deployed", from: "mallory") == refusal)
        #expect(await says("when I say Deploy shop! say deployed", from: "mallory") == refusal)
        #expect(await says("when I say deployed say yes", from: "mallory").first?.hasPrefix("OK, ") == true)
        #expect(await says("when I say deploy shop run echo shop").first?.hasPrefix("OK, ") == true)
        #expect(await says("when I say deploy all say no", from: "root").first?.hasPrefix("OK, ") == true)
        // The other one has more words, so it is meant.
        _ = await says("when I say order two <food> say twice <food>")
        #expect(await says("when I say order <food> say <food>", from: "bob").first?.hasPrefix("OK, ") == true)
        #expect(await says("order two pizzas", from: "bob") == ["twice pizzas"])
    }

    @Test func `the next user with a nick doesn't get the private commands of another user`() async {
        let irc = PrivateNetwork("irc")
        let robot = Self.makeRobot(brain, admins: ["test:root"], networks: [irc])
        _ = await irc.hears("when I say safecode say 1234", from: "ada")
        #expect(await irc.hears("safecode", from: "ada") == ["1234"])
        #expect(await irc.hears("help safecode", from: "ada") == ["safecode - Say: 1234"])
        #expect(await irc.hears("safecode", from: "ada", isAnonymous: true) == [Self.unknown])
        #expect(
            await irc.hears("help safecode", from: "ada", isAnonymous: true) == [
                "No command matches \"safecode\". To list all, say \"help all\"."
            ])
        #expect(
            await irc.hears("custom commands", from: "ada", isAnonymous: true) == [
                "Nobody has made a command here yet. For example, say: when I say lunch say Pizza!"
            ])
        // Nor does it keep others from a command of the same name.
        let made = await irc.hears("when I say safecode say 42", from: "ada", isAnonymous: true)
        #expect(made.first?.hasPrefix("OK, ") == true)
        #expect(await irc.hears("safecode", from: "ada", isAnonymous: true) == ["42"])
        #expect(await irc.hears("safecode", from: "ada") == ["1234"])
        withExtendedLifetime(robot) {}
    }

    // MARK: Help, restart, limits

    @Test func `help and the list show the commands of the room`() async {
        #expect(
            await says("custom commands") == [
                "Nobody has made a command here yet. For example, say: when I say lunch say Pizza!"
            ])
        _ = await says("when I say standup say now")
        _ = await says("when I say go <what> run launch <what>", from: "root")
        _ = await says("only ops may say go <what>", from: "root")
        #expect(
            await says("custom commands") == [
                "go <what>: run launch <what>, by root (ops)\nstandup: say now, by alice"
            ])
        #expect(await says("help standup") == ["hubot standup - Say: now"])
        #expect(
            await says("help go", from: "root") == [
                "hubot go <what> - Run: launch <what>\nWho may use this command: admin or ops."
            ])
        #expect(
            await says("help standup", in: "#other") == [
                "No command matches \"standup\". To list all, say \"hubot help all\"."
            ])
        #expect(await says("standpu") == ["Did you mean \"standup\"?"])
    }

    @Test func `another robot with the same brain knows them at once, and its help within half a minute`() async {
        let other = Self.makeRobot(brain)
        _ = await other.hears("hello")
        _ = await says("when I say standup say now")
        #expect(await other.hears("hubot standup") == [.text("now")])
        _ = await other.advance(by: .seconds(30))
        #expect(await other.hears("hubot help standup") == [.text("hubot standup - Say: now")])
        let later = Self.makeRobot(brain)
        #expect(await later.hears("hubot help standup") == [.text("hubot standup - Say: now")])
        withExtendedLifetime((robot, other, later)) {}
    }

    @Test func `the number of rooms with commands is limited`() async throws {
        #expect(await says("when I say standup say now").first?.hasPrefix("OK, ") == true)
        let rooms = BrainCollection<[CustomCommand]>("customcommands.rooms")
        let user = User(id: User.ID(adapter: "test", value: "bob"), name: "bob")
        let command = try CustomCommand(CommandTemplate("retro"), .say, "now", by: user, date: robot.robot.date)
        for index in 1..<500 { try await brain.remember(rooms, "test:#r\(index)", [command]) }
        _ = await robot.advance(by: .seconds(30))
        #expect(
            await says("when I say lunch say now", in: "#other")
                == ["500 rooms have commands already, and that's all I can keep."])
        #expect(await says("when I say lunch say now").first?.hasPrefix("OK, ") == true)
        #expect(await says("when I say retro do nothing", in: "#r1").first?.contains("bob") == true)
        #expect(await says("when I say retro do nothing", from: "bob", in: "#r1").first?.hasPrefix("OK, ") == true)
        #expect(await says("when I say lunch say now", in: "#other").first?.hasPrefix("OK, ") == true)
    }

    @Test func `the number of commands and their length are limited`() async {
        for number in 1...20 { _ = await says("when I say command\(number) say \(number)") }
        #expect(
            await says("when I say more say more") == ["You've made 20 commands in this room already."])
        for number in 1...20 { _ = await says("when I say other\(number) say \(number)", from: "bob") }
        for number in 1...10 { _ = await says("when I say third\(number) say \(number)", from: "carl") }
        #expect(
            await says("when I say more say more", from: "dave") == [
                "There are 50 commands in this room already, and that's all I can keep."
            ])
        let long = String(repeating: "x", count: 501)
        #expect(
            await says("when I say more say \(long)", in: "#other") == [
                "That's too long: a command's text has at most 500 characters."
            ])
        #expect(await says("when I say more say \u{202E}\u{200B}", in: "#other") == ["What should I do then?"])
        _ = await says("when I say long <text> say <text> <text> <text>", in: "#other")
        let word = String(repeating: "x", count: 900)
        #expect(await says("long \(word)", in: "#other")[0].count == 1_000)
    }
}
