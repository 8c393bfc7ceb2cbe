import Heybot
import HeybotTesting
import Testing

@testable import StandardScripts

@Suite(.timeLimit(.minutes(15))) struct HelpTests {
    let robot = TestRobot(name: "hubot", admins: ["root"], Diagnostics(), Help(), Thing(), Other())

    private struct Thing: Script {
        var topic: ScriptTopic { .fun }

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
            robot.reportMissingSetting("HEYBOT_OTHER_KEY")
            robot.respond(/discount (\d+)$/, help: "discount <number> - Count less", example: "discount 3") { _ in }
            robot.respond(/weather in (.+)$/, help: "weather in <place> - Tell it", example: "weather in Rome") { _ in }
        }
    }

    private func help(_ words: String = "", from user: String = "alice", in room: String = "#test") async -> [String] {
        let said = await robot.hears("hubot help\(words.isEmpty ? "" : " \(words)")", from: user, in: room)
        return said.flatMap { $0.content.split(separator: "\n").map(String.init) }
    }

    @Test func `help lists the commands by topic, only those the user may use`() async {
        let lines = [
            "Chat and fun: count, <name>!!", "Administration: ping, adapter, adapters, uptime, echo, help",
            "Other commands: discount*, weather in*",
            "Say my name first. For a topic, say: hubot help fun. For a command, say: hubot help ping.",
            "* not set up yet: to see what to set, say \"help <command>\"."
        ]
        for words in ["", "me", "all"] { #expect(await help(words) == lines, "\(words)") }
        for text in ["commands", "list", "?", "What can you do?", "help!", "/help", "Help."] {
            #expect(await robot.hears("hubot \(text)").map(\.content) == [lines.joined(separator: "\n")], "\(text)")
        }
        #expect(await help(from: "root").first == "Chat and fun: count, drop, <name>!!")
    }

    @Test func `a reply to the robot in a room gets no hint, but runs commands`() async {
        let own = Message.ID(adapter: "test", value: "sent-1")
        let hint = [Utterance.reply("I don't understand that. Say \"help\" to see what I can do.")]
        #expect(await robot.hears("wonderful, thank you so much", inReplyTo: own) == [])
        #expect(await robot.hears("ping", inReplyTo: own).count == 1)
        #expect(await robot.hears("hubot wonderful, thank you so much", inReplyTo: own) == hint)
        #expect(await robot.hears("wonderful, thank you so much", inReplyTo: own, from: "bob", in: "bob") == hint)
    }

    @Test func `a topic with many commands takes four rows of a terminal at most`() async {
        let script = InlineScript("Many") { robot in
            for number in 0..<100 {
                robot.respond(
                    pattern: "command\(number)$", as: Substring.self, help: "command\(number) - Do it",
                    example: "command\(number)"
                ) { _ in }
            }
        }
        let robot = TestRobot(name: "hubot", Help(), script)
        let line = await robot.hears("hubot help").first?.content.split(separator: "\n").last { $0.hasPrefix("Other") }
        #expect(line?.hasPrefix("Other commands: command0, command1, ") == true)
        #expect(line?.hasSuffix(", … (all: hubot help other)") == true)
        #expect(300...320 ~= line?.count ?? 0)
    }

    @Test(arguments: ["fun", "chat", "Chat and Fun"]) func `help on a topic lists its commands`(_ words: String)
        async
    {
        #expect(await help(words) == ["hubot count <name> - Count a thing", "<name>!! - Cheer"])
    }

    @Test(arguments: ["reminder", "schedule", "poll", "feed", "fact"])
    func `the name of a script, in the singular or the plural, lists its commands`(_ word: String) async {
        let robot = TestRobot(name: "hubot", admins: ["root"], standardScripts)
        let shown = await robot.hears("hubot help \(word)s", from: "root").map(\.content)
        #expect(await robot.hears("hubot help \(word)", from: "root").map(\.content) == shown)
        let script = robot.robot.listeners.filter { $0.script.lowercased() == "\(word)s" }
        let usages = script.flatMap(\.help).map(\.usage)
        #expect(usages.count > 2)
        for usage in usages { #expect(shown.joined().contains("hubot \(usage)"), "\(usage)") }
    }

    @Test func `commands that aren't set up are marked, and their help names the setting`() async {
        #expect(
            await help("other") == [
                "hubot discount <number> - Count less*", "hubot weather in <place> - Tell it*",
                "* not set up yet: to see what to set, say \"help <command>\"."
            ])
        #expect(
            await help("discount") == [
                "hubot discount <number> - Count less", "For example: hubot discount 3",
                "This command isn't set up yet: set HEYBOT_OTHER_KEY."
            ])
        let page = String(decoding: await robot.receives(.get, "/heybot/help").body, as: UTF8.self)
        #expect(page.contains("needs HEYBOT_OTHER_KEY"))
    }

    @Test func `the example follows the usage that it belongs to`() async {
        let robot = TestRobot(name: "hubot", Help(), standardScripts.first { $0 is Choose }!)
        #expect(
            await robot.hears("help choose", from: "bob", in: "bob").map(\.content).joined().split(separator: "\n").map
            {
                $0.prefix(15)
            } == ["choose <a>, <b>", "For example: ch", "choose between "])
    }

    @Test func `every example fits a usage of its command`() {
        let robot = TestRobot(name: "hubot", settings: ["GITHUB_SECRET": "s"], standardScripts).robot
        let shown = robot.listeners.compactMap { listener in
            listener.example.map { "\($0): \(listener.helpLineOfExample?.usage ?? "")" }
        }
        for line in [
            "choose tea, coffee or \"milk, warm\": choose <a>, <b> or <c>", "flip a coin: flip a coin",
            "map me Brandenburg Gate: map me <place>", "mustache me Ada Lovelace: mustache me <words>",
            "calc me (2 + 3) * 4: calc me <expression>", "weather in Rome: weather in <place>",
            "convert 10 USD to EUR: convert <amount> <code> to <code>", "help score: help <words>",
            "swift++ for being fast: <name>++ for <reason>", "ada is our hero: <name> is <something>",
            "translate to French good morning: translate to <language> <text>", "pug bomb 3: pug bomb <count>"
        ] {
            #expect(shown.contains(line), "\(line)")
        }
    }

    /// 80 columns and 24 rows, of which the next prompt takes one.
    @Test func `all of help is on one screen`() async {
        for user in ["alice", "root"] {
            let robot = TestRobot(
                name: "hubot", admins: ["root"],
                settings: ["HELP_URL": "https://bot.example.org/heybot/help", "GITHUB_SECRET": "s"], standardScripts)
            for room in [user, "#test"] {
                let lines = await robot.hears("hubot help", from: user, in: room)[0].content.split(separator: "\n")
                #expect(lines.reduce(0) { $0 + ($1.count + 79) / 80 } <= 23, "\(lines)")
                #expect(lines.last == "All commands in detail: https://bot.example.org/heybot/help")
                #expect(lines.contains { $0.contains("search*") && !$0.contains("wiki*") })
            }
        }
    }

    @Test func `all words must match, at the beginnings of words`() async {
        #expect(await help("THING coun") == ["hubot count <name> - Count a thing", "For example: hubot count swift"])
        #expect(
            await help("coun") == [
                "hubot count <name> - Count a thing", "hubot discount <number> - Count less*",
                "* not set up yet: to see what to set, say \"help <command>\"."
            ])
        #expect(await help("ount") == ["No command matches \"ount\". To list all, say \"help\"."])
        #expect(await help("nothing like it") == ["No command matches \"nothing like it\". To list all, say \"help\"."])
        #expect(await help(String(repeating: "x", count: 5_000)).joined().count < 120)
    }

    @Test func `a command's own name finds its page`() async {
        #expect(await help("Count") == ["hubot count <name> - Count a thing", "For example: hubot count swift"])
        #expect(await help("cheer") == ["<name>!! - Cheer", "For example: swift!!"])
        #expect(
            await help("drop", from: "root") == [
                "hubot drop - Drop a thing", "For example: hubot drop", "hubot drop all - Drop each",
                "Only admins may use this command."
            ])
        #expect(
            await help("drop", from: "root", in: "root") == [
                "drop - Drop a thing", "For example: drop", "drop all - Drop each", "Only admins may use this command."
            ])
        #expect(await help("drop") == ["No command matches \"drop\". To list all, say \"help\"."])
    }

    @Test func `direct messages don't need the name`() async {
        #expect(
            await robot.hears("help count swift", from: "bob", in: "bob") == [
                .reply("No command matches \"count swift\". To list all, say \"help\".")
            ])
        #expect(
            await robot.hears("help discount", from: "bob", in: "bob")
                == [
                    .text(
                        "discount <number> - Count less\nFor example: discount 3\nThis command isn't set up yet: set HEYBOT_OTHER_KEY."
                    )
                ])
        let all = await robot.hears("help", from: "bob", in: "bob").map(\.content).joined()
        #expect(all.contains("\nFor a topic, say: help fun. For a command, say: help ping.\n"))
    }

    @Test func `hidden commands are shown nowhere`() async {
        let robot = TestRobot(
            name: "hubot", settings: ["HELP_HIDDEN_COMMANDS": "count, drop, drop all, <name>!!, weather IN"], Help(),
            Thing(), Other())
        let all = await robot.hears("hubot help").map(\.content).joined()
        #expect(all.contains("Other commands: discount*"))
        #expect(!all.contains("weather"))
        #expect(!all.contains("fun:"))
        #expect(
            await robot.hears("hubot help cheer") == [
                .reply("No command matches \"cheer\". To list all, say \"help\".")
            ]
        )
        #expect(await robot.hears("hubot weather") == [.reply(Self.hint)])
        let page = String(decoding: await robot.receives(.get, "/heybot/help").body, as: UTF8.self)
        #expect(page.contains("discount"))
        #expect(!page.contains("weather"))
    }

    @Test func `there may be no page`() async {
        let robot = TestRobot(name: "hubot", settings: ["HELP_DISABLE_HTTP": "true"], Help(), Thing())
        #expect(await robot.receives(.get, "/heybot/help").status == 404)
        #expect(await robot.receives(.get, "/hubot/help").status == 404)
    }

    // MARK: Did you mean

    private static let hint = "I don't understand that. Say \"help\" to see what I can do."

    @Test(arguments: [
        ("pnig", "Did you mean ping?"), ("pin", "Did you mean ping?"), ("UPTIM", "Did you mean uptime?"),
        ("count", "Usage: count <name>, for example: count swift"),
        ("weather", "Usage: weather in <place>, for example: weather in Rome"),
        ("weather!", "Usage: weather in <place>, for example: weather in Rome"),
        ("weather in", "Usage: weather in <place>, for example: weather in Rome"),
        ("forecast Rome", "Did you mean weather in <place>?"),
        ("wether in Rome", "Did you mean weather in <place>?"), ("weather on Rome", "Did you mean weather in <place>?"),
        ("discount lots", "Did you mean discount <number>?"), ("discoutn 3", "Did you mean discount <number>?"),
        ("good morning", hint), ("thanks", hint), ("p", hint), ("drop it", hint),
        ("", "Yes? Say \"help\" to see what I can do."),
        ("ping\nuptime\ntime", "That's several lines in one message. Say one command at a time.")
    ])
    func `a typo in a command gets a suggestion`(_ words: String, _ answer: String) async {
        #expect(await robot.hears("hubot \(words)") == [.reply(answer)])
        #expect(await robot.hears(words) == [])
    }

    @Test func `equally similar commands are all suggested`() async {
        #expect(await robot.hears("hubot adapterss") == [.reply("Did you mean adapters?")])
        #expect(await robot.hears("hubot drop them", from: "root") == [.reply("Did you mean drop?")])
        #expect(
            await robot.hears("hubot " + String(repeating: "ping ", count: 10_000)) == [.reply("Did you mean ping?")])
    }

    @Test func `a command's first word is enough, and its me may be missing`() async {
        let robot = TestRobot(name: "hubot", standardScripts)
        for (words, usage) in [
            ("wiki", "wiki me <words>"), ("search", "search me <words>"), ("image", "image me <words>"),
            ("map", "map me <place>"), ("calc", "calc me <expression>, for example: calc me (2 + 3) * 4"),
            ("youtube", "youtube me <words>"), ("github", "github me <words>"), ("hn", "hn top"),
            ("define", "define <word>, for example: define serendipity"), ("score", "score <name>"),
            ("translate", "translate <text>"), ("quotes", "quotes by <name>"),
            ("remember", "remember <subject> is <text>")
        ] {
            let said = await robot.hears("hubot \(words)").map(\.content)
            #expect(said.count == 1 && said[0].hasPrefix("Usage: \(usage)"), "\(words): \(said)")
        }
        #expect(
            await robot.hears("hubot github argument parser") == [.reply("Did you mean github me <words>?")])
        #expect(await robot.hears("hubot show me the money") == [.reply(Self.hint)])
    }

    @Test func `in a room a user gets one hint per minute`() async {
        #expect(await robot.hears("hubot xyzzy") == [.reply(Self.hint)])
        #expect(await robot.hears("hubot plugh") == [])
        #expect(await robot.hears("hubot plugh", in: "#dev") == [])
        #expect(await robot.hears("hubot plugh", from: "bob") == [.reply(Self.hint)])
        _ = await robot.advance(by: .minutes(1))
        #expect(await robot.hears("hubot plugh") == [.reply(Self.hint)])
    }

    @Test func `the bare name is answered every time`() async {
        for text in ["hubot", "hubot?", "@hubot!", "hubot:"] {
            #expect(await robot.hears(text) == [.reply("Yes? Say \"help\" to see what I can do.")], "\(text)")
        }
    }

    @Test func `every direct message is answered`() async {
        for _ in 0..<2 {
            #expect(await robot.hears("good morning", from: "bob", in: "bob") == [.reply(Self.hint)])
        }
        #expect(await robot.hears("pnig", from: "bob", in: "bob") == [.reply("Did you mean ping?")])
    }

    // MARK: Costs

    @Test(arguments: ["a\u{301}", "\u{301}", "a", " ", "(", "1", "😀", "\u{202e}", "help ", "\n"])
    func `nasty texts cost no more than others`(_ piece: String) async {
        let long = String(repeating: piece, count: 60_000 / piece.utf8.count)
        #expect(await robot.hears("hubot help a\(long)").count == 1)
        #expect(await robot.hears("hubot x\(long)").count == 1)
    }
}
