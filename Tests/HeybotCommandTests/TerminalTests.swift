import Foundation
import Testing

/// The command in a real terminal, tmux, as a person would sit before it.
@Suite(.timeLimit(.minutes(2))) struct TerminalTests {
    private let home: Folder
    private let tmux: Tmux

    init() throws {
        home = try Folder()
        tmux = try Tmux()
    }

    /// Starts the command in the terminal, with a word from the shell when it has ended.
    private func start(_ arguments: String = "", environment: String = "", width: Int = 80) throws {
        let program = try #require(Run.program).path
        try tmux.start(
            "env HEYBOT_DATA=\(home.url.path)/data \(environment) '\(program)' \(arguments); echo ended with $?; "
                + "stty -a | grep -ow -e '-*icanon' -e '-*echo' -e '-*isig'; exec cat", width: width)
    }

    private func expectSane(_ screen: String) {
        #expect(screen.contains("\nisig\nicanon\necho\n"), "the terminal was left in another state: \(screen)")
    }

    @Test func `one types, corrects, and is answered`() throws {
        try start()
        try tmux.waitFor("Heybot> ")
        try tmux.type("echo helo", "Left", "l", "Enter")
        try tmux.waitFor("\nhello\nHeybot>")
        try tmux.type("echo 日本語 n\u{303}", "BSpace", "🎉!", "Enter")
        try tmux.waitFor("\n日本語 🎉!\nHeybot>")
        try tmux.type("exit", "Enter")
        expectSane(try tmux.waitFor("ended with 0\nisig\nicanon\necho"))
    }

    @Test func `what was typed comes back in the next run, and can be searched`() throws {
        try start()
        try tmux.waitFor("Heybot> ")
        try tmux.type("echo first one", "Enter", "ping", "Enter")
        try tmux.waitFor("PONG")
        try tmux.type("C-d")
        try tmux.waitFor("ended with 0")
        try tmux.end()
        try start()
        try tmux.waitFor("Heybot> ")
        try tmux.type("Up")
        try tmux.waitFor("Heybot> ping")
        try tmux.type("C-u", "C-r", "fir")
        try tmux.waitFor("echo first one")
        try tmux.type("Enter")
        try tmux.waitFor("\nfirst one\n")
        let history = try String(contentsOf: home.url.appending(path: "data/shell-history"), encoding: .utf8)
        #expect(history.contains("echo first one\nping\n"))
    }

    @Test func `Tab completes commands, and shows which there are`() throws {
        try start()
        try tmux.waitFor("Heybot> ")
        try tmux.type("sco", "Tab", "swift", "Enter")
        try tmux.waitFor("swift has 0.")
        try tmux.type("h", "Tab", "Tab")
        let screen = try tmux.waitFor("help")
        #expect(screen.contains("history"))
    }

    @Test func `what comes while one types is shown above, in a narrow terminal that changes its size too`() throws {
        try start("--log-level debug", width: 20)
        try tmux.waitFor("Heybot> ")
        try tmux.type("echo now", "Enter")
        try tmux.waitFor("now")
        try tmux.type("echo a line that is longer than the screen")
        try tmux.waitFor("Heybot> echo a line\nthat is longer than\nthe screen")
        try tmux.resize(width: 60)
        try tmux.waitFor("Heybot> echo a line that is longer than the screen")
        try tmux.type("Enter")
        try tmux.waitFor("\na line that is longer than the screen\n")
    }

    @Test func `with TERM=dumb it is plain lines`() throws {
        try start(environment: "TERM=dumb")
        try tmux.waitFor("Heybot> ")
        try tmux.type("ping", "Enter")
        try tmux.waitFor("Heybot> ping\nPONG\nHeybot>")
        try tmux.type("exit", "Enter")
        expectSane(try tmux.waitFor("ended with 0\nisig\nicanon\necho"))
        #expect(try tmux.screen(withColors: true).contains("\u{1b}[32m") == false)
    }

    @Test(arguments: ["", "NO_COLOR=1"]) func `answers have a colour, unless one wants none`(_ environment: String) throws {
        try start(environment: environment)
        try tmux.waitFor("Heybot> ")
        try tmux.type("ping", "Enter")
        try tmux.waitFor("\nPONG\n")
        #expect(try tmux.screen(withColors: true).contains("\u{1b}[32mPONG") == environment.isEmpty)
    }

    @Test(arguments: ["TERM", "SEGV", "HUP"]) func `however it ends, the terminal is as it was`(_ signal: String) throws {
        try start()
        try tmux.waitFor("Heybot> ")
        try tmux.type("half a li")
        try tmux.waitFor("half a li")
        let process = Process()
        process.executableURL = URL(filePath: "/bin/sh")
        // The one that has this data folder open.
        process.arguments = ["-c", "kill -\(signal) $(cat '\(home.url.path)/data/robot.lock')"]
        try process.run()
        process.waitUntilExit()
        expectSane(try tmux.waitFor("ended with", "\necho"))
    }

    @Test func `Ctrl-C drops the line, and then leaves`() throws {
        try start()
        try tmux.waitFor("Heybot> ")
        try tmux.type("nonsense", "C-c")
        try tmux.waitFor("Heybot> nonsense^C\nHeybot>")
        try tmux.type("C-c")
        expectSane(try tmux.waitFor("ended with 0\nisig\nicanon\necho"))
    }

    @Test func `a log line stands above the prompt, and what is being typed stays`() throws {
        try start(environment: "HEYBOT_LOG_LEVEL=debug")
        try tmux.waitFor("Heybot> ")
        try tmux.type("ping", "Enter", "half a li")
        let screen = try tmux.waitFor("Heybot> half a li")
        #expect(screen.contains("debug robot: it matches listener=Diagnostics.1"))
    }
}

/// A terminal that a test types in and looks at.
final class Tmux {
    private let socket = "heybot-\(UUID().uuidString)"

    init() throws {}

    deinit { try? end() }

    func start(_ command: String, width: Int = 80, height: Int = 24) throws {
        try run("-f", "/dev/null", "new-session", "-d", "-x", "\(width)", "-y", "\(height)", command)
    }

    /// Types texts, and keys by tmux's names for them.
    func type(_ keys: String...) throws {
        let names = ["Enter", "Tab", "Up", "Down", "Left", "Right", "BSpace", "Escape"]
        for key in keys {
            let isName = names.contains(key) || key.wholeMatch(of: #/C-./#) != nil
            try run(["send-keys"] + (isName ? [key] : ["-l", key]))
        }
    }

    func resize(width: Int, height: Int = 24) throws {
        try run("resize-window", "-x", "\(width)", "-y", "\(height)")
    }

    /// What is on the screen, each line without the spaces at its end.
    func screen(withColors: Bool = false) throws -> String {
        let lines = try run(["capture-pane", "-p"] + (withColors ? ["-e"] : []))
            .split(separator: "\n", omittingEmptySubsequences: false)
            .map { line in String(line.reversed().drop { $0 == " " }.reversed()) }
        return "\n" + lines.joined(separator: "\n")
    }

    /// Waits until all that is on the screen, and returns it.
    @discardableResult
    func waitFor(_ texts: String..., at place: SourceLocation = #_sourceLocation) throws -> String {
        let end = ContinuousClock.now + .seconds(30)
        while true {
            let screen = try screen()
            if texts.allSatisfy({ screen.contains($0.reversed().drop { $0 == " " }.reversed()) }) { return screen }
            if ContinuousClock.now > end {
                Issue.record("there is no \(texts) on the screen:\(screen)", sourceLocation: place)
                throw CancellationError()
            }
            Thread.sleep(forTimeInterval: 0.02)
        }
    }

    func end() throws {
        try run("kill-server")
    }

    @discardableResult
    private func run(_ arguments: String...) throws -> String { try run(arguments) }

    @discardableResult
    private func run(_ arguments: [String]) throws -> String {
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = ["tmux", "-u", "-L", socket] + arguments
        let output = Pipe()
        process.standardOutput = output
        process.standardError = FileHandle.nullDevice
        try process.run()
        let said = String(decoding: try output.fileHandleForReading.readToEnd() ?? Data(), as: UTF8.self)
        process.waitUntilExit()
        return said
    }
}
