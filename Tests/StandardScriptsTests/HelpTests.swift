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

    @Test func `in a room, help says what one can say, and how to get more`() async {
        let lines = [
            "For example, say \"hubot count swift\" or \"hubot ping\".",
            "To see more, say \"hubot help <topic>\" (fun, admin or other), \"hubot help <word>\" or "
                + "\"hubot help all\"."
        ]
        for words in ["", "me"] { #expect(await help(words) == lines, "\(words)") }
        for text in ["commands", "list", "?", "What can you do?", "help!", "/help", "Help."] {
            #expect(await robot.hears("hubot \(text)").map(\.content) == [lines.joined(separator: "\n")], "\(text)")
        }
    }

    @Test func `in private, help has examples of each topic, those that are set up first`() async {
        #expect(
            await help(in: "alice") == [
                "Chat and fun: \"count swift\", \"swift!!\"",
                "Administration: \"ping\", \"help score\", \"adapter\"",
                "Other commands: \"discount 3\"*, \"weather in Rome\"*",
                "To see more, say \"help <topic>\" (fun, admin or other), \"help <word>\" or \"help all\".",
                "* not set up yet: to see what to set, say \"help <command>\"."
            ])
        #expect(
            await help(from: "root", in: "root").first == "Chat and fun: \"count swift\", \"drop\", \"swift!!\"")
    }

    @Test func `help all lists each command that the user may use, with what it does`() async {
        let lines = await help("all")
        #expect(
            lines.prefix(4) == [
                "Chat and fun:", "hubot count <name> - Count a thing", "<name>!! - Cheer", "Administration:"
            ])
        #expect(
            lines.suffix(4) == [
                "Other commands:", "hubot discount <number> - Count less*", "hubot weather in <place> - Tell it*",
                "* not set up yet: to see what to set, say \"hubot help <command>\"."
            ])
        #expect(await help("ALL ", from: "root").contains("hubot drop all - Drop each"))

        let robot = TestRobot(
            name: "hubot", admins: ["root"], settings: ["HELP_URL": "https://bot.example.org/heybot/help"],
            standardScripts)
        let shown = await robot.hears("help all", from: "root", in: "root").map(\.content).joined()
        let root = User(id: User.ID(adapter: "test", value: "root"), name: "root")
        let room = Room(id: Room.ID(adapter: "test", value: "root"), isPrivate: true)
        let commands = robot.robot.commands(for: root, in: room)
        #expect(commands.count > 100)
        for command in commands { #expect(shown.contains("\n\(command.line)"), "\(command.line)") }
        #expect(shown.contains("search me <words>") && shown.contains("* not set up yet"))
        #expect(shown.hasPrefix("All commands in detail: https://bot.example.org/heybot/help\n"))
    }

    @Test func `a reply to the robot in a room gets no hint, but runs commands`() async {
        let own = Message.ID(adapter: "test", value: "sent-1")
        #expect(await robot.hears("wonderful, thank you so much", inReplyTo: own) == [])
        #expect(await robot.hears("ping", inReplyTo: own).count == 1)
        #expect(await robot.hears("hubot wonderful, thank you so much", inReplyTo: own) == [.reply(Self.roomHint)])
        #expect(
            await robot.hears("wonderful, thank you so much", inReplyTo: own, from: "bob", in: "bob")
                == [.reply(Self.hint)])
    }

    @Test func `a topic has at most three examples, which fit in a row, each of another script if possible`() async {
        func script(_ name: String, _ examples: String...) -> InlineScript {
            InlineScript(name) { robot in
                for example in examples {
                    robot.respond(
                        pattern: "\(example)$", as: Substring.self, help: "\(example) - Do it", example: example
                    ) { _ in }
                }
            }
        }
        let long = String(repeating: "z", count: 50)
        let robot = TestRobot(
            name: "hubot", Help(), script("One", "one a", "one b"), script("Two", "two a", "\(long) 2"),
            script("Three", long, "three b", "three c"))
        let line = await robot.hears("help", from: "bob", in: "bob").first?.content.split(separator: "\n").last {
            $0.hasPrefix("Other")
        }
        #expect(line == "Other commands: \"one a\", \"two a\", \"one b\"")
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
                "* not set up yet: set HEYBOT_OTHER_KEY."
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

    @Test func `the first answer is short, also with all scripts`() async {
        for user in ["alice", "root"] {
            let robot = TestRobot(
                name: "hubot", admins: ["root"],
                settings: ["HELP_URL": "https://bot.example.org/heybot/help", "GITHUB_SECRET": "s"], standardScripts)
            for (room, most) in [(user, 12), ("#test", 6)] {
                let lines = await robot.hears("hubot help", from: user, in: room)[0].content.split(separator: "\n")
                // In a terminal of 80 columns.
                #expect(lines.reduce(0) { $0 + ($1.count + 79) / 80 } <= most, "\(lines)")
                #expect(lines.last == "All commands in detail: https://bot.example.org/heybot/help")
                #expect(lines.first?.contains("weather in Rome\"") == true, "\(lines)")
            }
            let lines = await robot.hears("help", from: user, in: user)[0].content.split(separator: "\n")
            #expect(
                lines.first
                    == "Look things up: \"weather in Rome\", \"calc me (2 + 3) * 4\", \"define serendipity\"")
            // So that it isn't sent in private.
            #expect(await robot.hears("hubot help", from: user)[0].content.split(separator: "\n").count == 3)
        }
    }

    @Test func `all words must match, at the beginnings of words`() async {
        #expect(await help("THING coun") == ["hubot count <name> - Count a thing", "For example: hubot count swift"])
        #expect(
            await help("coun") == [
                "hubot count <name> - Count a thing", "hubot discount <number> - Count less*",
                "* not set up yet: set HEYBOT_OTHER_KEY."
            ])
        #expect(await help("ount") == ["No command matches \"ount\". To list all, say \"hubot help all\"."])
        #expect(
            await help("nothing like it")
                == ["No command matches \"nothing like it\". To list all, say \"hubot help all\"."])
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
        #expect(await help("drop") == ["No command matches \"drop\". To list all, say \"hubot help all\"."])
    }

    @Test func `direct messages don't need the name`() async {
        #expect(
            await robot.hears("help count swift", from: "bob", in: "bob") == [
                .reply("No command matches \"count swift\". To list all, say \"help all\".")
            ])
        #expect(
            await robot.hears("help discount", from: "bob", in: "bob")
                == [
                    .text(
                        "discount <number> - Count less\nFor example: discount 3\nThis command isn't set up yet: set HEYBOT_OTHER_KEY."
                    )
                ])
        let all = await robot.hears("help", from: "bob", in: "bob").map(\.content).joined()
        #expect(all.contains("\"help <word>\" or \"help all\".\n"))
    }

    @Test func `hidden commands are shown nowhere`() async {
        let robot = TestRobot(
            name: "hubot", settings: ["HELP_HIDDEN_COMMANDS": "count, drop, drop all, <name>!!, weather IN"], Help(),
            Thing(), Other())
        let all = await robot.hears("hubot help all").map(\.content).joined()
        #expect(all.contains("\nhubot discount <number> - Count less*"))
        #expect(!all.contains("weather"))
        #expect(!all.contains("fun:"))
        #expect(
            await robot.hears("hubot help cheer") == [
                .reply("No command matches \"cheer\". To list all, say \"hubot help all\".")
            ]
        )
        #expect(await robot.hears("hubot weather") == [.reply(Self.roomHint)])
        let page = String(decoding: await robot.receives(.get, "/heybot/help").body, as: UTF8.self)
        #expect(page.contains("discount"))
        #expect(!page.contains("weather"))
    }

    @Test func `there may be no page`() async {
        let robot = TestRobot(name: "hubot", settings: ["HELP_DISABLE_HTTP": "true"], Help(), Thing())
        #expect(await robot.receives(.get, "/heybot/help").status == 404)
        #expect(await robot.receives(.get, "/hubot/help").status == 404)
    }

    @Test func `a list of commands that not everyone may use says who may`() async {
        let robot = TestRobot(name: "hubot", admins: ["root"], Help(), Moderation(), Thing())
        let rule = """
            Only admins may use block, unblock, blocks.
            Who may use the others: admin or moderator.
            """
        func help(_ words: String) async -> String {
            await robot.hears("help \(words)", from: "root", in: "root").map(\.content).joined()
        }
        let all = await help("moderation")
        #expect(all.hasSuffix("\n\(rule)"), "\(all)")
        let some = await help("fun")
        #expect(some.contains("count") && !some.contains("may use"), "\(some)")
    }

    // MARK: Did you mean

    private static let hint = "I don't understand that. Say \"help\" to see what I can do."
    private static let roomHint = "I don't understand that. Say \"hubot help\" to see what I can do."

    @Test(arguments: [
        ("pnig", "Did you mean \"ping\"?"), ("pin", "Did you mean \"ping\"?"), ("UPTIM", "Did you mean \"uptime\"?"),
        ("count", "Usage: count <name>, for example: count swift"),
        ("weather", "Usage: weather in <place>, for example: weather in Rome"),
        ("weather!", "Usage: weather in <place>, for example: weather in Rome"),
        ("weather in", "Usage: weather in <place>, for example: weather in Rome"),
        ("forecast Rome", "Did you mean \"weather in <place>\"?"),
        ("wether in Rome", "Did you mean \"weather in <place>\"?"),
        ("weather on Rome", "Did you mean \"weather in <place>\"?"),
        ("discount lots", "Did you mean \"discount <number>\"?"), ("discoutn 3", "Did you mean \"discount <number>\"?"),
        ("good morning", roomHint), ("thanks", roomHint), ("p", roomHint), ("drop it", roomHint),
        ("", "Yes? Say \"hubot help\" to see what I can do."),
        ("ping\nuptime\ntime", "That's several lines in one message. Say one command at a time.")
    ])
    func `a typo in a command gets a suggestion`(_ words: String, _ answer: String) async {
        #expect(await robot.hears("hubot \(words)") == [.reply(answer)])
        #expect(await robot.hears(words) == [])
    }

    @Test func `a file that no script uses gets an answer of its own`() async {
        let url = "https://example.org/chart.png"
        let answer = await robot.hears("hubot \(url)", with: [Message.AttachedFile(url: url)]).map(\.content)
        #expect(answer.count == 1)
        #expect(answer.first?.hasPrefix("Thanks for the file, but I don't know what to do with it. Say ") == true)
        // What is said about it comes first.
        #expect(
            await robot.hears("hubot pign", with: [Message.AttachedFile(url: url)])
                == [.reply("Did you mean \"ping\"?")])
    }

    @Test func `equally similar commands are all suggested`() async {
        #expect(await robot.hears("hubot adapterss") == [.reply("Did you mean \"adapters\"?")])
        #expect(await robot.hears("hubot drop them", from: "root") == [.reply("Did you mean \"drop\"?")])
        #expect(
            await robot.hears("hubot " + String(repeating: "ping ", count: 10_000))
                == [.reply("Did you mean \"ping\"?")])
    }

    @Test func `at most two commands are suggested, and none that differ by a filler only`() async {
        let robot = TestRobot(name: "hubot", standardScripts)
        #expect(await robot.hears("hubot weahter in Rome") == [.reply("Did you mean \"weather in <place>\"?")])
        let said = await robot.hears("hubot rimind me tomorrow").map(\.content).joined()
        #expect(said.hasPrefix("Did you mean \"remind "))
        #expect(said.split(separator: "\" or \"").count == 2)
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
            await robot.hears("hubot github argument parser") == [.reply("Did you mean \"github me <words>\"?")])
        #expect(await robot.hears("hubot show me the money") == [.reply(Self.roomHint)])
    }

    @Test func `in a room a user gets one hint per minute`() async {
        #expect(await robot.hears("hubot xyzzy") == [.reply(Self.roomHint)])
        #expect(await robot.hears("hubot plugh") == [])
        #expect(await robot.hears("hubot plugh", in: "#dev") == [])
        #expect(await robot.hears("hubot plugh", from: "bob") == [.reply(Self.roomHint)])
        _ = await robot.advance(by: .minutes(1))
        #expect(await robot.hears("hubot plugh") == [.reply(Self.roomHint)])
    }

    @Test func `the bare name is answered every time`() async {
        for text in ["hubot", "hubot?", "@hubot!", "hubot:"] {
            #expect(await robot.hears(text) == [.reply("Yes? Say \"hubot help\" to see what I can do.")], "\(text)")
        }
    }

    @Test func `every direct message is answered`() async {
        for _ in 0..<2 {
            #expect(await robot.hears("good morning", from: "bob", in: "bob") == [.reply(Self.hint)])
        }
        #expect(await robot.hears("pnig", from: "bob", in: "bob") == [.reply("Did you mean \"ping\"?")])
    }

    // MARK: Costs

    @Test(arguments: ["a\u{301}", "\u{301}", "a", " ", "(", "1", "😀", "\u{202e}", "help ", "\n"])
    func `nasty texts cost no more than others`(_ piece: String) async {
        let long = String(repeating: piece, count: 60_000 / piece.utf8.count)
        #expect(await robot.hears("hubot help a\(long)").count == 1)
        #expect(await robot.hears("hubot x\(long)").count == 1)
    }
}
