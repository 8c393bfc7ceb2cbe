import CTerminal
import Foundation
import Heybot
import HeybotTesting
import Synchronization
import Testing

@testable import ShellAdapter

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// Tests of the shell adapter on a pseudoterminal.
@Suite(.timeLimit(.minutes(15))) struct TerminalTests {
    private struct Chat: Script {
        /// Opens when the script has finished.
        let gate = AsyncStream<Never>.makeStream()

        func register(on robot: inout RobotBuilder) {
            robot.respond(/say (?<words>.*)/, help: "say <words> - Say it") {
                try await $0.send(String($0.match.words))
            }
            robot.respond(/quiz/, help: "quiz - Ask") { res in try await res.send("right, " + res.ask("2 + 2?")) }
            robot.respond(/evil/) { try await $0.send("\u{1b}[2Jgone\u{9b}3J") }
            robot.respond(/later/) { res in
                for await _ in gate.stream {}
                try await res.send("now it is")
            }
        }
    }

    private let terminal: PseudoTerminal
    private let chat = Chat()

    init() throws { terminal = try PseudoTerminal() }

    private func shell(
        _ options: TerminalChatOptions = TerminalChatOptions(), onInterrupt: @escaping @Sendable () -> Void = {}
    ) -> ShellAdapter {
        ShellAdapter(
            robotName: "Bot", input: .descriptor(terminal.slave), output: terminal.slave, terminal: options,
            onInterrupt: onInterrupt)
    }

    /// Runs a robot on the terminal while the body types, until it ends or `stop` is called.
    private func run(_ shell: ShellAdapter, _ body: (Robot) async throws -> Void) async throws {
        let robot = Robot(
            name: "Bot", adapters: [shell], brain: Brain(store: MemoryStore()), scripts: [chat], limits: .patient)
        async let running: Void = robot.run()
        await terminal.wait(forRow: "Bot>")
        try await body(robot)
        try await running
    }

    @Test(arguments: ["exit\r", "\u{4}", "\u{3}", nil])
    func `the terminal is restored`(_ leaving: String?) async throws {
        let before = terminal.attributes
        #expect(!before.isEmpty)
        try await run(shell()) { robot in
            #expect(terminal.attributes != before)
            terminal.type("say hi\r")
            await terminal.wait { $0.contains("\u{1b}[32mhi\u{1b}[0m") }
            await terminal.wait(forRow: "Bot>")
            if let leaving { terminal.type(leaving) } else { robot.stop() }
        }
        #expect(terminal.attributes == before)
        terminal.end()
        await terminal.wait { _ in false }
        #expect(terminal.written.hasSuffix("\u{1b}[?2004l\u{1b}[0m"))
        #expect(terminal.screen.text == ["Bot> say hi", "hi", "Bot>" + (leaving == "exit\r" ? " exit" : ""), ""])
        #expect(terminal.screen.cursor == TerminalLayout.Position(row: 3, column: 0))
    }

    @Test(arguments: [("exit\r", false), ("\u{4}", false), ("\u{3}", true), ("say hi\u{3}\u{3}", true)])
    func `only Ctrl-C on an empty line interrupts the program, after the chat has ended`(
        _ leaving: String, _ interrupts: Bool
    ) async throws {
        let interruptions = Mutex(0)
        let before = terminal.attributes
        let shell = shell { [terminal] in
            if terminal.attributes == before { interruptions.withLock { $0 += 1 } }
        }
        try await run(shell) { _ in terminal.type(leaving) }
        terminal.end()
        #expect(interruptions.withLock { $0 } == (interrupts ? 1 : 0))
    }

    @Test func `an answer appears above the input line`() async throws {
        try await run(shell()) { _ in
            terminal.type("later\r")
            terminal.type("say a half-typed line that is long enough to wrap\u{1b}b\u{1b}b")
            await terminal.wait(forRow: "enough to wrap")
            chat.gate.continuation.finish()
            await terminal.wait { $0.contains("now it is") }
            await terminal.wait(forRow: "enough to wrap")
            #expect(
                terminal.screen.text == [
                    "Bot> later", "now it is", "Bot> say a half-typed line that is long", "enough to wrap"
                ])
            #expect(terminal.screen.cursor == TerminalLayout.Position(row: 3, column: 7))
            terminal.type("\r")
            // The line wraps between words.
            await terminal.wait { $0.contains("32m  wrap") }
            await terminal.wait(forRow: "Bot>")
            terminal.type("\u{4}")
        }
        terminal.end()
    }

    @Test func `each pasted line is a message`() async throws {
        try await run(shell()) { _ in
            terminal.type("\u{1b}[200~say one\nsay two\n\nsay three\u{1b}[201~\r")
            for word in ["one", "two", "three"] { await terminal.wait { $0.contains("\u{1b}[32m\(word)\u{1b}[0m") } }
            terminal.type("\u{4}")
        }
        terminal.end()
    }

    @Test func `a question is answered at the prompt, and lines keep their order`() async throws {
        try await run(shell()) { _ in
            terminal.type("quiz\r")
            await terminal.wait { $0.contains("2 + 2?") }
            terminal.type("4\r")
            await terminal.wait { $0.contains("right, 4") }
            terminal.type("\r  \r" + (0..<50).map { "say number \($0)\r" }.joined() + "exit\r")
        }
        terminal.end()
        await terminal.wait { _ in false }
        let said = Set(terminal.screen.text.filter { $0.hasPrefix("number") })
        #expect(said == Set((0..<50).map { "number \($0)" }))
    }

    @Test func `control characters are made visible`() async throws {
        let shell = shell()
        #expect(!shell.showAbove("too early"))
        try await run(shell) { _ in
            terminal.type("evil\r")
            await terminal.wait { $0.contains("␛[2Jgone\u{fffd}3J") }
            #expect(shell.showAbove("\u{1b}[33mwarning\u{1b}[0m \u{1b}[2J"))
            await terminal.wait { $0.contains("\u{1b}[33mwarning\u{1b}[0m ␛[2J") }
            await terminal.wait(forRow: "Bot>")
            terminal.type("\u{4}")
        }
        #expect(!shell.showAbove("too late"))
        terminal.end()
        await terminal.wait { _ in false }
        #expect(!terminal.written.contains("too "))
    }

    @Test func `without the line editor the terminal is unchanged and safe`() async throws {
        var options = TerminalChatOptions()
        options.edits = false
        let before = terminal.attributes
        try await run(shell(options)) { _ in
            #expect(terminal.attributes == before)
            terminal.type("evil\n")
            await terminal.wait { $0.contains("␛[2Jgone\u{fffd}3J") }
            terminal.type("exit\n")
        }
        terminal.end()
        await terminal.wait { _ in false }
        #expect(!terminal.written.contains("\u{1b}"))
    }

    @Test func `Tab completes commands`() async throws {
        try await run(shell()) { _ in
            terminal.type("q\t\r")
            await terminal.wait { $0.contains("2 + 2?") }
            terminal.type("4\r\t")
            await terminal.wait { $0.contains("exit     history  quiz     say") }
            await terminal.wait(forRow: "Bot>")
            terminal.type("\u{3}")
        }
        terminal.end()
    }

    @Test func `the history is kept between runs`() async throws {
        var options = TerminalChatOptions()
        let file = FileManager.default.temporaryDirectory.appending(path: "heybot-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: file) }
        options.historyFile = file.path
        try await run(shell(options)) { _ in terminal.type("say one\r say secret\rexit\r") }
        try await run(shell(options)) { _ in
            terminal.type("\u{10}")
            await terminal.wait(forRow: "Bot> say one")
            terminal.type("\u{15}history\r")
            await terminal.wait { $0.contains(" 1  say one") }
            terminal.type("exit\r")
        }
        terminal.end()
        #expect(try String(contentsOf: file, encoding: .utf8) == "say one\n")
    }

    @Test func `an unusable history file is reported once, and the chat continues`() async throws {
        var options = TerminalChatOptions()
        options.historyFile = FileManager.default.temporaryDirectory.path
        try await run(shell(options)) { _ in
            terminal.type("say one\rsay two\r")
            await terminal.wait { $0.contains("32mone") && $0.contains("32mtwo") }
            terminal.type("exit\r")
        }
        terminal.end()
        await terminal.wait { _ in false }
        #expect(terminal.written.ranges(of: "it isn't a regular file").count == 1)
    }

    @Test func `closing the terminal ends the chat`() async throws {
        var ends: (master: Int32, slave: Int32) = (-1, -1)
        #expect(heybot_open_terminal(80, 24, &ends.master, &ends.slave))
        let (master, slave) = ends
        let shell = ShellAdapter(robotName: "Bot", input: .descriptor(slave), output: slave)
        let robot = Robot(name: "Bot", adapters: [shell], brain: Brain(store: MemoryStore()), scripts: [chat])
        async let running: Void = robot.run()
        let prompt = try await BlockingThread().run { () -> String in
            var (bytes, chunk) = ([UInt8](), [UInt8](repeating: 0, count: 1_024))
            while !String(decoding: bytes, as: UTF8.self).contains("Bot> ") {
                let count = read(master, &chunk, chunk.count)
                guard count > 0 else { break }
                bytes += chunk[..<count]
            }
            return String(decoding: bytes, as: UTF8.self)
        }
        #expect(prompt.contains("Bot> "))
        close(master)
        try? await running
        close(slave)
        terminal.end()
    }
}
