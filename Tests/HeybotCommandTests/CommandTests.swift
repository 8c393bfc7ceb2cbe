import Foundation
import Heybot
import StandardScripts
import TestServers
import Testing

@testable import HeybotCommand

/// The built command, run as a person would.
@Suite(.timeLimit(.minutes(15))) struct CommandTests {
    private let home: Folder
    private var folder: URL { home.url }

    init() throws { home = try Folder() }

    @Test func `a pipe is answered, and it ends with 0`() throws {
        let run = try Run("heybot ping\nheybot echo hi there\n", in: folder)
        #expect(run.output == "PONG\nhi there\n")
        #expect(run.errors == "")
        #expect(run.status == 0)
    }

    @Test func `one message is answered`() throws {
        #expect(try Run(arguments: ["-e", "ping"], in: folder).output == "PONG\n")
        for arguments in [["-n", "Marvin", "-l", "!"], ["-nMarvin", "-l!"], ["--name=Marvin", "--alias=!"]] {
            for words in ["!ping", "marvin ping"] {
                #expect(try Run(arguments: arguments + ["-e", words], in: folder).output == "PONG\n")
            }
        }
        #expect(try Run(arguments: ["-l", "-e", "/ping"], in: folder).output == "PONG\n")
    }

    @Test func `it remembers across runs`() throws {
        #expect(try Run("swift++\n", in: folder).output == "swift now has 1.\n")
        #expect(try Run("swift++\nscore swift\n", in: folder).output == "swift now has 2.\nswift has 2.\n")
    }

    @Test func `the shell's user is an admin`() throws {
        let run = try Run("die\nping\n", in: folder)
        #expect(run.output == "Goodbye, cruel world.\n")
        #expect(run.status == 0)
    }

    @Test func `version and help`() throws {
        #expect(try Run(arguments: ["-v"], in: folder).output == "\(heybotVersion)\n")
        #expect(try Run(arguments: ["--version"], in: folder).output == "\(heybotVersion)\n")
        let help = try Run(arguments: ["-h"], in: folder)
        #expect(help.output.contains("USAGE: heybot"))
        #expect(help.status == 0)
    }

    @Test func `a bad flag is one line and 64`() throws {
        let run = try Run(arguments: ["--frobnicate"], in: folder)
        #expect(run.status == 64)
        #expect(run.errors == "heybot: Unknown option '--frobnicate'; see heybot --help\n")
        #expect(run.output == "")
        let stray = try Run(arguments: ["stray"], in: folder)
        #expect(stray.errors.split(separator: "\n").count == 1)
        #expect(stray.status == 64)
    }

    @Test func `what isn't there yet says so in a line`() throws {
        let require = try Run(arguments: ["-r", "scripts"], in: folder)
        #expect(require.status == 64)
        #expect(
            require.errors == "heybot: -r isn't there yet: scripts are compiled in, so put yours into Scripts/; "
                + "see heybot --help\n")
        let slack = try Run(arguments: ["-a", "shell", "-a", "slack"], in: folder)
        #expect(slack.status == 78)
        #expect(
            slack.errors
                == "heybot: --adapter is \"shell,slack\": there is no adapter for slack yet; expected shell, irc, xmpp, gtalk, campfire\n"
        )
        #expect(try Run(arguments: ["-d", "-e", "ping"], in: folder).output == "PONG\n")
        #expect(try Run(arguments: ["--disable-httpd", "-a", "shell", "-e", "ping"], in: folder).output == "PONG\n")
    }

    @Test func `of two robots with one data folder the second is refused, unless they are to share it`() throws {
        let first = try Run.start(in: folder)
        try first.type("ping\n")
        #expect(first.read() == "PONG\n")
        let second = try Run("ping\n", in: folder)
        #expect(
            second.errors == "heybot: another robot runs with the data folder \(folder.path), as process \(first.id): "
                + "stop it, give this one a folder of its own with --data, or set HEYBOT_SHARED=true where both are "
                + "meant to share it\n")
        #expect(second.status == 75)
        #expect(try Run(arguments: ["-e", "ping"], in: folder).output == "PONG\n")
        // Sharing takes both.
        #expect(try Run("ping\n", in: folder, environment: ["HEYBOT_SHARED": "true"]).status == 75)
        // However it ends, the next may run.
        first.kill(SIGKILL)
        first.end()
        #expect(try Run("ping\n", in: folder).output == "PONG\n")
    }

    @Test func `two robots that are both to share it do`() throws {
        let shared = ["HEYBOT_SHARED": "true"]
        let first = try Run.start(in: folder, environment: shared)
        try first.type("swift++\n")
        #expect(first.read() == "swift now has 1.\n")
        #expect(try Run("swift++\n", in: folder, environment: shared).output == "swift now has 2.\n")
        #expect(try Run("swift++\n", in: folder).status == 75)
        first.end()
    }

    @Test func `what goes with no subcommand is refused there`() throws {
        for (arguments, problem) in [
            (["-e", "ping", "listeners"], "--execute goes with no subcommand"),
            (["-t", "settings"], "--config-check goes with no subcommand"),
            (["-v", "brain", "list"], "--version goes with no subcommand"),
            (["-r", "x", "new", "y"], "--require goes with no subcommand"),
            (["-t", "-e", "ping"], "--config-check and --execute don't go together"),
            (["-c"], "a bot of your own is made by heybot new DIR now"),
            (["-c", "marvin"], "a bot of your own is made by heybot new DIR now")
        ] {
            let run = try Run(arguments: arguments, in: folder, at: folder)
            #expect(run.errors == "heybot: \(problem); see heybot --help\n")
            #expect(run.status == 64)
        }
        let near = try Run(arguments: ["chekc"], in: folder, at: folder)
        #expect(near.errors == "heybot: Unexpected argument 'chekc'; did you mean heybot check?\n")
        #expect(near.status == 64)
        for (arguments, error) in [
            (["ping"], "Unexpected argument 'ping'; did you mean heybot -e ping?"),
            (["new", "marvin", "brains"], "Unexpected argument 'brains'; see heybot new --help"),
            (["brain", "get"], "Missing expected argument '<name>'; see heybot brain get --help"),
            (["--nam", "x"], "Unknown option '--nam'. Did you mean '--name'?")
        ] {
            let run = try Run(arguments: arguments, in: folder, at: folder)
            #expect(run.errors == "heybot: \(error)\n")
            #expect(run.status == 64)
        }
    }

    @Test func `in a Hubot's folder it says which scripts and settings it doesn't take over`() throws {
        try FileManager.default.createDirectory(
            at: folder.appending(path: "scripts"), withIntermediateDirectories: true)
        try home.write("module.exports = (robot) ->", to: "scripts/deploy.coffee")
        try home.write(#"["hubot-help", "hubot-diagnostics"]"#, to: "external-scripts.json")
        let environment = ["HUBOT_GITHUB_TOKEN": "s3cret", "HUBOT_DEPLOY_TOKEN": "s3cret", "HUBOT_NAME": "marvin"]
        let check = try Run(arguments: ["check"], in: folder, environment: environment, at: folder)
        #expect(check.status == 0)
        #expect(
            check.output.contains(
                "here are a Hubot's scripts, which don't run in Heybot: scripts/deploy.coffee, 2 packages (hubot-help, "
                    + "hubot-diagnostics)"))
        #expect(check.output.contains("HUBOT_GITHUB_TOKEN  isn't taken over: what it may see, everybody could ask"))
        #expect(check.output.contains("if that is meant, set HEYBOT_GITHUB_TOKEN"))
        let settings = try Run(arguments: ["settings", "--set"], in: folder, environment: environment, at: folder)
        #expect(settings.output.contains("HEYBOT_NAME = marvin (HUBOT_NAME): "))
        #expect(!settings.output.contains("HEYBOT_GITHUB_TOKEN"))
        #expect(
            settings.output.hasSuffix(
                "Not taken, since only a Hubot's scripts know them: HUBOT_DEPLOY_TOKEN, HUBOT_GITHUB_TOKEN\n"))
        #expect(!check.output.contains("s3cret") && !settings.output.contains("s3cret"))
        let other = try Run(arguments: ["check"], in: folder, at: home.url.deletingLastPathComponent())
        #expect(!other.output.contains("Hubot"))
        // The table isn't mixed with what is logged.
        let loud = try Run(arguments: ["check"], in: folder, environment: ["HUBOT_LOG_LEVEL": "debug"])
        #expect(loud.errors == "")
    }

    @Test func `settings and listeners are found by a word, without Markdown`() throws {
        let titles = try Run(arguments: ["settings", "TITLES_ON"], in: folder)
        #expect(titles.output.hasPrefix("HEYBOT_TITLES_ON = false (default)\n  "))
        #expect(titles.output.contains("\n  scripts      Titles\n"))
        let common = try Run(arguments: ["settings"], in: folder)
        #expect(common.output.hasSuffix(" more: heybot settings --all, or a group, such as heybot settings irc\n"))
        #expect(!common.output.contains("HEYBOT_IRC_REGAIN"))
        let all = try Run(arguments: ["settings", "--all"], in: folder)
        #expect(all.output.contains("HEYBOT_IRC_REGAIN") && !all.output.contains("`"))
        #expect(try Run(arguments: ["settings", "--set"], in: folder).output.contains("HEYBOT_DATA = "))
        let none = try Run(arguments: ["settings", "frobnicate"], in: folder)
        #expect(none.errors == "heybot: no setting has frobnicate in it\n")
        #expect(none.status == 1)
        let plus = try Run(arguments: ["listeners", "plusplus"], in: folder)
        #expect(plus.output.contains("For example: "))
        #expect(!plus.output.contains("Rules.1"))
        let wrong = try Run(arguments: ["listeners", "Ruels"], in: folder)
        #expect(wrong.errors == "heybot: there is no script Ruels; did you mean Rules?\n")
    }

    @Test func `a line that can't be imported is named, with how many are in`() throws {
        let run = try Run(
            #"{"name":"a","value":1}"# + "\n{bad\n", arguments: ["brain", "import"], in: folder)
        #expect(run.errors.contains("the input:2 can't be taken in: "))
        #expect(run.errors.contains("; the 1 before it is in"))
    }

    @Test func `a script that fails ends a -e with 70`() throws {
        #expect(try Run(arguments: ["brain", "set", "plusplus.scores", "swift", "true"], in: folder).status == 0)
        let run = try Run(arguments: ["-e", "score swift"], in: folder)
        #expect(run.output == "Sorry, something went wrong (PlusPlus).\n")
        #expect(run.errors.contains("level=error part=robot"))
        #expect(run.status == 70)
    }

    @Test func `switches that can't be read keep it from starting`() throws {
        #expect(try Run(arguments: ["brain", "set", "heybot.switches", "5"], in: folder).status == 0)
        for arguments in [["-e", "ping"], ["-t"]] {
            let run = try Run(arguments: arguments, in: folder)
            #expect(run.errors.contains("what the brain holds at heybot.switches isn't ScriptSwitches"))
            #expect(run.status == 65)
        }
    }

    @Test func `what was typed comes back as one harmless line in an error`() throws {
        let run = try Run(in: folder, environment: ["HEYBOT_THREADS": "1\nheybot: all is well\u{1b}[2J"])
        #expect(
            run.errors == "heybot: HEYBOT_THREADS is \"1 heybot: all is well [2J\"; expected a number from 1 to 1000\n")
    }

    @Test(arguments: ["settings", "listeners", "-v", "-t"]) func `a full disk under the output is an error`(
        _ arguments: String
    ) throws {
        let shell = Process()
        shell.executableURL = URL(filePath: "/bin/sh")
        shell.arguments = ["-c", "exec \"$1\" \(arguments) >/dev/full", "sh", try #require(Run.program).path]
        shell.environment = ["HEYBOT_DATA": folder.path]
        shell.standardError = FileHandle.nullDevice
        try shell.run()
        shell.waitUntilExit()
        #expect(shell.terminationStatus == 74)
    }

    @Test func `the names of scripts to switch off may be in any case`() throws {
        let run = try Run(
            arguments: ["-e", "scripts"], in: folder, environment: ["HEYBOT_SCRIPTS_OFF": "rules,plusPLUS@#dev"])
        #expect(run.output.contains(", PlusPlus (off in #dev), ") && run.output.contains(", Rules (off), "))
    }

    @Test(arguments: ["new", "new/", "./deep//new/"]) func `the data folder is made for nobody else to read`(
        _ name: String
    ) throws {
        let run = try Run(arguments: ["-e", "ping", "--data", name], in: folder, at: folder)
        #expect(run.output == "PONG\n")
        let path = folder.appending(path: name).path
        let mode = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
        #expect(mode == 0o700)
    }

    @Test func `a data folder that may not be written is a line`() throws {
        guard let nobody = try Nobody(home) else { return }
        let folder = folder.appending(path: "locked")
        try FileManager.default.createDirectory(
            at: folder, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o555])
        let run = try nobody.run(["-e", "ping", "--data", folder.path])
        #expect(
            run.errors
                == "heybot: the data folder \(folder.path) can't be written by this user (uid \(nobody.id)): give it to "
                + "uid \(nobody.id) (its owner is uid 0), or give --data another\n")
        #expect(run.status == 78)
        let below = try nobody.run(["-e", "ping", "--data", folder.path + "/below"])
        #expect(
            below.errors
                == "heybot: the data folder \(folder.path)/below can't be made: check its parent's permissions, "
                + "or give --data another\n")
        // As if another user has run with it before.
        try FileManager.default.setAttributes([.posixPermissions: 0o777], ofItemAtPath: folder.path)
        let lock = folder.appending(path: "robot.lock")
        try Data().write(to: lock)
        try FileManager.default.setAttributes([.posixPermissions: 0o000], ofItemAtPath: lock.path)
        #expect(try nobody.run(["--data", folder.path]).errors == run.errors)
        let secret = try home.write("{}", to: "secret.json")
        try FileManager.default.setAttributes([.posixPermissions: 0o000], ofItemAtPath: secret.path)
        let unread = try nobody.run(["-e", "ping", "--config", secret.path])
        #expect(unread.errors == "heybot: \(secret.path) can't be read: check that it is a file you may read\n")
        #expect(unread.status == 78)
    }

    @Test func `a log line is told from what is said, and one id ties together what a message has caused`() throws {
        let run = try Run(
            arguments: ["-e", "ping"], in: folder,
            environment: ["HEYBOT_LOG_LEVEL": "debug", "HEYBOT_LOG_FORMAT": "json"])
        #expect(run.output == "PONG\n")
        let lines = try run.errors.split(separator: "\n").map {
            try JSONDecoder().decode([String: String].self, from: Data($0.utf8))
        }
        let match = try #require(lines.first { $0["msg"] == "it matches" })
        #expect(match["level"] == "debug" && match["part"] == "robot" && match["message"] == "shell:1")
        let quiet = try Run(
            arguments: ["-e", "ping"], in: folder, environment: ["HEYBOT_LOG_LEVEL": "info,Rules=debug"])
        #expect(quiet.errors == "")
        let single = try Run(
            arguments: ["-e", "ping"], in: folder, environment: ["HEYBOT_LOG_LEVEL": "info,Diagnostics=debug"])
        #expect(
            single.errors.contains(" level=debug part=robot msg=\"it matches\" listener=Diagnostics.1 message=shell:1 ")
        )
    }

    @Test(arguments: ["bash", "zsh", "fish"]) func `a shell can complete it`(_ shell: String) throws {
        let script = try Run(arguments: ["--generate-completion-script", shell], in: folder)
        #expect(script.status == 0)
        for word in ["settings", "listeners", "brain", "new", "adapter", "export"] {
            #expect(script.output.contains(word))
        }
    }

    /// What bash offers for the last of these words, with the completions of this command.
    private func offers(_ words: String..., data: String? = nil) throws -> [String] {
        let script = try Run(arguments: ["--generate-completion-script", "bash"], in: folder).output
        let file = try home.write(script, to: "completion.bash")
        let program = try #require(Run.program).path
        let line = words.joined(separator: " ")
        let bash = Process()
        bash.executableURL = URL(filePath: "/bin/bash")
        // It asks the command by the name it is called by.
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

    @Test func `bash completes subcommands and flags, also after help`() throws {
        #expect(try offers("heybot", "bra") == ["brain"])
        #expect(try offers("heybot", "help", "").contains("settings"))
        #expect(try offers("heybot", "help", "li") == ["listeners"])
        #expect(
            try offers("heybot", "help", "brain", "").sorted() == ["export", "get", "import", "list", "remove", "set"])
        #expect(try offers("heybot", "help", "check", "") == [])
        #expect(try offers("heybot", "settings", "ir") == ["irc"])
    }

    @Test func `bash completes what the brain has, also while a robot runs`() throws {
        #expect(try offers("heybot", "brain", "get", "") == [])
        let robot = try Run.start(in: folder)
        try robot.type("swift++\n")
        #expect(robot.read() == "swift now has 1.\n")
        for name in ["motto", "two words"] {
            #expect(try Run(arguments: ["brain", "set", name, "1"], in: folder).status == 0)
        }
        #expect(try offers("heybot", "brain", "get", "") == ["motto", "plusplus.scores"])
        #expect(try offers("heybot", "brain", "remove", "pl") == ["plusplus.scores"])
        #expect(try offers("heybot", "brain", "list", "") == ["plusplus.scores"])
        #expect(try offers("heybot", "brain", "get", "plusplus.scores", "s") == ["swift"])
        let nowhere = folder.path + "/nowhere"
        #expect(try offers("heybot", "--data", folder.path, "brain", "get", "m", data: nowhere) == ["motto"])
        #expect(robot.end().status == 0)
        try home.write("Dear diary", to: "brain.sqlite")
        #expect(try offers("heybot", "brain", "get", "") == [])
    }

    @Test func `a subcommand's help shows the flags that do something there, and the others are refused`() throws {
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
        #expect(shown(ShowSettings.self) == all && shown(Check.self) == all)
        for (command, shown, expected) in [
            (["listeners"], shown(ShowListeners.self), brain.union(["--adapter"])),
            (["health"], shown(ShowHealth.self), ["--data", "--config"]), (["new", "y"], shown(New.self), []),
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
            // Wherever it stands.
            let flags = [flag, values[flag] ?? ""]
            let run = try Run(
                arguments: name.count % 2 == 0 ? flags + command : command + flags, in: folder, at: folder)
            #expect(run.errors == "heybot: \(flag) does nothing for \(name); see \(name) --help\n")
            #expect(run.status == 64)
        }
    }

    @Test func `bad settings are a line each and 78`() throws {
        let run = try Run(in: folder, environment: ["HEYBOT_THREADS": "many", "HEYBOT_NAM": "x"])
        #expect(
            run.errors == """
                heybot: HEYBOT_THREADS is "many"; expected a number from 1 to 1000
                heybot: HEYBOT_NAM is not a setting; did you mean HEYBOT_NAME?

                """)
        #expect(run.status == 78)
    }

    @Test func `a script that isn't there can't be switched off`() throws {
        let run = try Run(in: folder, environment: ["HEYBOT_SCRIPTS_OFF": "Ruels"])
        let names = (standardScripts.map(\.name) + ["Prometheus"]).joined(separator: ", ")
        #expect(run.errors == "heybot: HEYBOT_SCRIPTS_OFF names Ruels, which is no script; did you mean Rules?\n")
        let other = try Run(in: folder, environment: ["HEYBOT_SCRIPTS_OFF": "Nada@#dev", "HEYBOT_THREADS": "x"])
        #expect(
            other.errors == "heybot: HEYBOT_THREADS is \"x\"; expected a number from 1 to 1000\n"
                + "heybot: HEYBOT_SCRIPTS_OFF names Nada, which is no script; there are \(names)\n")
        #expect(run.status == 78)
    }

    @Test func `a data folder that can't be made is one line and 78`() throws {
        let run = try Run(arguments: ["--data", "/dev/null/heybot"], in: folder)
        #expect(run.errors.hasPrefix("heybot: the data folder /dev/null/heybot can't be made"))
        #expect(run.status == 78)
    }

    @Test func `a file where the data folder should be is said to be one`() throws {
        let file = folder.appending(path: "file")
        try Data().write(to: file)
        let run = try Run(arguments: ["--data", file.path], in: folder)
        #expect(run.errors == "heybot: \(file.path) is a file, where the data folder should be: give --data another\n")
        #expect(run.status == 78)
    }

    @Test func `a damaged brain is one line and 65`() throws {
        try "Dear diary".write(to: folder.appending(path: "brain.sqlite"), atomically: true, encoding: .utf8)
        try FileManager.default.setAttributes(
            [.posixPermissions: 0o600], ofItemAtPath: folder.appending(path: "brain.sqlite").path)
        let run = try Run(in: folder)
        #expect(run.errors.split(separator: "\n").count == 1)
        #expect(run.errors.contains("brain.sqlite is damaged"))
        #expect(run.status == 65)
    }

    @Test(arguments: [SIGTERM, SIGINT]) func `a signal stops it cleanly`(_ signal: Int32) throws {
        let command = try Run.start(in: folder)
        try command.type("swift++\n")
        #expect(command.read() == "swift now has 1.\n")
        command.kill(signal)
        let run = command.end()
        #expect(run.status == 0)
        #expect(run.errors == "")
        #expect(try Run("score swift\n", in: folder).output == "swift has 1.\n")
    }

    @Test func `who asks again needn't wait for what doesn't end`() async throws {
        // On a busy machine the usual three seconds may be over before the second signal is seen.
        let command = try Run.start(in: folder, environment: ["HEYBOT_GRACE": "600"])
        try command.type("ping\n")
        #expect(command.read() == "PONG\n")
        // Nobody reads these answers.
        try command.type(String(repeating: "help\n", count: 1_000))
        try await wait(for: "the pipe to be full") { command.isOutputFull }
        try await wait(for: "the end") {
            command.kill(SIGTERM)
            return !command.isRunning
        }
        #expect(command.end().status == 128 + SIGTERM)
    }

    @Test(arguments: [["settings"], ["listeners"], ["check"]]) func `a listing that nobody reads ends quietly`(
        _ arguments: [String]
    ) throws {
        let command = try Run.start(arguments, in: folder)
        command.closeOutput()
        let run = command.end()
        #expect(run.errors == "")
        #expect(run.signal == SIGPIPE || run.status == 128 + SIGPIPE)
    }

    @Test func `SIGHUP takes over what it can, and names what needs a restart`() throws {
        try home.write(
            #"{"log": {"level": "info"}, "name": "Marvin", "scripts": {"off": ["rules"]}}"#, to: "heybot.json")
        let robot = try Run.start(["--config", folder.path + "/heybot.json"], in: folder)
        try robot.type("marvin the rules\nmarvin ping\n")
        while robot.isRunning, !robot.read().contains("PONG") {}
        #expect(robot.errors == "")
        let new =
            #"{"log": {"level": "debug"}, "name": "Zaphod", "admins": "ada", "scripts": {"off": ["diagnostics"]}}"#
        try home.write(new, to: "heybot.json")
        robot.kill(SIGHUP)
        robot.waitForError("restart for: ")
        #expect(
            robot.errors.contains(
                "heybot.json; HEYBOT_AUTH_ADMIN is ada, HEYBOT_SCRIPTS_OFF is diagnostics, HEYBOT_LOG_LEVEL is debug; "
                    + "restart for: HEYBOT_NAME\""))
        try robot.type("marvin ping\nmarvin the rules\n")
        robot.waitForError("it matches")
        var said = ""
        while !said.contains("A robot must not harm"), robot.isRunning { said += robot.read() }
        #expect(!said.contains("PONG"))

        // What is wrong is named, and nothing is changed.
        for (text, problem) in [
            (#"{"log": {"level": "loud"}}"#, #"heybot.json:1: log.level is \"loud"#),
            (#"{"admins": "bob", "scripts": {"off": ["Nada"]}}"#, "scripts.off names Nada, which is no script")
        ] {
            try home.write(text, to: "heybot.json")
            robot.kill(SIGHUP)
            robot.waitForError(problem)
            #expect(robot.errors.contains(problem))
        }
        try robot.type("marvin ping\n")
        let run = robot.end()
        #expect(!run.output.contains("PONG"))
        #expect(run.errors.split(separator: "\n").count { $0.contains("the settings stay as they were: ") } == 2)
        #expect(run.status == 0)
    }

    @Test func `what it keeps is for its user only, whatever the folder and the umask`() throws {
        func mode(_ name: String) throws -> Int? {
            try FileManager.default.attributesOfItem(atPath: "\(folder.path)/\(name)")[.posixPermissions] as? Int
        }
        try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: folder.path)
        let robot = try Run.start(in: folder)
        try robot.type("swift++\n")
        #expect(robot.read() == "swift now has 1.\n")
        for name in ["brain.sqlite", "brain.sqlite-wal", "brain.sqlite-shm"] { #expect(try mode(name) == 0o600) }
        #expect(robot.end().errors == "")

        try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: folder.path + "/brain.sqlite")
        let next = try Run("score swift\n", in: folder)
        #expect(next.output == "swift has 1.\n")
        #expect(next.errors.contains("brain.sqlite was open to other users of this machine; now it is yours alone"))
        #expect(try mode("brain.sqlite") == 0o600)
    }

    @Test func `a Hubot's scores and roles are imported, and it says what was`() throws {
        let brain = """
            {"users":{"7":{"id":"Ada","name":"Ada","roles":["deployer","admin","a badass guitarist"]},"8":{"id":"bob"}},
            "_private":{"deploys":{"a":1}},
            "plusPlus":{"scores":{"swift":42,"@Perl":-2},"log":{},"reasons":{"swift":{"being fast":3,"none":1}},"last":{}},
            "karma":{"tea":5},"seen":{"ada":{"chan":"#dev","date":1}}}
            """
        try home.write(brain, to: "hubot.json")
        let file = folder.path + "/hubot.json"
        func heybot(_ arguments: String..., adapter: String = "irc") throws -> Run {
            try Run(
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
                roles of 1 person, who are told apart as irc:ada
                taken over, but read by no standard script: deploys, seen

                """)
        #expect(run.errors == "")
        #expect(try heybot("-e", "score swift").output == "swift has 42: 3 for being fast.\n")
        #expect(try heybot("-e", "score perl").output == "perl has -2.\n")
        #expect(try heybot("-e", "score tea").output == "tea has 5.\n")
        let standings = try heybot("brain", "get", "heybot.standings").output
        #expect(standings.contains("irc:ada") && standings.contains("deployer"))
        #expect(!standings.contains("admin") && !standings.contains("guitarist"))

        // Hubot finds what was its own as it was, and what has been counted since stays.
        let back = try heybot("brain", "export", "--hubot").output
        let old = try #require(try JSONSerialization.jsonObject(with: Data(brain.utf8)) as? NSDictionary)
        let new = try #require(try JSONSerialization.jsonObject(with: Data(back.utf8)) as? NSDictionary)
        for key in ["users", "plusPlus", "karma", "seen"] { #expect(new[key] as? NSObject == old[key] as? NSObject) }
        #expect(try heybot("-e", "swift++").output == "swift now has 43.\n")
        try home.write(try heybot("brain", "export", "--hubot").output, to: "hubot.json")
        #expect(try heybot("brain", "import", "--hubot", file).status == 0)
        #expect(try heybot("-e", "score swift").output.hasPrefix("swift has 43"))

        // Nobody can say whose roles they are.
        try home.write(brain, to: "hubot.json")
        #expect(
            try heybot("brain", "import", "--hubot", file, adapter: "shell").output.contains("name the one network"))
    }

    @Test func `a reader that goes away ends it with one line`() throws {
        let command = try Run.start(in: folder)
        command.closeOutput()
        try command.type("ping\nping\nping\n")
        let run = command.end()
        #expect(run.status == 74)
        #expect(run.errors.contains("nobody reads the answers any more"))
    }
}
