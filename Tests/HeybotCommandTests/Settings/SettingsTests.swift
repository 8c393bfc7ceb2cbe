import ArgumentParser
import CampfireAdapter
import FoundationEssentials
import Heybot
import IRCAdapter
import StandardScripts
import Testing
import XMPPAdapter

@testable import HeybotCommand

@Suite struct SettingsTests {
    /// Resolves settings from a command line, an environment and a file.
    private func read(
        _ arguments: [String] = [], _ environment: [String: String] = [:], file: String? = nil,
        table: [Setting] = Setting.all
    ) throws -> ResolvedSettings {
        let options = try Options.parse(Options.completed(arguments))
        return try ResolvedSettings(table, flags: options.flags, environment: environment) { path in
            file.map { SettingsFile(path ?? "heybot.json", Array($0.utf8), table) }
        }
    }

    private func settings(
        _ arguments: [String] = [], _ environment: [String: String] = [:], file: String? = nil
    ) throws -> SettingValues {
        try read(arguments, environment, file: file).settings
    }

    private func problems(
        _ arguments: [String] = [], _ environment: [String: String] = [:], file: String? = nil,
        table: [Setting] = Setting.all
    ) -> [String] {
        do {
            _ = try read(arguments, environment, file: file, table: table)
            return []
        } catch {
            return "\(error)".split(separator: "\n").map(String.init)
        }
    }

    @Test func `errors name the settings of adapters' options`() {
        let irc = IRCAdapter.OptionNamesInHints.settings(of: Network(.irc))
        let campfire = CampfireAdapter.OptionNamesInHints.settings(of: Network(.campfire))
        let all: [Any] = [irc, XMPPAdapter.OptionNamesInHints.settings(of: Network(.gtalk)), campfire]
        let names = all.flatMap { Mirror(reflecting: $0).children.map { "\($0.value)" } }
        #expect(names.count > 30)
        let known = Set(Setting.all.map { "HEYBOT_\($0.name)" })
        for name in names {
            let setting = name.firstMatch(of: /HEYBOT_[A-Z_]+/)?.output
            #expect(setting.map { known.contains(String($0)) } == true, "\(name)")
        }
    }

    @Test func `by default it is Heybot in a shell`() throws {
        let settings = try settings()
        #expect(settings.name == "Heybot")
        #expect(settings.adapters == [.shell])
        #expect(settings.limits == Robot.Limits())
        #expect(settings.log.levels.base == .info)
    }

    @Test func `precedence is option, HEYBOT, HUBOT, file`() throws {
        let all = ["HEYBOT_NAME": "b", "HUBOT_NAME": "c"]
        let file = #"{name: "d"}"#
        #expect(try settings(["-n", "a"], all, file: file).name == "a")
        #expect(try settings([], all, file: file).name == "b")
        #expect(try settings([], ["HUBOT_NAME": "c"], file: file).name == "c")
        #expect(try settings([], ["HEYBOT_NAME": "", "HUBOT_NAME": ""], file: file).name == "d")
        #expect(try settings([], [:]).name == "Heybot")
    }

    @Test func `a token with another meaning in Hubot's scripts is read under Heybot's name only`() throws {
        let table = Setting.settings(of: [Repositories()])
        #expect(try read([], ["HUBOT_GITHUB_TOKEN": "x"], table: table).settings.scripts["GITHUB_TOKEN"] == nil)
        #expect(try read([], ["HEYBOT_GITHUB_TOKEN": "x"], table: table).settings.scripts["GITHUB_TOKEN"] == "x")
        #expect(try read([], ["HUBOT_GITHUB_UNFURL": "true"], table: table).settings.scripts["GITHUB_UNFURL"] == "true")
    }

    @Test func `the variables that Hubot scripts don't get are Heybot's own that may contain a secret`() {
        let variables = (Setting.all + Setting.settings(of: [Repositories(), Clock()])).secretVariables
        let secrets = [
            "HEYBOT_IRC_PASSWORD", "HEYBOT_IRC_NICKSERV_PASSWORD", "HEYBOT_IRC_CONNECT_COMMAND", "HEYBOT_IRC_ROOMS",
            "HEYBOT_XMPP_PASSWORD", "HEYBOT_XMPP_ROOMS", "HEYBOT_GTALK_PASSWORD", "HEYBOT_CAMPFIRE_TOKEN",
            "HEYBOT_CAMPFIRE_WEBHOOK_SECRET", "HEYBOT_HTTPD_PASSWORD", "HEYBOT_REDIS_URL",
            "HEYBOT_REDIS_SENTINEL_PASSWORD", "HEYBOT_GITHUB_TOKEN"
        ]
        for name in secrets { #expect(variables.contains(name), "\(name)") }
        // Whatever is hidden in listings is withheld, and scripts written for Hubot lose nothing.
        #expect(Setting.all.filter(\.isSecret).allSatisfy { variables.contains($0.variable) })
        #expect(variables.allSatisfy { $0.hasPrefix("HEYBOT_") })
        #expect(variables.isDisjoint(with: ["HEYBOT_NAME", "HEYBOT_IRC_SERVER", "HEYBOT_TIME_ZONE", "HEYBOT_DATA"]))
    }

    @Test func `an unknown time zone is refused`() throws {
        let table = Setting.settings(of: [Clock()])
        #expect(try read([], ["HEYBOT_TIME_ZONE": "Europe/Berlin"], table: table).isSet("TIME_ZONE"))
        #expect(
            problems([], ["HEYBOT_TIME_ZONE": "Europe/Atlantis"], table: table)
                == ["HEYBOT_TIME_ZONE is \"Europe/Atlantis\"; expected a name such as Europe/Berlin"])
    }

    @Test func `the list shows each value and its source`() throws {
        let read = try read(
            ["--name=Flag"], ["HEYBOT_NAME": "x", "HEYBOT_ALIAS": "!", "HUBOT_ALIAS": "x", "HUBOT_SHELL_USER_ID": "7"],
            file: """
                {
                    name: "x", alias: "x",
                    shell: {
                        userId: "x",
                        userName: "Ada",
                    },
                }
                """)
        let lines = SettingsCommand.list(read.table, read).split(separator: "\n")
        #expect(lines.contains("  HEYBOT_NAME = Flag (--name): the robot's name"))
        for line in [
            "HEYBOT_ALIAS = ! (HEYBOT_ALIAS)", "HEYBOT_SHELL_USER_ID = 7 (HUBOT_SHELL_USER_ID)",
            "HEYBOT_SHELL_USER_NAME = Ada (heybot.json:5)", "HEYBOT_DEADLINE = 30 (default)"
        ] { #expect(lines.contains { $0.hasPrefix("  \(line): ") }) }
        // One line each, under a heading for each group.
        let headings = lines.filter { !$0.hasPrefix(" ") }
        #expect(headings == ["robot", "shell", "irc", "xmpp", "gtalk", "campfire", "web", "brain"])
        #expect(lines.count == Setting.all.count + headings.count)
    }

    @Test func `a word selects a setting, a group, a script, or settings with the word`() throws {
        let table = Setting.all + Setting.settings(of: standardScripts)
        let read = try read([], ["HEYBOT_IRC_NICK": "marvin", "HEYBOT_NAME": "Marvin"], table: table)
        func names(_ words: String..., onlySet: Bool = false) -> [String] {
            SettingsCommand.choose(read, words: words, onlySet: onlySet).map(\.name)
        }
        #expect(names().count == table.count)
        #expect(names(onlySet: true) == ["NAME", "IRC_NICK"])
        #expect(names("HEYBOT_IRC_NICK") == ["IRC_NICK"])
        #expect(names("irc.nick") == ["IRC_NICK"] && names("HUBOT_IRC_NICK") == ["IRC_NICK"])
        // The admins' setting mentions IRC, but isn't one of its settings.
        #expect(names("irc").allSatisfy { $0.hasPrefix("IRC_") } && names("irc").count > 20)
        #expect(names("IRC", onlySet: true) == ["IRC_NICK"])
        #expect(names("brain") == table.map(\.name).filter { $0.hasPrefix("REDIS_") })
        #expect(names("weather") == Weather().settings.map(\.name))
        #expect(names("web").contains("PORT") && names("gtalk").count == 4)
        #expect(names("deadline") == ["DEADLINE"])
        #expect(names("seconds").contains("DEADLINE") && names("seconds").contains("REDIS_TIMEOUT"))
        #expect(names("shell", "HEYBOT_NAME").first == "NAME" && names("shell", "HEYBOT_NAME").count == 4)
        #expect(names("nosuchword") == [])
    }

    @Test func `without words the list has common settings and those that are set`() throws {
        let table = Setting.all + Setting.settings(of: standardScripts)
        let read = try read([], ["HEYBOT_IRC_BACKOFF_RESET": "90"], table: table)
        let shown = Set(SettingsCommand.choose(read, onlyCommon: true).map(\.name))
        #expect(shown.isSuperset(of: ["NAME", "IRC_SERVER", "IRC_BACKOFF_RESET", "SEARCH_URL", "YOUTUBE_API_KEY"]))
        #expect(shown.isDisjoint(with: ["IRC_NICK_RETRY", "WIKIPEDIA_URL", "CONCURRENCY"]))
        // A group shows all its settings.
        #expect(SettingsCommand.choose(read, words: ["irc"]).contains { $0.name == "IRC_NICK_RETRY" })
    }

    @Test func `one setting is shown in detail, and all as JSON`() throws {
        let read = try read([], ["HEYBOT_NAME": "Marvin", "HEYBOT_REDIS_URL": "redis://:hush@host"])
        let name = try #require(SettingsCommand.choose(read, words: ["NAME"]).first)
        #expect(
            SettingsCommand.whole(name, read) == """
                HEYBOT_NAME = Marvin (HEYBOT_NAME)
                  the robot's name
                  expected     a text
                  default      Heybot
                  options      -n, --name
                  environment  HEYBOT_NAME, HUBOT_NAME
                  heybot.json  name
                """)
        struct Row: Decodable {
            let name, group, source: String
            let value: String?
            let isSet: Bool
        }
        let text = try SettingsCommand.json(read.table, read)
        let rows = try JSONDecoder().decode([Row].self, from: Data(text.utf8))
        #expect(rows.map(\.name) == read.table.map(\.variable))
        #expect(rows.first { $0.name == "HEYBOT_NAME" }?.value == "Marvin")
        #expect(rows.first { $0.name == "HEYBOT_REDIS_URL" }?.value == "(secret)")
        #expect(rows.filter(\.isSet).map(\.name) == ["HEYBOT_NAME", "HEYBOT_REDIS_URL"])
        #expect(!text.contains("hush"))
    }

    @Test func `a secret is never shown, not even if it is invalid`() throws {
        let secret = Setting("TOKEN", key: "token", \.shell.userName, .text(), "a token", isSecret: true)
        let number = Setting("PIN", key: "pin", \.limits.threads, .number(1...9), "a number", isSecret: true)
        let table = [secret, number]
        for list in [
            try read([], ["HEYBOT_TOKEN": "hush"], table: table), try read(file: "{token: 'hush'}", table: table)
        ] {
            #expect(SettingsCommand.list(list.table, list).contains("HEYBOT_TOKEN = (secret) ("))
            #expect(!SettingsCommand.list(list.table, list).contains("hush"))
        }
        #expect(
            problems([], ["HEYBOT_PIN": "hush"], table: table)
                == ["HEYBOT_PIN is invalid; expected a number from 1 to 9"])
        #expect(
            problems(file: "{pin: 'hush'}", table: table)
                == ["heybot.json:1: pin is invalid; expected a number from 1 to 9"])
    }

    @Test func `an alias without a name is a slash, as in Hubot`() throws {
        #expect(try settings(["-l"]).alias == "/")
        #expect(try settings(["-l", "-n", "x"]).alias == "/")
        #expect(try settings(["--alias", "hey"]).alias == "hey")
        #expect(try settings(["--alias=bob"]).alias == "bob")
        #expect(Options.completed(["-l", "brain", "list"], subcommands: ["brain"]) == ["-l", "/", "brain", "list"])
        #expect(Options.completed(["brain", "set", "--", "-l", "-5"]) == ["brain", "set", "--", "-l", "-5"])
        #expect(try settings([], ["HUBOT_ALIAS": "!"]).alias == "!")
    }

    @Test func `settings are read from the environment`() throws {
        let settings = try settings(
            ["--data", "/d", "--log-level", "debug"],
            [
                "HUBOT_AUTH_ADMIN": "1, irc:al ,", "HEYBOT_SCRIPTS_OFF": "Rules,PlusPlus@#dev", "HEYBOT_THREADS": "2",
                "HEYBOT_CONCURRENCY": "8", "HEYBOT_DEADLINE": "1.5", "HUBOT_SHELL_USER_ID": "7",
                "HUBOT_SHELL_USER_NAME": "al", "HEYBOT_ADAPTER": "Shell", "HUBOT_FOO": "some script's",
                "HEYBOT_LOG_FORMAT": "JSON", "HEYBOT_SHARED_DATA": "on", "HUBOT_SHELL_HISTSIZE": "5",
                "HEYBOT_SHUTDOWN_TIMEOUT": "0"
            ])
        #expect(settings.data == "/d")
        #expect(settings.limits.shutdownGracePeriod == .zero)
        #expect(settings.log.levels == LogLevels("debug"))
        #expect(settings.log.format == .json)
        #expect(settings.admins == ["1", "irc:al"])
        #expect(settings.switches == DisabledScripts(off: ["Rules"], offInRoom: ["#dev": ["PlusPlus"]]))
        #expect(settings.limits.threads == 2)
        #expect(settings.limits.concurrency == 8)
        #expect(settings.limits.deadline == .milliseconds(1_500))
        #expect(settings.shell.userID == "7")
        #expect(settings.shell.userName == "al")
        #expect(settings.shell.historySize == 5)
        #expect(settings.isShared)
        #expect(try self.settings([], ["HUBOT_LOG_LEVEL": "emergency"]).log.levels == LogLevels("critical"))
    }

    @Test func `settings are read from the file, in JSON5`() throws {
        let settings = try settings(
            [], ["HEYBOT_CONFIG": "bots/marvin/heybot.json"],
            file: """
                // Marvin
                {
                    "name": 'Marvin', alias: null, /* none */ adapters: ["shell"], data: "brain", sharedData: false,
                    admins: ["irc:ada"], scripts: { off: ["Rules", "PlusPlus@#dev"] },
                    log: { level: "info,Rules=debug", format: "logfmt" },
                    limits: { deadline: 2.5, concurrency: 8, threads: 2, },
                    shell: { userId: "7", userName: "A\\u0064a", histSize: 0 },
                }
                """)
        #expect(settings.name == "Marvin")
        #expect(settings.alias == nil)
        #expect(settings.data == "bots/marvin/brain")
        #expect(settings.admins == ["irc:ada"])
        #expect(settings.switches == DisabledScripts(off: ["Rules"], offInRoom: ["#dev": ["PlusPlus"]]))
        #expect(settings.log.levels.level(part: "robot", script: "rules") == .debug)
        #expect(settings.log.levels.level(part: "robot", script: "Help") == .info)
        #expect(settings.log.format == .logfmt)
        #expect(settings.limits.deadline == .milliseconds(2_500))
        #expect(settings.limits.concurrency == 8)
        #expect(settings.limits.threads == 2)
        #expect(settings.shell.userID == "7")
        #expect(settings.shell.userName == "Ada")
        #expect(settings.shell.historySize == 0)
    }

    @Test func `empty values are unset, also in the file`() throws {
        let settings = try settings(
            [], ["HOME": "/h", "HEYBOT_ALIAS": ""], file: "{name: '', alias: '', data: '', shell: {}}")
        #expect(settings.name == "Heybot")
        #expect(settings.alias == nil)
        #expect(settings.data == "/h/.local/share/heybot")
    }

    @Test func `a file with CRLF and a byte order mark is read`() throws {
        let file = "\u{feff}{\r\n  // c\r\n  name: 'x',\r\n  nmae: 'y'\r\n}\r\n"
        #expect(problems(file: file) == ["heybot.json:4: nmae is not a setting; did you mean name?"])
    }

    @Test func `the same key in different objects isn't a duplicate`() {
        #expect(
            JSONSourceMap(Array(#"{"a": 1, "b": {"a": 1}, "b.a": 1, "c": [{"a": 1}, {"a": 1}]}"#.utf8)).repeated.isEmpty
        )
        #expect(JSONSourceMap(Array(#"{"b": {"a": 1, 'a': 2}}"#.utf8)).repeated.map(\.key) == ["b.a"])
    }

    @Test func `a repeated adapter counts once`() throws {
        #expect(try settings(["-a", "shell", "-a", "Shell"]).adapters == [.shell])
    }

    @Test func `shown values can be set again`() throws {
        let text = [
            "HEYBOT_SCRIPTS_OFF": "A,B,C@#x,D@#y", "HEYBOT_LOG_LEVEL": "debug,A=info,irc=error",
            "HEYBOT_DEADLINE": "1.5", "HEYBOT_AUTH_ADMIN": "a,b"
        ]
        let read = try read([], text)
        let shown = Dictionary(uniqueKeysWithValues: read.table.map { ($0.variable, $0.show(read.settings)) })
        for (name, value) in text { #expect(shown[name] == value) }
    }

    @Test func `all problems are reported together, with what was expected`() {
        #expect(
            problems(
                ["--log-level", "loud", "-a", "matrix"],
                [
                    "HEYBOT_THREADS": "0", "HUBOT_DEADLINE": "soon", "HEYBOT_LOG_FORMAT": "xml",
                    "HEYBOT_SCRIPTS_OFF": "@#dev", "HEYBOT_NAM": "x", "HEYBOT_SHUTDOWN_TIMEOUT": "-1",
                    "HEYBOT_SOMETHING_ELSE": "x"
                ],
                file: """
                    {
                        nmae: "x",
                        log: { level: 7, fromat: "x" },
                        shell: "x", threads: 3,
                        sharedData: "perhaps",
                    }
                    """) == [
                    "--adapter is \"matrix\": there is no adapter for matrix yet; expected shell, irc, xmpp, gtalk, campfire",
                    "HEYBOT_SCRIPTS_OFF is \"@#dev\"; expected names of scripts, such as Rules or Rules@#room",
                    "--log-level is \"loud\"; expected a level such as info, or several such as info,Rules=debug",
                    "HEYBOT_LOG_FORMAT is \"xml\"; expected short, logfmt or json",
                    "HUBOT_DEADLINE is \"soon\"; expected a number of seconds, up to 86400",
                    "HEYBOT_SHUTDOWN_TIMEOUT is \"-1\"; expected a number of seconds, from 0 to 86400",
                    "HEYBOT_THREADS is \"0\"; expected a number from 1 to 1000",
                    "heybot.json:2: nmae is not a setting; did you mean name?",
                    "heybot.json:3: log.fromat is not a setting; did you mean log.format?",
                    "heybot.json:3: log.level is 7; expected a level such as info, or several such as info,Rules=debug",
                    "heybot.json:4: shell is \"x\"; expected an object, { … }",
                    "heybot.json:4: threads is not a setting; did you mean limits.threads?",
                    "heybot.json:5: sharedData is \"perhaps\"; expected true or false",
                    "HEYBOT_NAM is not a setting; did you mean HEYBOT_NAME?", "HEYBOT_SOMETHING_ELSE is not a setting"
                ])
    }

    @Test(arguments: [
        ("{ name: \"x\"\n foo }", ":2 isn't valid JSON5: expected a comma"),
        ("{ name: \"x\", ", ":1 isn't valid JSON5: an object has no closing }"),
        ("{ // }\n name: x }", ":2 isn't valid JSON5: expected a value; strings need quotes"),
        ("\n\n{ name \"x\" }", ":3 isn't valid JSON5: expected a colon after name"),
        ("{ name: \"x\n }", ":1 isn't valid JSON5: a string has no closing quote"),
        ("", ":1 isn't valid JSON5: it ends too soon"), ("[1]", ": expected an object, { … }"),
        ("{name: \"x\"} {", ":1 isn't valid JSON5: expected the end of the file"),
        ("{name: 'x',\nname: 'y'}", ":2: name is set twice"),
        ("{ token: hunter2 }", ":1 isn't valid JSON5: expected a value; strings need quotes"),
        ("{\n\n name: '\\uD800' }", " isn't valid JSON5"),
        (String(repeating: "[", count: 100_000), ":1 isn't valid JSON5: it is nested too deeply"),
        ("{'log.level': 'debug'}", ":1: log.level is not a setting; write it as { a: { b: … } }, without the dot"),
        ("{admins: ['a', 1]}", ":1: admins is an array; expected ids of users, such as irc:ada")
    ])
    func `an invalid file is reported with the line`(_ file: String, _ problem: String) {
        #expect(problems(file: file) == ["heybot.json" + problem])
    }

    @Test func `the default data directory`() throws {
        func folder(_ setting: String?, _ environment: [String: String]) throws -> String {
            try DataFolder(setting ?? DataFolder.defaultPath(environment), environment: environment).path
        }
        #expect(try folder(nil, ["HOME": "/home/al"]) == "/home/al/.local/share/heybot")
        #expect(try folder(nil, ["HOME": "/home/al", "XDG_DATA_HOME": "/x"]) == "/x/heybot")
        #expect(try folder("~/d", ["HOME": "/home/al"]) == "/home/al/d")
        #expect(try folder("~", ["HOME": "/home/al"]) == "/home/al")
        #expect(throws: DataFolderError.self) { try folder(nil, [:]) }
        #expect(throws: DataFolderError.self) { try folder("~/d", [:]) }
        let read = try read([], ["XDG_DATA_HOME": "/x"])
        #expect(SettingsCommand.list(read.table, read).contains("HEYBOT_DATA = /x/heybot (default): "))
    }
}
