import Foundation
import Testing

@testable import HeybotCommand

/// Tests of a script that traps: the report, and what the next start does.
@Suite(.blocking, .timeLimit(.minutes(15))) struct CrashTests {
    private let home: TemporaryFolder
    private var folder: URL { home.url }

    init() throws { home = try TemporaryFolder() }

    private func run(_ input: String, arguments: [String] = []) throws -> CommandRun {
        try CommandRun(
            input, arguments: arguments, in: folder, environment: ["SWIFT_BACKTRACE": "enable=no"],
            program: CommandRun.crashing)
    }

    /// Enables the script, and then uses it.
    private func enableAndUse() throws -> CommandRun {
        try CommandRun(
            conversation: ["oops z\nenable oops", "oops 7"], in: folder,
            environment: ["SWIFT_BACKTRACE": "enable=no"], program: CommandRun.crashing)
    }

    private var crashes: [CrashHistory.CrashReport] { CrashHistory(at: folder.path + "/crashes").crashes }

    @Test(arguments: ["oops x", "later x"]) func `a trap names script, listener and message, and keeps its status`(
        _ text: String
    ) throws {
        let run = try run("\(text)\n")
        #expect(run.signal == SIGILL || run.signal == SIGTRAP)
        let listener = text.hasPrefix("oops") ? "Oops.1" : "Oops.2"
        #expect(run.errors.contains(#/heybot: crashed by SIG(ILL|TRAP) \(.*\) in script Oops, listener /#))
        #expect(run.errors.contains("listener \(listener), on message shell:1"))
        #expect(crashes.count == 1)
        #expect(crashes.first?.process == Int(run.id))
        #expect(crashes.first?.script == "Oops")
        #expect(crashes.first?.listener == listener)
        #expect(crashes.first?.message == "shell:1")
        #expect(abs(Date().timeIntervalSince1970 - Double(crashes.first?.time ?? 0)) < 600)
        let attributes = try FileManager.default.attributesOfItem(atPath: folder.path + "/crashes")
        #expect(attributes[.posixPermissions] as? Int == 0o600)
    }

    @Test func `an observer's crash names it, and what it observes`() throws {
        #expect(try run("ping\nlook out\n").errors.contains("in script Oops, listener observer, on message shell:2"))
        #expect(crashes.map(\.listener) == ["observer"])
    }

    @Test func `characters that JSON would escape are replaced`() throws {
        let run = try run("quoted\n")
        #expect(run.errors.contains("in script Oops, listener a ??? name, on message shell:1"))
        #expect(crashes.map(\.listener) == ["a ??? name"])
    }

    @Test func `a stack overflow is reported too`() throws {
        let run = try run("deep 1\n")
        #expect(run.signal == SIGSEGV || run.signal == SIGBUS)
        #expect(run.errors.contains("in script Oops, listener Oops.3, on message shell:1"))
    }

    @Test func `code on other threads isn't attributed to a script`() throws {
        let run = try run("elsewhere\n")
        #expect(run.errors.contains("on no script's thread"))
        #expect(run.errors.contains(#/heybot: crashed by SIG(ILL|TRAP) \(.*\) in no script/#))
        #expect(crashes.map(\.script) == [nil])
        #expect(try self.run("ping\n").errors.contains("the last run crashed outside of any script: SIG"))
    }

    @Test func `the next start logs a crash, and after the second crash the script is disabled`() throws {
        _ = try run("oops x\n")
        let second = try run("ping\noops y\n")
        #expect(second.errors.contains("the last run crashed in script Oops, listener Oops.1, on message shell:1: SIG"))
        #expect(second.output == "PONG\n")
        #expect(second.signal != nil)

        let third = try run("oops z\nping\n")
        #expect(third.errors.contains("the last run crashed in script Oops, listener Oops.1, on message shell:2: SIG"))
        #expect(
            third.errors.contains("the script Oops crashed the robot twice within ten minutes and was disabled"))
        #expect(third.errors.contains(#"say \"enable Oops\""#))
        #expect(third.output.hasSuffix("PONG\n"))
        #expect(third.status == 0 && third.signal == nil)

        let check = try run("", arguments: ["check"])
        #expect(check.output.contains(#/warn  scripts +Oops  is disabled because it crashed the robot/#))
        #expect(check.output.contains("say \"enable Oops\" in chat"))
        #expect(
            try self.run("scripts\n").output.contains(
                /, Oops \(off: it crashed me twice, last crash: ([0-9]+:[0-9]+|yesterday .*)\)/))

        // It stays disabled, without another warning, until a user enables it.
        let fourth = try enableAndUse()
        #expect(!fourth.errors.contains("the last run"))
        #expect(fourth.output.hasSuffix("Oops is enabled everywhere.\n7\n"))
        #expect(fourth.status == 0)
        #expect(try !run("", arguments: ["check"]).output.contains("is disabled because it crashed"))
    }

    @Test func `a script disabled by an admin isn't reported as crashed`() throws {
        _ = try run("oops x\n")
        #expect(try run("disable oops\n").output == "Oops is disabled everywhere.\n")
        #expect(try run("scripts\n").output.contains(", Oops (off)"))
        #expect(try !run("", arguments: ["check"]).output.contains("is disabled because it crashed"))
    }

    @Test func `crashes that can't be marked as logged don't disable the script again`() throws {
        _ = try run("oops x\n")
        _ = try run("oops y\n")
        // The history can't be written if a directory has its path.
        try FileManager.default.createDirectory(
            at: folder.appending(path: "crashes.new"), withIntermediateDirectories: true)
        let first = try enableAndUse()
        #expect(first.errors.contains("twice within ten minutes and was disabled"))
        #expect(first.errors.contains("can't mark these crashes as reported: "))
        #expect(first.errors.contains("; the next start will log them again"))
        #expect(first.output.hasSuffix("Oops is enabled everywhere.\n7\n"))
        let second = try run("oops 8\n")
        #expect(second.errors.contains("the last run crashed in script Oops"))
        #expect(!second.errors.contains("and was disabled"))
        #expect(second.output == "8\n")
        // Another crash does; crashes in the same second count once.
        let now = Int(Date.now.timeIntervalSince1970)
        while Int(Date.now.timeIntervalSince1970) == now { usleep(10_000) }
        _ = try run("oops z\n")
        #expect(try run("oops 9\n").errors.contains("twice within ten minutes and was disabled"))
    }

    @Test func `a crash with -e is reported but not recorded`() throws {
        let run = try run("", arguments: ["-e", "oops x"])
        #expect(run.signal == SIGILL || run.signal == SIGTRAP)
        #expect(run.errors.contains("in script Oops, listener Oops.1"))
        #expect(crashes.isEmpty)
    }

    // MARK: The history

    @Test func `each process's crash is taken once`() throws {
        let path = folder.path + "/crashes"
        func line(_ process: Int, _ script: String) -> String {
            #"{"time":1,"process":\#(process),"signal":"SIGILL","script":"\#(script)"}"# + "\n"
        }
        func take(_ process: Int) -> String? {
            CrashHistory.take(of: process, at: path) { Issue.record("\($0)") }?.script
        }
        #expect(take(1) == nil)
        try home.write(line(1, "A") + line(2, "B") + line(1, "C"), to: "crashes")
        #expect(take(3) == nil)
        #expect(take(1) == "C")
        #expect(CrashHistory(at: path).new.map(\.script) == ["B"])
        #expect(take(1) == nil)
        #expect(take(2) == "B")
        #expect(CrashHistory(at: path).new.isEmpty)
    }

    @Test func `only crashes within ten minutes count, and the last hundred are kept`() throws {
        let path = folder.path + "/crashes"
        func line(_ time: Int, _ script: String) -> String {
            #"{"time":\#(time),"signal":"SIGILL","script":"\#(script)","listener":"\#(script).1"}"# + "\n"
        }
        try home.write(
            line(1_000, "A") + line(1_600, "A") + line(1_000, "B") + line(1_601, "B") + "{half", to: "crashes")
        var history = CrashHistory(at: path)
        #expect(history.new.count == 4)
        #expect(history.repeated == ["A": [1_000, 1_600].map { Date(timeIntervalSince1970: $0) }])
        try history.markLogged()
        #expect(CrashHistory(at: path).new.isEmpty)
        #expect(CrashHistory(at: path).repeated == [:])

        try home.write((1...150).map { line($0 * 10_000, "C") }.joined(), to: "crashes")
        history = CrashHistory(at: path)
        #expect(history.repeated == [:])
        try history.markLogged()
        #expect(CrashHistory(at: path).crashes.map(\.time) == (51...150).map { $0 * 10_000 })
    }
}
