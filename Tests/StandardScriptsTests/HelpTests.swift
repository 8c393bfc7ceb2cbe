import Heybot
import HeybotTesting
import StandardScripts
import Testing

@Suite(.timeLimit(.minutes(1))) struct HelpTests {
    let robot = TestRobot(name: "hubot", admins: ["root"], Diagnostics(), Help(), Thing(), Other())

    private struct Thing: Script {
        func register(on robot: inout RobotBuilder) {
            robot.respond(/count (\w+)/, help: "count <name> - Count a thing", example: "count swift") { _ in }
            robot.respond(
                /drop(?: all)?$/, help: "drop - Drop a thing\ndrop all - Drop each", example: "drop", allow: .admins
            ) { _ in }
            robot.hear(/(\w+)!!/, help: "<name>!! - Cheer", example: "swift!!") { _ in }
        }
    }

    private struct Other: Script {
        func register(on robot: inout RobotBuilder) {
            robot.respond(/discount (\d+)$/, help: "discount <number> - Count less", example: "discount 3") { _ in }
            robot.respond(/weather in (.+)$/, help: "weather in <place> - Tell it", example: "weather in Rome") { _ in }
        }
    }

    private func help(_ words: String = "", from user: String = "alice", in room: String = "#test") async -> [String] {
        let said = await robot.hears("hubot help\(words.isEmpty ? "" : " \(words)")", from: user, in: room)
        return said.flatMap { $0.content.split(separator: "\n").map(String.init) }
    }

    @Test func `help shows each script and its commands, those the asker may use`() async {
        #expect(
            await help() == [
                "Say any of these with my name in front, as in hubot ping; hubot help <words> tells more.",
                "Diagnostics: ping · adapter · adapters · uptime · echo <text>", "Help: help · help <words>",
                "Thing: count <name> · <name>!!", "Other: discount <number> · weather in <place>"
            ])
        #expect(await help(from: "root").contains("Thing: count <name> · drop · drop all · <name>!!"))
    }

    @Test func `words narrow it down, all of them, where words begin`() async {
        #expect(await help("THING coun") == ["hubot count <name> - Count a thing", "For example: hubot count swift"])
        #expect(
            await help("coun") == ["hubot count <name> - Count a thing", "hubot discount <number> - Count less"])
        #expect(await help("ount") == ["I know no command with ount in it."])
        #expect(await help("nothing like it") == ["I know no command with nothing like it in it."])
        #expect(await help("other").count == 2)
        #expect(await help(String(repeating: "x", count: 5_000)).joined().count < 120)
    }

    @Test func `a command's own name finds its page`() async {
        #expect(await help("Count") == ["hubot count <name> - Count a thing", "For example: hubot count swift"])
        #expect(await help("cheer") == ["<name>!! - Cheer", "For example: swift!!"])
        #expect(
            await help("drop", from: "root") == [
                "hubot drop - Drop a thing", "hubot drop all - Drop each", "For example: hubot drop",
                "Only admins may use it."
            ])
        #expect(
            await help("drop", from: "root", in: "root") == [
                "drop - Drop a thing", "drop all - Drop each", "For example: drop", "Only admins may use it."
            ])
        #expect(await help("drop") == ["I know no command with drop in it."])
    }

    @Test func `in private the name needn't be said`() async {
        #expect(
            await robot.hears("help count swift", from: "bob", in: "bob") == [
                .reply("I know no command with count swift in it.")
            ])
        #expect(
            await robot.hears("help discount", from: "bob", in: "bob")
                == [.text("discount <number> - Count less\nFor example: discount 3")])
        let all = await robot.hears("help", from: "bob", in: "bob").map(\.content).joined()
        #expect(all.hasPrefix("Say any of these; help <words> tells more.\nDiagnostics: ping · "))
    }

    @Test func `what is hidden is told by nothing`() async {
        let robot = TestRobot(
            name: "hubot", settings: ["HELP_HIDDEN_COMMANDS": "count, drop, drop all, <name>!!, weather IN"], Help(),
            Thing(), Other())
        let all = await robot.hears("hubot help").map(\.content).joined()
        #expect(all.contains("Other: discount <number>"))
        #expect(!all.contains("weather"))
        #expect(!all.contains("Thing:"))
        #expect(await robot.hears("hubot help cheer") == [.reply("I know no command with cheer in it.")])
        #expect(await robot.hears("hubot weather") == [])
        let page = String(decoding: await robot.receives(.get, "/heybot/help").body, as: UTF8.self)
        #expect(page.contains("discount"))
        #expect(!page.contains("weather"))
    }

    @Test func `there may be no page`() async {
        let robot = TestRobot(name: "hubot", settings: ["HELP_DISABLE_HTTP": "true"], Help(), Thing())
        #expect(await robot.receives(.get, "/heybot/help").status == 404)
        #expect(await robot.receives(.get, "/hubot/help").status == 404)
    }

    // MARK: Do you mean

    @Test(arguments: [
        ("pnig", "ping"), ("pin", "ping"), ("UPTIM", "uptime"), ("count", "count <name>"), ("weather", nil),
        ("weather in", "weather in <place>"), ("wether in Rome", "weather in <place>"),
        ("weather on Rome", "weather in <place>"), ("discount lots", "discount <number>"),
        ("discoutn 3", "discount <number>"),
        ("good morning", nil), ("thanks", nil), ("p", nil), ("drop it", nil), ("", nil)
    ])
    func `what is nearly a command is asked about`(_ words: String, _ meant: String?) async {
        #expect(await robot.hears("hubot \(words)") == (meant.map { [.reply("Do you mean \($0)?")] } ?? []))
        #expect(await robot.hears(words) == [])
    }

    @Test func `several that are as near are all told`() async {
        #expect(await robot.hears("hubot adapterss") == [.reply("Do you mean adapters?")])
        #expect(await robot.hears("hubot drop them", from: "root") == [.reply("Do you mean drop?")])
        #expect(
            await robot.hears("hubot " + String(repeating: "ping ", count: 10_000)) == [.reply("Do you mean ping?")])
    }

    @Test func `alone with it nothing goes unanswered`() async {
        #expect(
            await robot.hears("good morning", from: "bob", in: "bob")
                == [.reply("I don't know what to do about that. Say help to see what I can do.")])
        #expect(await robot.hears("pnig", from: "bob", in: "bob") == [.reply("Do you mean ping?")])
    }
}
