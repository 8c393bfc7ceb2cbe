import Foundation
import Heybot
import StandardScripts
import Testing

/// The built command, run as a person would.
@Suite(.timeLimit(.minutes(2))) struct CommandTests {
    let folder = FileManager.default.temporaryDirectory.appending(path: "heybot-\(UUID().uuidString)")

    @Test func `a pipe is answered, and it ends with 0`() throws {
        let run = try Command("heybot ping\nheybot echo hi there\n", in: folder)
        #expect(run.output == "PONG\nhi there\n")
        #expect(run.errors == "")
        #expect(run.status == 0)
    }

    @Test func `one message is answered`() throws {
        #expect(try Command(arguments: ["-e", "ping"], in: folder).output == "PONG\n")
        for arguments in [["-n", "Marvin", "-l", "!"], ["-nMarvin", "-l!"], ["--name=Marvin", "--alias=!"]] {
            for words in ["!ping", "marvin ping"] {
                #expect(try Command(arguments: arguments + ["-e", words], in: folder).output == "PONG\n")
            }
        }
        #expect(try Command(arguments: ["-l", "-e", "/ping"], in: folder).output == "PONG\n")
    }

    @Test func `it remembers across runs`() throws {
        #expect(try Command("swift++\n", in: folder).output == "swift now has 1.\n")
        #expect(try Command("swift++\nscore swift\n", in: folder).output == "swift now has 2.\nswift has 2.\n")
    }

    @Test func `the shell's user is an admin`() throws {
        let run = try Command("die\nping\n", in: folder)
        #expect(run.output == "Goodbye, cruel world.\n")
        #expect(run.status == 0)
    }

    @Test func `version and help`() throws {
        #expect(try Command(arguments: ["-v"], in: folder).output == "\(heybotVersion)\n")
        #expect(try Command(arguments: ["--version"], in: folder).output == "\(heybotVersion)\n")
        let help = try Command(arguments: ["-h"], in: folder)
        #expect(help.output.contains("USAGE: heybot"))
        #expect(help.status == 0)
    }

    @Test func `a bad flag is one line and 64`() throws {
        let run = try Command(arguments: ["--frobnicate"], in: folder)
        #expect(run.status == 64)
        #expect(run.errors == "heybot: Unknown option '--frobnicate'; see heybot --help\n")
        #expect(run.output == "")
        let stray = try Command(arguments: ["stray"], in: folder)
        #expect(stray.errors.split(separator: "\n").count == 1)
        #expect(stray.status == 64)
    }

    @Test func `bad settings are a line each and 78`() throws {
        let run = try Command(in: folder, environment: ["HEYBOT_THREADS": "many", "HEYBOT_NAM": "x"])
        #expect(
            run.errors == """
                heybot: HEYBOT_THREADS is "many"; expected a number from 1
                heybot: HEYBOT_NAM is not a setting; did you mean HEYBOT_NAME?

                """)
        #expect(run.status == 78)
    }

    @Test func `a script that isn't there can't be switched off`() throws {
        let run = try Command(in: folder, environment: ["HEYBOT_SCRIPTS_OFF": "Ruels"])
        let names = standardScripts.map(\.name).sorted().joined(separator: ", ")
        #expect(run.errors == "heybot: there is no script Ruels to switch off; there are \(names)\n")
        #expect(run.status == 78)
    }

    @Test func `a data folder that can't be made is one line and 78`() throws {
        let run = try Command(arguments: ["--data", "/dev/null/heybot"], in: folder)
        #expect(run.errors.hasPrefix("heybot: the data folder /dev/null/heybot can't be made"))
        #expect(run.status == 78)
    }

    @Test func `a file where the data folder should be is said to be one`() throws {
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let file = folder.appending(path: "file")
        try Data().write(to: file)
        let run = try Command(arguments: ["--data", file.path], in: folder)
        #expect(run.errors == "heybot: \(file.path) is a file, where the data folder should be: give --data another\n")
        #expect(run.status == 78)
    }

    @Test func `a damaged brain is one line and 65`() throws {
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        try "Dear diary".write(to: folder.appending(path: "brain.sqlite"), atomically: true, encoding: .utf8)
        let run = try Command(in: folder)
        #expect(run.errors.split(separator: "\n").count == 1)
        #expect(run.errors.contains("brain.sqlite is damaged"))
        #expect(run.status == 65)
    }

    @Test(arguments: [SIGTERM, SIGINT]) func `a signal stops it cleanly`(_ signal: Int32) throws {
        let command = try Command.start(in: folder)
        try command.type("swift++\n")
        #expect(command.read() == "swift now has 1.\n")
        command.kill(signal)
        let run = command.end()
        #expect(run.status == 0)
        #expect(run.errors == "")
        #expect(try Command("score swift\n", in: folder).output == "swift has 1.\n")
    }

    @Test func `a reader that goes away ends it with one line`() throws {
        let command = try Command.start(in: folder)
        command.closeOutput()
        try command.type("ping\nping\nping\n")
        let run = command.end()
        #expect(run.status == 74)
        #expect(run.errors.contains("nobody reads the answers any more"))
    }
}

/// A run of `heybot` with a data folder of its own.
private final class Command {
    private let process = Process()
    private let input = Pipe()
    private let out = Pipe()
    private let err = Pipe()

    private(set) var output = ""
    private(set) var errors = ""
    private(set) var status: Int32 = -1

    /// Runs it to its end.
    convenience init(
        _ input: String = "", arguments: [String] = [], in folder: URL, environment: [String: String] = [:]
    ) throws {
        try self.init(arguments, folder, environment)
        try type(input)
        end()
    }

    static func start(in folder: URL) throws -> Command { try Command([], folder, [:]) }

    private init(_ arguments: [String], _ folder: URL, _ environment: [String: String]) throws {
        let program = Bundle.main.executableURL?.deletingLastPathComponent().appending(path: "heybot")
        process.executableURL = program
        process.arguments = arguments
        process.environment = ["HEYBOT_DATA": folder.path, "HOME": "/nonexistent"].merging(environment) { $1 }
        process.standardInput = input
        process.standardOutput = out
        process.standardError = err
        try process.run()
    }

    func type(_ text: String) throws { try input.fileHandleForWriting.write(contentsOf: Data(text.utf8)) }

    func read() -> String { String(decoding: out.fileHandleForReading.availableData, as: UTF8.self) }

    func closeOutput() { try? out.fileHandleForReading.close() }

    func kill(_ signal: Int32) { Foundation.kill(process.processIdentifier, signal) }

    @discardableResult
    func end() -> Command {
        if process.isRunning { try? input.fileHandleForWriting.close() }
        output += String(decoding: (try? out.fileHandleForReading.readToEnd()) ?? Data(), as: UTF8.self)
        errors += String(decoding: (try? err.fileHandleForReading.readToEnd()) ?? Data(), as: UTF8.self)
        process.waitUntilExit()
        status = process.terminationStatus
        return self
    }
}
