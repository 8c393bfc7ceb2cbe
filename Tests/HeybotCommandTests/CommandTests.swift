import Foundation
import Heybot
import StandardScripts
import TestServers
import Testing

@testable import HeybotCommand

/// Tests of the built command, run as a process.
@Suite(.blocking, .timeLimit(.minutes(15))) struct CommandTests {
    private let home: TemporaryFolder
    private var folder: URL { home.url }

    init() throws { home = try TemporaryFolder() }

    @Test func `input from a pipe is answered, with exit code 0`() throws {
        let run = try CommandRun("heybot ping\nheybot echo hi there\n", in: folder)
        #expect(run.output == "PONG\nhi there\n")
        #expect(run.errors == "")
        #expect(run.status == 0)
    }

    @Test func `one message is answered`() throws {
        #expect(try CommandRun(arguments: ["-e", "ping"], in: folder).output == "PONG\n")
        for arguments in [["-n", "Marvin", "-l", "!"], ["-nMarvin", "-l!"], ["--name=Marvin", "--alias=!"]] {
            for words in ["!ping", "marvin ping"] {
                #expect(try CommandRun(arguments: arguments + ["-e", words], in: folder).output == "PONG\n")
            }
        }
        #expect(try CommandRun(arguments: ["-l", "-e", "/ping"], in: folder).output == "PONG\n")
    }

    @Test func `it remembers across runs`() throws {
        #expect(try CommandRun("swift++\n", in: folder).output == "swift now has 1.\n")
        let second = try CommandRun(conversation: ["swift++", "score swift"], in: folder)
        #expect(second.output == "swift now has 2.\nswift has 2.\n")
    }

    @Test func `the shell's user is an admin`() throws {
        let run = try CommandRun("die\nping\n", in: folder)
        #expect(run.output == "Goodbye, cruel world.\n")
        #expect(run.status == 0)
    }

    @Test func `version and help`() throws {
        #expect(try CommandRun(arguments: ["-v"], in: folder).output == "\(heybotVersion)\n")
        #expect(try CommandRun(arguments: ["--version"], in: folder).output == "\(heybotVersion)\n")
        let help = try CommandRun(arguments: ["-h"], in: folder)
        #expect(help.output.contains("USAGE: heybot"))
        #expect(help.status == 0)
    }

    @Test func `an invalid option is one line and exit code 64`() throws {
        let run = try CommandRun(arguments: ["--frobnicate"], in: folder)
        #expect(run.status == 64)
        #expect(run.errors == "heybot: Unknown option '--frobnicate'; see heybot --help\n")
        #expect(run.output == "")
        let stray = try CommandRun(arguments: ["stray"], in: folder)
        #expect(stray.errors.split(separator: "\n").count == 1)
        #expect(stray.status == 64)
    }

    @Test func `unsupported options are errors in one line`() throws {
        let require = try CommandRun(arguments: ["-r", "gone"], in: folder)
        #expect(require.status == 66)
        #expect(require.errors == "heybot: can't load scripts from gone: there is no such file or folder\n")
        let slack = try CommandRun(arguments: ["-a", "shell", "-a", "slack"], in: folder)
        #expect(slack.status == 78)
        #expect(
            slack.errors
                == "heybot: --adapter is \"shell,slack\": there is no adapter for slack yet; expected shell, irc, xmpp, gtalk, campfire\n"
        )
        #expect(try CommandRun(arguments: ["-d", "-e", "ping"], in: folder).output == "PONG\n")
        #expect(
            try CommandRun(arguments: ["--disable-httpd", "-a", "shell", "-e", "ping"], in: folder).output == "PONG\n")
    }

    @Test func `a second robot with the same data directory is refused`() throws {
        let first = try CommandRun.start(in: folder)
        try first.type("ping\n")
        #expect(first.read() == "PONG\n")
        let second = try CommandRun("ping\n", in: folder)
        #expect(
            second.errors == "heybot: another robot uses the data directory \(folder.path) (process \(first.id)): "
                + "stop that robot, choose another directory with --data, or set HEYBOT_SHARED_DATA=true for both\n")
        #expect(second.status == 75)
        #expect(try CommandRun(arguments: ["-e", "ping"], in: folder).output == "PONG\n")
        // Both robots need the setting.
        #expect(try CommandRun("ping\n", in: folder, environment: ["HEYBOT_SHARED_DATA": "true"]).status == 75)
        // The lock is released even if the process was killed.
        first.kill(SIGKILL)
        first.end()
        #expect(try CommandRun("ping\n", in: folder).output == "PONG\n")
    }

    @Test func `two robots share a data directory if both have the setting`() throws {
        let shared = ["HEYBOT_SHARED_DATA": "true"]
        let first = try CommandRun.start(in: folder, environment: shared)
        try first.type("swift++\n")
        #expect(first.read() == "swift now has 1.\n")
        #expect(try CommandRun("swift++\n", in: folder, environment: shared).output == "swift now has 2.\n")
        #expect(try CommandRun("swift++\n", in: folder).status == 75)
        first.end()
    }

    @Test func `options that can't be combined with a subcommand are refused`() throws {
        for (arguments, problem) in [
            (["-e", "ping", "listeners"], "--execute can't be combined with a subcommand"),
            (["-t", "settings"], "--config-check can't be combined with a subcommand"),
            (["-v", "brain", "list"], "--version can't be combined with a subcommand"),
            (["-r", "x", "new", "y"], "--require can't be combined with a subcommand"),
            (["-t", "-e", "ping"], "--config-check and --execute can't be combined"),
            (["-c"], "-c isn't supported: to create a bot, run heybot new DIR"),
            (["-c", "marvin"], "-c isn't supported: to create a bot, run heybot new DIR")
        ] {
            let run = try CommandRun(arguments: arguments, in: folder, at: folder)
            #expect(run.errors == "heybot: \(problem); see heybot --help\n")
            #expect(run.status == 64)
        }
        let near = try CommandRun(arguments: ["chekc"], in: folder, at: folder)
        #expect(near.errors == "heybot: Unexpected argument 'chekc'; did you mean heybot check?\n")
        #expect(near.status == 64)
        for (arguments, error) in [
            (["ping"], "Unexpected argument 'ping'; did you mean heybot -e ping?"),
            (["new", "marvin", "brains"], "Unexpected argument 'brains'; see heybot new --help"),
            (["brain", "get"], "Missing expected argument '<name>'; see heybot brain get --help"),
            (["--nam", "x"], "Unknown option '--nam'. Did you mean '--name'?")
        ] {
            let run = try CommandRun(arguments: arguments, in: folder, at: folder)
            #expect(run.errors == "heybot: \(error)\n")
            #expect(run.status == 64)
        }
    }

    @Test func `in a Hubot directory it runs the scripts, and names the settings that it ignores`() throws {
        try FileManager.default.createDirectory(
            at: folder.appending(path: "scripts"), withIntermediateDirectories: true)
        try home.write(
            "module.exports = (robot) -> robot.respond /deploy$/, (msg) -> msg.send 'deployed'",
            to: "scripts/deploy.coffee")
        try home.write("oh(", to: "scripts/worse.js")
        try home.write(#"["hubot-help", "hubot-diagnostics"]"#, to: "external-scripts.json")
        let environment = [
            "HUBOT_GITHUB_TOKEN": "s3cret", "HUBOT_DEPLOY_TOKEN": "s3cret", "HUBOT_NAME": "marvin",
            "PATH": "/usr/local/bin:/usr/bin:/bin"
        ]
        let check = try CommandRun(arguments: ["check"], in: folder, environment: environment, at: folder)
        #expect(check.status == 0)
        #expect(check.output.contains("Hubot  loaded deploy.coffee"))
        #expect(check.output.contains("Hubot  these Hubot scripts couldn't be loaded: worse.js: "))
        #expect(check.output.contains("HUBOT_GITHUB_TOKEN  ignored: with this token, everyone in chat could read what"))
        #expect(check.output.contains("set HEYBOT_GITHUB_TOKEN to allow that"))
        let settings = try CommandRun(
            arguments: ["settings", "--set"], in: folder, environment: environment, at: folder)
        #expect(settings.output.contains("HEYBOT_NAME = marvin (HUBOT_NAME): "))
        #expect(!settings.output.contains("HEYBOT_GITHUB_TOKEN"))
        #expect(
            settings.output.hasSuffix(
                "Ignored, because they belong to Hubot's scripts: HUBOT_DEPLOY_TOKEN, HUBOT_GITHUB_TOKEN\n"))
        #expect(!check.output.contains("s3cret") && !settings.output.contains("s3cret"))
        let other = try CommandRun(arguments: ["check"], in: folder, at: home.url.deletingLastPathComponent())
        #expect(!other.output.contains("Hubot"))
        let run = try CommandRun(
            conversation: ["deploy", "ping"], in: folder, environment: environment, at: folder)
        #expect(run.output == "deployed\nPONG\n")
        #expect(run.errors.contains("the package hubot-help wasn't loaded, because the script Help replaces it"))
        // What a callback sends later is waited for.
        try home.write(
            "module.exports = (robot) -> robot.respond /later$/, -> new Promise((done) -> setTimeout done, 50)"
                + ".then => robot.send {room: 'Shell'}, 'later'",
            to: "scripts/later.coffee")
        let later = try CommandRun(arguments: ["-e", "later"], in: folder, environment: environment, at: folder)
        #expect(later.output == "later\n")
        // The log isn't mixed into the table.
        let loud = try CommandRun(arguments: ["check"], in: folder, environment: ["HUBOT_LOG_LEVEL": "debug"])
        #expect(loud.errors == "")
    }

    @Test func `packages whose job the robot does are named, even if there is nothing else to load`() throws {
        let packages = [
            "hubot-help": "the script Help", "hubot-diagnostics": "the script Diagnostics",
            "hubot-rules": "the script Rules", "hubot-redis-brain": "the robot's brain",
            "hubot-heroku-keepalive": "the robot's web server", "hubot-maps": "the script Maps",
            "hubot-google-images": "the script Images", "hubot-google-translate": "the script Translate",
            "hubot-pugme": "the script Pugs", "hubot-shipit": "the script ShipIt",
            "hubot-youtube": "the script YouTube", "hubot-scripts": "hubot-scripts.json"
        ]
        let names = packages.keys.sorted().map { "\"\($0)\"" }
        try home.write("[\(names.joined(separator: ", "))]", to: "external-scripts.json")
        let run = try CommandRun("ping\n", in: folder, at: folder)
        #expect(run.output == "PONG\n")
        for (package, other) in packages {
            let line = "the package \(package) wasn't loaded, because \(other) replaces it"
            #expect(run.errors.contains(line), "\(run.errors)")
        }
    }

    @Test func `Hubot scripts get the environment without the robot's own secrets`() throws {
        try home.write(
            """
            module.exports = (robot) => {
              robot.respond(/envshow (\\w+)$/, (res) => res.send(`${res.match[1]}: ${process.env[res.match[1]]}`));
            };
            """, to: "envshow.js")
        try home.write("module.exports = () => process.env.HEYBOT_XMPP_PASSWORD", to: "password.js")
        let environment = [
            "HEYBOT_IRC_PASSWORD": "s3cret", "HEYBOT_IRC_ROOMS": "#tea s3cret", "HUBOT_IRC_PASSWORD": "kept",
            "HUBOT_TEA_KEY": "kept", "HEYBOT_IRC_NICK": "marvin", "PATH": "/usr/local/bin:/usr/bin:/bin"
        ]
        let names = environment.keys.filter { $0 != "PATH" }.sorted()
        let run = try CommandRun(
            conversation: names.map { "envshow \($0)" }, arguments: ["-r", "envshow.js"], in: folder,
            environment: environment, at: folder)
        #expect(
            run.output == """
                HEYBOT_IRC_NICK: marvin
                HEYBOT_IRC_PASSWORD: undefined
                HEYBOT_IRC_ROOMS: undefined
                HUBOT_IRC_PASSWORD: kept
                HUBOT_TEA_KEY: kept

                """, "\(run.errors)")
        let check = try CommandRun(
            arguments: ["check", "-r", "password.js"], in: folder, environment: environment, at: folder)
        #expect(
            check.output.contains(
                "password.js  it reads HEYBOT_XMPP_PASSWORD, which Hubot scripts don't get, because only the robot"))
        #expect(!check.output.contains("s3cret"))
    }

    @Test func `settings and listeners are found by a word, and shown without Markdown`() throws {
        let titles = try CommandRun(arguments: ["settings", "TITLES_ON"], in: folder)
        #expect(titles.output.hasPrefix("HEYBOT_TITLES_ON = false (default)\n  "))
        #expect(titles.output.contains("\n  scripts      Titles\n"))
        let common = try CommandRun(arguments: ["settings"], in: folder)
        #expect(
            common.output.hasSuffix(
                " more settings: run heybot settings --all, or name a group, as in heybot settings irc\n"))
        #expect(!common.output.contains("HEYBOT_IRC_NICK_RETRY"))
        let all = try CommandRun(arguments: ["settings", "--all"], in: folder)
        #expect(all.output.contains("HEYBOT_IRC_NICK_RETRY") && !all.output.contains("`"))
        #expect(try CommandRun(arguments: ["settings", "--set"], in: folder).output.contains("HEYBOT_DATA = "))
        // The service isn't started with the terminal as its only adapter.
        let unit = try String(
            contentsOf: URL(filePath: #filePath).appending(path: "../../../Packaging/heybot.service").standardized,
            encoding: .utf8)
        #expect(unit.contains("heybot settings HEYBOT_ADAPTER 2>/dev/null | grep -q \"^HEYBOT_ADAPTER = shell \""))
        let adapter = try CommandRun(arguments: ["settings", "HEYBOT_ADAPTER"], in: folder)
        #expect(adapter.output.hasPrefix("HEYBOT_ADAPTER = shell "))
        let none = try CommandRun(arguments: ["settings", "frobnicate"], in: folder)
        #expect(none.errors == "heybot: no setting matches frobnicate\n")
        #expect(none.status == 1)
        let plus = try CommandRun(arguments: ["listeners", "plusplus"], in: folder)
        #expect(plus.output.contains("Example: "))
        #expect(!plus.output.contains("Rules.1"))
        let wrong = try CommandRun(arguments: ["listeners", "Ruels"], in: folder)
        #expect(wrong.errors == "heybot: there is no script Ruels; did you mean Rules?\n")
    }

    @Test func `an invalid line of an import is named, with the number of imported entries`() throws {
        let run = try CommandRun(
            #"{"name":"a","value":1}"# + "\n{bad\n", arguments: ["brain", "import"], in: folder)
        #expect(run.errors.contains("standard input:2 can't be imported: "))
        #expect(run.errors.contains("; the 1 entry before it was imported"))
    }

    @Test func `with -e a failing script means exit code 70`() throws {
        #expect(try CommandRun(arguments: ["brain", "set", "plusplus.scores", "swift", "true"], in: folder).status == 0)
        let run = try CommandRun(arguments: ["-e", "score swift"], in: folder)
        #expect(run.output == "Sorry, something went wrong (PlusPlus).\n")
        #expect(run.errors.contains("level=error part=robot"))
        #expect(run.status == 70)
    }

    @Test func `the robot doesn't start if disabled scripts can't be read`() throws {
        #expect(try CommandRun(arguments: ["brain", "set", "heybot.switches", "5"], in: folder).status == 0)
        for arguments in [["-e", "ping"], ["-t"]] {
            let run = try CommandRun(arguments: arguments, in: folder)
            #expect(run.errors.contains("the brain's value at heybot.switches isn't of type DisabledScripts"))
            #expect(run.status == 65)
        }
    }

    @Test func `an error quotes input in one line without control characters`() throws {
        let run = try CommandRun(in: folder, environment: ["HEYBOT_THREADS": "1\nheybot: all is well\u{1b}[2J"])
        #expect(
            run.errors == "heybot: HEYBOT_THREADS is \"1 heybot: all is well [2J\"; expected a number from 1 to 1000\n")
    }

    @Test(arguments: ["settings", "listeners", "-v", "-t"]) func `a write error on standard output is an error`(
        _ arguments: String
    ) throws {
        let shell = Process()
        shell.executableURL = URL(filePath: "/bin/sh")
        shell.arguments = ["-c", "exec \"$1\" \(arguments) >/dev/full", "sh", try #require(CommandRun.program).path]
        shell.environment = ["HEYBOT_DATA": folder.path]
        shell.standardError = FileHandle.nullDevice
        try shell.run()
        shell.waitUntilExit()
        #expect(shell.terminationStatus == 74)
    }

    @Test func `names of disabled scripts ignore case`() throws {
        let run = try CommandRun(
            arguments: ["-e", "scripts"], in: folder, environment: ["HEYBOT_SCRIPTS_OFF": "rules,plusPLUS@#dev"])
        #expect(run.output.contains(", PlusPlus (off in #dev), ") && run.output.contains(", Rules (off), "))
    }

    @Test(arguments: ["new", "new/", "./deep//new/"]) func `the data directory is created for its owner only`(
        _ name: String
    ) throws {
        let run = try CommandRun(arguments: ["-e", "ping", "--data", name], in: folder, at: folder)
        #expect(run.output == "PONG\n")
        let path = folder.appending(path: name).path
        let mode = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
        #expect(mode == 0o700)
    }

    @Test func `an unwritable data directory is an error in one line`() throws {
        guard let user = try UnprivilegedUser(home) else { return }
        let folder = folder.appending(path: "locked")
        try FileManager.default.createDirectory(
            at: folder, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o555])
        let run = try user.run(["-e", "ping", "--data", folder.path])
        #expect(
            run.errors
                == "heybot: the data directory \(folder.path) isn't writable by this user (uid \(user.id)): give it to "
                + "uid \(user.id) (its owner is uid 0), or choose another directory with --data\n")
        #expect(run.status == 78)
        let below = try user.run(["-e", "ping", "--data", folder.path + "/below"])
        #expect(
            below.errors
                == "heybot: the data directory \(folder.path)/below can't be created: check the permissions of its parent, "
                + "or choose another directory with --data\n")
        // As if another user had run the robot before.
        try FileManager.default.setAttributes([.posixPermissions: 0o777], ofItemAtPath: folder.path)
        let lock = folder.appending(path: "robot.lock")
        try Data().write(to: lock)
        try FileManager.default.setAttributes([.posixPermissions: 0o000], ofItemAtPath: lock.path)
        #expect(try user.run(["--data", folder.path]).errors == run.errors)
        let secret = try home.write("{}", to: "secret.json")
        try FileManager.default.setAttributes([.posixPermissions: 0o000], ofItemAtPath: secret.path)
        let unread = try user.run(["-e", "ping", "--config", secret.path])
        #expect(unread.errors == "heybot: \(secret.path) can't be read: check its permissions, and that it is a file\n")
        #expect(unread.status == 78)
    }

    @Test func `log lines aren't mixed with answers, and have the id of the message`() throws {
        let run = try CommandRun(
            arguments: ["-e", "ping"], in: folder,
            environment: ["HEYBOT_LOG_LEVEL": "debug", "HEYBOT_LOG_FORMAT": "json"])
        #expect(run.output == "PONG\n")
        let lines = try run.errors.split(separator: "\n").map {
            try JSONDecoder().decode([String: String].self, from: Data($0.utf8))
        }
        let match = try #require(lines.first { $0["msg"] == "listener matched" })
        #expect(match["level"] == "debug" && match["part"] == "robot" && match["message"] == "shell:1")
        let quiet = try CommandRun(
            arguments: ["-e", "ping"], in: folder, environment: ["HEYBOT_LOG_LEVEL": "info,Rules=debug"])
        #expect(quiet.errors == "")
        let single = try CommandRun(
            arguments: ["-e", "ping"], in: folder, environment: ["HEYBOT_LOG_LEVEL": "info,Diagnostics=debug"])
        #expect(
            single.errors.contains(
                " level=debug part=robot msg=\"listener matched\" listener=Diagnostics.1 message=shell:1 ")
        )
    }

    @Test(arguments: ["bash", "zsh", "fish"]) func `shell completion`(_ shell: String) throws {
        let script = try CommandRun(arguments: ["--generate-completion-script", shell], in: folder)
        #expect(script.status == 0)
        for word in ["settings", "listeners", "brain", "new", "adapter", "export"] {
            #expect(script.output.contains(word))
        }
    }

    /// Returns bash's completions of the last word.
    private func offers(_ words: String...) throws -> [String] { try offers(words) }

    /// Waits until bash completes the last word with these names from the brain.
    ///
    /// It has none if reading the brain takes two seconds, as on a busy machine.
    private func waitForOffers(_ names: [String], _ words: String..., data: String? = nil) async throws {
        try await wait(for: "\(names) after \(words)") { try offers(words, data: data) == names }
    }

    private func offers(_ words: [String], data: String? = nil) throws -> [String] {
        let script = try CommandRun(arguments: ["--generate-completion-script", "bash"], in: folder).output
        let file = try home.write(script, to: "completion.bash")
        let program = try #require(CommandRun.program).path
        let line = words.joined(separator: " ")
        let bash = Process()
        bash.executableURL = URL(filePath: "/bin/bash")
        // The completion calls the command by the name on the command line.
        bash.environment = [
            "PATH": "\(URL(filePath: program).deletingLastPathComponent().path):/usr/bin:/bin",
            "HOME": "/dev/null/nowhere",
            "HEYBOT_DATA": data ?? folder.path
        ]
        bash.arguments =
            [
                "-c",
                """
                shopt -s extglob progcomp; . "$1"; shift
                COMP_LINE="$1"; COMP_POINT=${#COMP_LINE}; shift; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); COMP_TYPE=9
                $(complete -p heybot | sed 's/.*-F \\([^ ]*\\).*/\\1/') heybot "${!#}" "${COMP_WORDS[$(($# - 2))]}" 2>&1
                printf '%s\\n' "${COMPREPLY[@]}"
                """, "bash", file.path, line
            ] + words
        let output = Pipe()
        bash.standardOutput = output
        try bash.run()
        let said = String(decoding: try output.fileHandleForReading.readToEnd() ?? Data(), as: UTF8.self)
        bash.waitUntilExit()
        return said.split(separator: "\n").map(String.init)
    }

    @Test func `bash completes subcommands and options, also after help`() throws {
        #expect(try offers("heybot", "bra") == ["brain"])
        #expect(try offers("heybot", "help", "").contains("settings"))
        #expect(try offers("heybot", "help", "li") == ["listeners"])
        #expect(
            try offers("heybot", "help", "brain", "").sorted() == ["export", "get", "import", "list", "remove", "set"])
        #expect(try offers("heybot", "help", "check", "") == [])
        #expect(try offers("heybot", "settings", "ir") == ["irc"])
    }

    @Test func `bash completes names from the brain, also while a robot runs`() async throws {
        #expect(try offers("heybot", "brain", "get", "") == [])
        let robot = try CommandRun.start(in: folder)
        try robot.type("swift++\n")
        #expect(robot.read() == "swift now has 1.\n")
        for name in ["motto", "two words"] {
            #expect(try CommandRun(arguments: ["brain", "set", name, "1"], in: folder).status == 0)
        }
        try await waitForOffers(["motto", "plusplus.scores"], "heybot", "brain", "get", "")
        try await waitForOffers(["plusplus.scores"], "heybot", "brain", "remove", "pl")
        try await waitForOffers(["plusplus.scores"], "heybot", "brain", "list", "")
        try await waitForOffers(["swift"], "heybot", "brain", "get", "plusplus.scores", "s")
        let nowhere = folder.path + "/nowhere"
        try await waitForOffers(["motto"], "heybot", "--data", folder.path, "brain", "get", "m", data: nowhere)
        #expect(robot.end().status == 0)
        try home.write("Dear diary", to: "brain.sqlite")
        #expect(try offers("heybot", "brain", "get", "") == [])
    }

    @Test func `a subcommand's help shows the options it supports, and others are refused`() throws {
        let values = [
            "--adapter": "shell", "--name": "x", "--alias": "x", "--data": folder.path, "--config": "heybot.json",
            "--log-level": "debug"
        ]
        let all = Set(values.keys)
        let brain: Set = ["--data", "--config", "--log-level"]
        func shown<S: Subcommand>(_ subcommand: S.Type) -> Set<String> {
            let help = Command.helpMessage(for: subcommand)
            let shown = all.filter { help.contains(" \($0) <") }
            let heeded = Setting.all.filter { S.Flags.settings.contains($0.name) }.compactMap(\.flags.last)
            #expect(Set(heeded) == shown)
            return shown
        }
        #expect(shown(SettingsCommand.self) == all && shown(CheckCommand.self) == all)
        for (command, shown, expected) in [
            (["listeners"], shown(ListenersCommand.self), brain.union(["--adapter"])),
            (["health"], shown(HealthCommand.self), ["--data", "--config"]), (["new", "y"], shown(NewCommand.self), []),
            (["reload"], shown(ReloadCommand.self), ["--data", "--config"]),
            (["brain", "get", "a"], shown(BrainCommand.Get.self), brain),
            (["brain", "set", "a", "1"], shown(BrainCommand.Set.self), brain),
            (["brain", "list"], shown(BrainCommand.List.self), brain),
            (["brain", "remove", "a"], shown(BrainCommand.Remove.self), brain),
            (["brain", "export"], shown(BrainCommand.Export.self), brain),
            (["brain", "import"], shown(BrainCommand.Import.self), brain.union(["--adapter"]))
        ] {
            #expect(shown == expected, "\(command)")
            let flag = try #require(all.subtracting(shown).sorted().first)
            let name = "heybot \(command.prefix { $0.count > 2 && $0 != "y" }.joined(separator: " "))"
            // Regardless of its position.
            let flags = [flag, values[flag] ?? ""]
            let run = try CommandRun(
                arguments: name.count % 2 == 0 ? flags + command : command + flags, in: folder, at: folder)
            #expect(run.errors == "heybot: \(flag) has no effect with \(name); see \(name) --help\n")
            #expect(run.status == 64)
        }
    }

    @Test func `invalid settings are a line each, with exit code 78`() throws {
        let run = try CommandRun(in: folder, environment: ["HEYBOT_THREADS": "many", "HEYBOT_NAM": "x"])
        #expect(
            run.errors == """
                heybot: HEYBOT_THREADS is "many"; expected a number from 1 to 1000
                heybot: HEYBOT_NAM is not a setting; did you mean HEYBOT_NAME?

                """)
        #expect(run.status == 78)
    }

    @Test func `disabling an unknown script is an error`() throws {
        let run = try CommandRun(in: folder, environment: ["HEYBOT_SCRIPTS_OFF": "Ruels"])
        let names = (standardScripts.map(\.name) + ["Prometheus"]).joined(separator: ", ")
        #expect(run.errors == "heybot: HEYBOT_SCRIPTS_OFF names Ruels, which is not a script; did you mean Rules?\n")
        let other = try CommandRun(in: folder, environment: ["HEYBOT_SCRIPTS_OFF": "Nada@#dev", "HEYBOT_THREADS": "x"])
        #expect(
            other.errors == "heybot: HEYBOT_THREADS is \"x\"; expected a number from 1 to 1000\n"
                + "heybot: HEYBOT_SCRIPTS_OFF names Nada, which is not a script; valid names are \(names)\n")
        #expect(run.status == 78)
    }

    @Test func `a data directory that can't be created is one line and exit code 78`() throws {
        let run = try CommandRun(arguments: ["--data", "/dev/null/heybot"], in: folder)
        #expect(run.errors.hasPrefix("heybot: the data directory /dev/null/heybot can't be created"))
        #expect(run.status == 78)
    }

    @Test func `a file in place of the data directory is an error`() throws {
        let file = folder.appending(path: "file")
        try Data().write(to: file)
        let run = try CommandRun(arguments: ["--data", file.path], in: folder)
        #expect(
            run.errors
                == "heybot: \(file.path) is a file, but the data directory must be a directory: choose another directory with --data\n"
        )
        #expect(run.status == 78)
    }

    @Test func `a damaged brain is one line and exit code 65`() throws {
        try "Dear diary".write(to: folder.appending(path: "brain.sqlite"), atomically: true, encoding: .utf8)
        try FileManager.default.setAttributes(
            [.posixPermissions: 0o600], ofItemAtPath: folder.appending(path: "brain.sqlite").path)
        let run = try CommandRun(in: folder)
        #expect(run.errors.split(separator: "\n").count == 1)
        #expect(run.errors.contains("brain.sqlite is damaged"))
        #expect(run.status == 65)
    }

    @Test(arguments: [SIGTERM, SIGINT]) func `a signal ends the robot cleanly`(_ signal: Int32) throws {
        let command = try CommandRun.start(in: folder)
        try command.type("swift++\n")
        #expect(command.read() == "swift now has 1.\n")
        command.kill(signal)
        let run = command.end()
        #expect(run.status == 0)
        #expect(run.errors == "")
        #expect(try CommandRun("score swift\n", in: folder).output == "swift has 1.\n")
    }

    @Test func `a second signal ends the robot at once`() async throws {
        // On a busy machine the default of three seconds may be over before the second signal is handled.
        let command = try CommandRun.start(in: folder, environment: ["HEYBOT_SHUTDOWN_TIMEOUT": "600"])
        try command.type("ping\n")
        #expect(command.read() == "PONG\n")
        // The answer is longer than the pipe, and the test doesn't read it: the robot can't finish its write.
        command.shrinkOutput()
        try command.type("help all\n")
        try await wait(for: "the pipe to be full") { command.isOutputFull }
        try await wait(for: "the end") {
            command.kill(SIGTERM)
            return !command.isRunning
        }
        #expect(command.end().status == 128 + SIGTERM)
    }

    @Test(arguments: [["settings"], ["listeners"], ["check"]])
    func `a listing ends silently if the reader closes the pipe`(
        _ arguments: [String]
    ) throws {
        // Closed before the command starts: it may write everything before the test goes on.
        let command = try CommandRun.start(arguments, in: folder, isUnread: true)
        let run = command.end()
        #expect(run.errors == "")
        #expect(run.signal == SIGPIPE || run.status == 128 + SIGPIPE)
    }

    @Test func `reload has the running robot read its settings`() throws {
        let none = try CommandRun(arguments: ["reload"], in: folder)
        #expect(none.status == 1)
        #expect(none.errors.contains("no robot is running with the data directory"))
        let robot = try CommandRun.start(in: folder)
        try robot.type("ping\n")
        while robot.isRunning, !robot.read().contains("PONG") {}
        let reload = try CommandRun(arguments: ["reload"], in: folder)
        #expect(reload.status == 0)
        robot.waitForError("reloading: ")
        #expect(robot.end().status == 0)
        #expect(try CommandRun(arguments: ["reload"], in: folder).status == 1)
    }

    @Test func `a reload while the robot starts doesn't end it`() throws {
        let robot = try CommandRun.start(in: folder)
        let lock = folder.appending(path: "robot.lock")
        // From then on, `heybot reload` sends it a signal.
        while robot.isRunning, (try? String(contentsOf: lock, encoding: .utf8)) != "\(robot.id)" { usleep(100) }
        for _ in 1...20 { robot.kill(SIGUSR1) }
        try robot.type("ping\n")
        let run = robot.end()
        #expect(run.output == "PONG\n")
        #expect(run.signal == nil)
        #expect(run.status == 0)
    }

    @Test func `SIGHUP applies what it can, and names what needs a restart`() throws {
        try home.write(
            #"{"log": {"level": "info"}, "name": "Marvin", "scripts": {"off": ["rules"]}}"#, to: "heybot.json")
        let robot = try CommandRun.start(["--config", folder.path + "/heybot.json"], in: folder)
        try robot.type("marvin the rules\nmarvin ping\n")
        while robot.isRunning, !robot.read().contains("PONG") {}
        #expect(robot.errors == "")
        let new =
            #"{"log": {"level": "debug"}, "name": "Zaphod", "admins": "ada", "scripts": {"off": ["diagnostics"]}}"#
        try home.write(new, to: "heybot.json")
        robot.kill(SIGHUP)
        robot.waitForError("restart to apply: ")
        #expect(
            robot.errors.contains(
                "heybot.json; HEYBOT_AUTH_ADMIN is ada, HEYBOT_SCRIPTS_OFF is diagnostics, HEYBOT_LOG_LEVEL is debug; "
                    + "restart to apply: HEYBOT_NAME\""))
        try robot.type("marvin ping\nmarvin the rules\n")
        robot.waitForError("listener matched")
        var said = ""
        while !said.contains("A robot must not harm"), robot.isRunning { said += robot.read() }
        #expect(!said.contains("PONG"))

        // The problems are listed, and nothing is changed.
        for (text, problem) in [
            (#"{"log": {"level": "loud"}}"#, #"heybot.json:1: log.level is \"loud"#),
            (#"{"admins": "bob", "scripts": {"off": ["Nada"]}}"#, "scripts.off names Nada, which is not a script")
        ] {
            try home.write(text, to: "heybot.json")
            robot.kill(SIGHUP)
            robot.waitForError(problem)
            #expect(robot.errors.contains(problem))
        }
        try robot.type("marvin ping\n")
        let run = robot.end()
        #expect(!run.output.contains("PONG"))
        #expect(
            run.errors.split(separator: "\n").count {
                $0.contains("the new settings are invalid, so the previous ones stay in effect: ")
            } == 2)
        #expect(run.status == 0)
    }

    @Test func `data files are readable by their owner only, regardless of directory and umask`() throws {
        func mode(_ name: String) throws -> Int? {
            try FileManager.default.attributesOfItem(atPath: "\(folder.path)/\(name)")[.posixPermissions] as? Int
        }
        try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: folder.path)
        let robot = try CommandRun.start(in: folder)
        try robot.type("swift++\n")
        #expect(robot.read() == "swift now has 1.\n")
        for name in ["brain.sqlite", "brain.sqlite-wal", "brain.sqlite-shm"] { #expect(try mode(name) == 0o600) }
        #expect(robot.end().errors == "")

        try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: folder.path + "/brain.sqlite")
        let next = try CommandRun("score swift\n", in: folder)
        #expect(next.output == "swift has 1.\n")
        #expect(
            next.errors.contains("brain.sqlite was accessible to other users; now only its owner has access")
        )
        #expect(try mode("brain.sqlite") == 0o600)
    }

    @Test func `a Hubot's scores and roles are imported and listed`() throws {
        let brain = """
            {"users":{"7":{"id":"Ada","name":"Ada","roles":["deployer","admin","a badass guitarist"]},"8":{"id":"bob"}},
            "_private":{"deploys":{"a":1}},
            "plusPlus":{"scores":{"swift":42,"@Perl":-2},"log":{},"reasons":{"swift":{"being fast":3,"none":1}},"last":{}},
            "karma":{"tea":5},"seen":{"ada":{"chan":"#dev","date":1}}}
            """
        try home.write(brain, to: "hubot.json")
        let file = folder.path + "/hubot.json"
        func heybot(_ arguments: String..., adapter: String = "irc") throws -> CommandRun {
            try CommandRun(
                arguments: arguments, in: folder,
                environment: [
                    "HEYBOT_ADAPTER": adapter, "HEYBOT_IRC_SERVER": "irc.example.org", "HEYBOT_IRC_ROOMS": "#a"
                ])
        }
        let run = try heybot("brain", "import", "--hubot", file)
        #expect(
            run.output == """
                9 entries
                3 scores for PlusPlus
                the roles of 1 person, stored for irc:ada
                imported, but not used by standard scripts: deploys, seen

                """)
        #expect(run.errors == "")
        #expect(try heybot("-e", "score swift").output == "swift has 42: 3 for being fast.\n")
        #expect(try heybot("-e", "score perl").output == "perl has -2.\n")
        #expect(try heybot("-e", "score tea").output == "tea has 5.\n")
        let standings = try heybot("brain", "get", "heybot.standings").output
        #expect(standings.contains("irc:ada") && standings.contains("deployer"))
        #expect(!standings.contains("admin") && !standings.contains("guitarist"))

        // Hubot's own values are unchanged, and points given meanwhile are kept.
        let back = try heybot("brain", "export", "--hubot").output
        let old = try #require(try JSONSerialization.jsonObject(with: Data(brain.utf8)) as? NSDictionary)
        let new = try #require(try JSONSerialization.jsonObject(with: Data(back.utf8)) as? NSDictionary)
        for key in ["users", "plusPlus", "karma", "seen"] { #expect(new[key] as? NSObject == old[key] as? NSObject) }
        #expect(try heybot("-e", "swift++").output == "swift now has 43.\n")
        try home.write(try heybot("brain", "export", "--hubot").output, to: "hubot.json")
        #expect(try heybot("brain", "import", "--hubot", file).status == 0)
        #expect(try heybot("-e", "score swift").output.hasPrefix("swift has 43"))

        // The roles' network is unknown.
        try home.write(brain, to: "hubot.json")
        #expect(
            try heybot("brain", "import", "--hubot", file, adapter: "shell").output.contains("name Hubot's network"))
    }

    @Test func `the robot ends with one line if the reader closes the pipe`() throws {
        let command = try CommandRun.start(in: folder)
        command.closeOutput()
        try command.type("ping\nping\nping\n")
        let run = command.end()
        #expect(run.status == 74)
        #expect(run.errors.contains("the program that reads the answers closed the output"))
    }
}
