import Foundation
import Heybot
import HeybotTesting
import ShellAdapter
import Testing

@Suite(.timeLimit(.minutes(15))) struct ShellAdapterTests {
    private struct Chat: Script {
        func register(on robot: inout RobotBuilder) {
            robot.respond(/say (.*)/) { try await $0.send(String($0.match.1)) }
            robot.respond(/reply/) { try await $0.reply("yes") }
            robot.respond(/tell (.*)/) { try await $0.robot.messageRoom("shell:#dev", String($0.match.1)) }
            robot.respond(/wave/) { try await $0.emote("waves") }
            robot.respond(/topic/) { try await $0.topic("news") }
            robot.respond(/like/) { try await $0.react("👍") }
            robot.respond(/unlike/) { res in try await res.send("\(res.unreact("👍"))") }
            robot.respond(/bake/) { try await $0.send("Baking").edit("Done") }
            robot.respond(/jot/) { res in
                let sent = try await res.reply("Noted")
                try await sent.edit("Noted!")
                try await sent.react("📝")
            }
            robot.hear(/^(\w+)\+\+/) { try await $0.send("\($0.match.1) up") }
            robot.respond(/quiz/) { res in try await res.send("right, " + res.ask("2 + 2?")) }
            robot.respond(/file (.*)/) { res in
                let name = String(res.match.1)
                try await res.send(Attachment(name: name, type: "text/plain", bytes: [65], alternative: "Sales"))
            }
            robot.respond(/count/) { res in for number in 0..<5_000 { try await res.send("\(number)") } }
        }
    }

    /// Returns the output for the input.
    private func chat(_ input: Data) async throws -> String {
        let (toRobot, fromRobot) = (Pipe(), Pipe())
        // A script's line may have any length.
        var limits = Robot.Limits.patient
        limits.text = 4 << 20
        let robot = Robot(
            adapters: [
                ShellAdapter(
                    input: .descriptor(toRobot.fileHandleForReading.fileDescriptor),
                    output: fromRobot.fileHandleForWriting.fileDescriptor)
            ],
            brain: Brain(store: MemoryStore()), scripts: [Chat()], limits: limits)
        // On separate threads, since a full or empty pipe blocks.
        async let output = BlockingThread().run { fromRobot.fileHandleForReading.readDataToEndOfFile() }
        async let writing: Void = BlockingThread().run {
            try toRobot.fileHandleForWriting.write(contentsOf: input)
            try toRobot.fileHandleForWriting.close()
        }
        try await robot.run()
        try await writing
        try fromRobot.fileHandleForWriting.close()
        return String(decoding: try await output, as: UTF8.self)
    }

    @Test(arguments: [
        ("say hi\n", "hi\n"), ("heybot say hi\n", "hi\n"), ("say no newline", "no newline\n"),
        ("say windows\r\nsay too\r\n", "windows\ntoo\n"), ("\n  \n\nsay after blanks\n", "after blanks\n"),
        ("reply\n", "yes\n"), ("tell hi\n", "[#dev] hi\n"), ("wave\n", "* waves\n"),
        ("topic\n", "* the topic is now: news\n"), ("like\n", "* Heybot reacts: 👍\n"), ("unlike\n", "false\n"),
        ("bake\n", "Baking\nDone\n"), ("jot\n", "Noted\nNoted!\n* Heybot reacts: 📝\n"),
        ("swift++\n", "swift up\n"), ("quiz\n4\n", "2 + 2?\nright, 4\n"), ("quiz\n", "2 + 2?\n"), ("", ""),
        ("say é👩‍👩‍👧\n", "é👩‍👩‍👧\n"), ("say hi\nexit\nsay no more\n", "hi\n"), (" Quit \nsay no more\n", ""),
        ("say exit\n", "exit\n")
    ])
    func `lines in, lines out`(_ input: String, _ output: String) async throws {
        #expect(try await chat(Data(input.utf8)) == output)
    }

    @Test(arguments: [("notes.txt", "notes.txt"), ("../../notes.txt", ".._.._notes.txt"), ("..", "file")])
    func `a file is saved, and the terminal shows where`(_ name: String, _ saved: String) async throws {
        let output = try await chat(Data("file \(name)\n".utf8))
        let path = String(output.dropFirst("Sales (".count).dropLast(2))
        #expect(output == "Sales (\(path))\n" && path.hasSuffix("/\(saved)"))
        #expect(try Data(contentsOf: URL(filePath: path)) == Data([65]))
        let folder = URL(filePath: path).deletingLastPathComponent().path
        let permissions = try FileManager.default.attributesOfItem(atPath: folder)[.posixPermissions] as? NSNumber
        #expect(permissions?.intValue == 0o700)
        try FileManager.default.removeItem(atPath: folder)
    }

    @Test func `no early line is lost, and answers keep their order`() async throws {
        let numbers = 0..<2_000
        let input = numbers.map { "say \($0)\n" }.joined()
        #expect(try await chat(Data(input.utf8)) == numbers.map { "\($0)\n" }.joined())
    }

    @Test func `long answers and lines are complete`() async throws {
        #expect(try await chat(Data("count\n".utf8)) == (0..<5_000).map { "\($0)\n" }.joined())
        let long = String(repeating: "x", count: 300_000)
        #expect(try await chat(Data("say \(long)\n".utf8)) == long + "\n")
    }

    @Test func `a line over 1 MiB is split`() async throws {
        let line = "say " + String(repeating: "x", count: (1 << 20) - 4)
        #expect(try await chat(Data("\(line)say rest\n".utf8)) == line.dropFirst(4) + "\nrest\n")
    }

    @Test func `bytes that aren't UTF-8 are replaced`() async throws {
        #expect(try await chat(Data("say a".utf8) + [0xff] + Data("b\n".utf8)) == "a\u{fffd}b\n")
    }

    @Test func `one message, its answers, and the end`() async throws {
        let fromRobot = Pipe()
        let robot = Robot(
            adapters: [
                ShellAdapter(input: .message("say one\ntwo"), output: fromRobot.fileHandleForWriting.fileDescriptor)
            ],
            brain: Brain(store: MemoryStore()), scripts: [Chat()], limits: .patient)
        try await robot.run()
        try fromRobot.fileHandleForWriting.close()
        let output = fromRobot.fileHandleForReading.readDataToEndOfFile()
        #expect(String(decoding: output, as: UTF8.self) == "one\n")
    }

    @Test func `the adapter can be stopped while it waits for a line`() async throws {
        let (toRobot, fromRobot) = (Pipe(), Pipe())
        let shell = ShellAdapter(
            input: .descriptor(toRobot.fileHandleForReading.fileDescriptor),
            output: fromRobot.fileHandleForWriting.fileDescriptor)
        let robot = Robot(
            adapters: [shell], brain: Brain(store: MemoryStore()), scripts: [Chat()], limits: .patient)
        async let running: Void = robot.run()
        try toRobot.fileHandleForWriting.write(contentsOf: Data("say hi\n".utf8))
        let answer = try await BlockingThread().run { fromRobot.fileHandleForReading.availableData }
        #expect(answer == Data("hi\n".utf8))
        if case .up = shell.status {} else { Issue.record("it is \(shell.status)") }
        robot.stop()
        try await running
        if case .ended = shell.status {} else { Issue.record("it is \(shell.status)") }
        try toRobot.fileHandleForWriting.close()
    }
}
