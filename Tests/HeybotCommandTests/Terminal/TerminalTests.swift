import Foundation
import TestServers
import Testing

/// Tests of the command in a real terminal, tmux.
@Suite(.blocking, .serialized, .timeLimit(.minutes(15))) struct TerminalTests {
    private let home: TemporaryFolder
    private let tmux: Tmux

    /// The environment without the tests' settings.
    private static let environment = "env -i PATH=\"$PATH\" TERM=\"$TERM\" LANG=C.UTF-8"

    init() throws {
        home = try TemporaryFolder()
        tmux = Tmux()
    }

    /// Starts the command in the terminal; the shell prints a word after it has ended.
    private func start(
        _ arguments: String = "", environment: String = "", width: Int = 80, program: URL? = CommandRun.program
    ) async throws {
        let program = try #require(program).path
        try tmux.start(
            "\(Self.environment) HEYBOT_DATA=\(home.url.path)/data \(environment) '\(program)' \(arguments); echo ended with $?; "
                + "stty -a | grep -ow -e '-*icanon' -e '-*echo' -e '-*isig'; exec cat", width: width)
    }

    private func expectSane(_ screen: String) {
        #expect(screen.contains("\nisig\nicanon\necho\n"), "the terminal was left in another state: \(screen)")
    }

    @Test func `typing, editing and answers`() async throws {
        try await start()
        try await tmux.waitFor("Heybot> ")
        try tmux.type("echo helo", "Left", "l", "Enter")
        try await tmux.waitFor("\nhello\nHeybot>")
        try tmux.type("echo 日本語 n\u{303}", "BSpace", "🎉!", "Enter")
        try await tmux.waitFor("\n日本語 🎉!\nHeybot>")
        try tmux.type("exit", "Enter")
        expectSane(try await tmux.waitFor("ended with 0\nisig\nicanon\necho"))
    }

    @Test func `a reload doesn't end a robot in a terminal`() async throws {
        try await start()
        try await tmux.waitFor("Heybot> ")
        let data = home.url.appending(path: "data").path
        let run = try CommandRun(arguments: ["--data", data, "reload"], in: home.url)
        #expect(run.status == 0)
        // Otherwise it may be logged between the answer and the prompt.
        try await tmux.waitFor("notice robot: reloading: ")
        try tmux.type("echo hello", "Enter")
        try await tmux.waitFor("\nhello\nHeybot>")
        try tmux.type("exit", "Enter")
        try await tmux.waitFor("ended with 0")
    }

    @Test func `a script's bug is logged as an error, an unreachable service isn't`() async throws {
        try await start(width: 120, program: CommandRun.crashing)
        try await tmux.waitFor("Heybot> ")
        try tmux.type("away", "Enter")
        try await tmux.waitFor("\nI can't get an answer from service.example.org just now.\nHeybot>")
        #expect(try !tmux.screen().contains("script Oops failed"))
        try tmux.type("bug", "Enter")
        try await tmux.waitFor(
            "\nSorry, something went wrong (Oops).\nHeybot>", "error robot: script Oops failed: the list is empty")
        try tmux.type("misread", "Enter")
        try await tmux.waitFor(
            "script Oops failed: service.example.org sent an unexpected response: no value for key degrees")
    }

    @Test func `a folder of Hubot scripts`() async throws {
        let hubot = try HubotFolder()
        try await start("-n marvin -r '\(hubot.path)'", environment: "HEYBOT_LOG_LEVEL=error", width: 120)
        try await tmux.waitFor("marvin> ")
        for dialogue in HubotFolder.dialogues.values {
            try tmux.type(dialogue.text, "Enter")
            try await tmux.waitFor(dialogue.answer)
        }
        for (usage, purpose) in HubotFolder.commands {
            try tmux.type("help \(purpose)", "Enter")
            try await tmux.waitFor("\n\(usage) - \(purpose)")
        }
    }

    @Test func `the history is kept between runs, and can be searched`() async throws {
        try await start()
        try await tmux.waitFor("Heybot> ")
        try tmux.type("echo first one", "Enter", "ping", "Enter")
        try await tmux.waitFor("PONG")
        try tmux.type("C-d")
        try await tmux.waitFor("ended with 0")
        try tmux.end()
        try await start()
        try await tmux.waitFor("Heybot> ")
        try tmux.type("Up")
        try await tmux.waitFor("Heybot> ping")
        try tmux.type("C-u", "C-r", "fir")
        try await tmux.waitFor("echo first one")
        try tmux.type("Enter")
        try await tmux.waitFor("\nfirst one\n")
        let history = try String(contentsOf: home.url.appending(path: "data/shell-history"), encoding: .utf8)
        #expect(history.contains("echo first one\nping\n"))
    }

    @Test func `Tab completes commands, and shows candidates`() async throws {
        try await start()
        try await tmux.waitFor("Heybot> ")
        try tmux.type("sco", "Tab", "swift", "Enter")
        try await tmux.waitFor("swift has 0.")
        try tmux.type("qu", "Tab", "Tab")
        try await tmux.waitFor("quieter")
    }

    @Test func `answers appear above the input line, also after a resize`()
        async throws
    {
        try await start("--log-level debug", width: 20)
        try await tmux.waitFor("Heybot> ")
        try tmux.type("echo now", "Enter")
        try await tmux.waitFor("now")
        try tmux.type("echo a line that is longer than the screen")
        try await tmux.waitFor("Heybot> echo a line\nthat is longer than\nthe screen")
        try tmux.resize(width: 60)
        try await tmux.waitFor("Heybot> echo a line that is longer than the screen")
        try tmux.type("Enter")
        try await tmux.waitFor("\na line that is longer than the screen\n")
    }

    @Test func `with TERM=dumb there is no line editor`() async throws {
        try await start(environment: "TERM=dumb")
        try await tmux.waitFor("Heybot> ")
        try tmux.type("ping", "Enter")
        try await tmux.waitFor("Heybot> ping\nPONG\nHeybot>")
        try tmux.type("exit", "Enter")
        expectSane(try await tmux.waitFor("ended with 0\nisig\nicanon\necho"))
        #expect(try !tmux.screen(withColors: true).contains("\u{1b}[32m"))
    }

    @Test(arguments: ["", "NO_COLOR=1"]) func `answers are colored, except with NO_COLOR`(_ environment: String)
        async throws
    {
        try await start(environment: environment)
        try await tmux.waitFor("Heybot> ")
        try tmux.type("ping", "Enter")
        try await tmux.waitFor("\nPONG\n")
        let screen = try tmux.screen(withColors: true)
        #expect(screen.contains("\u{1b}[32mPONG") == environment.isEmpty)
    }

    @Test(arguments: ["TERM", "SEGV", "ABRT", "HUP"]) func `the terminal is restored however the process ends`(
        _ signal: String
    ) async throws {
        // Swift's backtracer would keep the process alive, as the signal comes from outside.
        try await start(environment: "SWIFT_BACKTRACE=enable=no")
        try await tmux.waitFor("Heybot> ")
        try tmux.type("half a li")
        try await tmux.waitFor("half a li")
        try send(signal)
        expectSane(try await tmux.waitFor("ended with", "\necho"))
    }

    @Test func `Ctrl-C abandons the line, then exits`() async throws {
        try await start()
        try await tmux.waitFor("Heybot> ")
        try tmux.type("nonsense", "C-c")
        try await tmux.waitFor("Heybot> nonsense^C\nHeybot>")
        try tmux.type("C-c")
        expectSane(try await tmux.waitFor("ended with 0\nisig\nicanon\necho"))
    }

    @Test func `Ctrl-C on an empty line stops the robot on other networks too`() async throws {
        // Nothing listens on the port, so the adapter keeps reconnecting.
        try await start("-a shell -a irc", environment: "HEYBOT_IRC_SERVER=127.0.0.1 HEYBOT_IRC_PORT=1")
        try await tmux.waitFor("Heybot> ")
        try tmux.type("C-c")
        expectSane(try await tmux.waitFor("ended with 0\nisig\nicanon\necho"))
    }

    @Test func `log lines appear above the prompt, and the input line stays`() async throws {
        try await start(environment: "HEYBOT_LOG_LEVEL=debug")
        try await tmux.waitFor("Heybot> ")
        for _ in 0..<8 { try tmux.type("ping", "Enter") }
        try tmux.type("half a li")
        var logged: [Substring] = []
        // A part of the line may be shown before the last answers.
        try await wait(for: "the answers above what is being typed, not \(logged)") {
            let screen = try tmux.screen()
            logged = screen.split(separator: "\n").filter { $0.contains("debug robot: listener matched") }
            return logged.count > 4 && screen.contains("PONG\nHeybot> half a li")
        }
        for line in logged { #expect(line.prefixMatch(of: #/\d\d:\d\d:\d\d debug robot: /#) != nil) }
    }

    @Test func `a large paste is shown in part and sent completely, line by line`() async throws {
        try await start()
        try await tmux.waitFor("Heybot> ")
        let words = (0..<1_500).map { "word\($0)" }.joined(separator: " ")
        try #require(words.utf8.count > 10_000)
        try tmux.type("echo ")
        try tmux.paste(words + "\necho last")
        try await tmux.waitFor("↵echo last")
        try tmux.type("Enter")
        try await tmux.waitFor("\nlast\nHeybot>")
        let history = try String(contentsOf: home.url.appending(path: "data/shell-history"), encoding: .utf8)
        #expect(history == "echo \(words)\necho last\n")
    }

    @Test func `Escape alone isn't combined with the next key`() async throws {
        try await start()
        try await tmux.waitFor("Heybot> ")
        // Escape ends a search, which shows when it is handled.
        try tmux.type("one two", "C-r")
        try await tmux.waitFor("search '': one two")
        try tmux.type("Escape")
        try await tmux.waitFor("Heybot> one two")
        try tmux.type("b")
        try await tmux.waitFor("Heybot> one twob")
    }

    @Test func `job control works`() async throws {
        let program = try #require(CommandRun.program).path
        try tmux.start("\(Self.environment) PS1='$ ' HEYBOT_DATA='\(home.url.path)/data' bash --norc --noprofile -i")
        try await tmux.waitFor("$ ")
        try tmux.type("'\(program)'", "Enter")
        try await tmux.waitFor("Heybot> ")
        try tmux.type("half a li", "C-z")
        try await tmux.waitFor("Stopped")
        try tmux.type("stty -a | grep -ow -e '-*icanon' -e '-*echo'", "Enter")
        try await tmux.waitFor("\nicanon\necho\n")
        try tmux.type("fg", "Enter")
        // The line before it is the shell's, which says what it continues.
        try await tmux.waitFor("heybot'\nHeybot> half a li")
        try tmux.type("C-u", "ping", "Enter")
        try await tmux.waitFor("\nPONG\nHeybot>")
        // Stopped by another process, which doesn't restore the terminal.
        try tmux.type("once more")
        try await tmux.waitFor("Heybot> once more")
        try send("STOP")
        try await tmux.waitFor("Heybot> once more\n[1]+  Stopped")
        try tmux.type("clear; fg", "Enter")
        // The shell prints the command that it continues, so this isn't the old screen.
        try await tmux.waitFor("heybot'\nHeybot> once more")
        try tmux.type("C-u", "echo there", "Enter")
        try await tmux.waitFor("\nthere\nHeybot>")
    }

    /// Sends a signal to the process that has locked the data directory.
    private func send(_ signal: String) throws {
        let process = Process()
        process.executableURL = URL(filePath: "/bin/sh")
        process.arguments = ["-c", "kill -\(signal) $(cat '\(home.url.path)/data/robot.lock')"]
        try process.run()
        process.waitUntilExit()
    }
}
