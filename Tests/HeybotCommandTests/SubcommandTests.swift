import Foundation
import Heybot
import HeybotTesting
import SQLiteStore
import StandardScripts
import Testing

@testable import HeybotCommand

/// Tests of the subcommands, run as processes.
@Suite(.blocking, .timeLimit(.minutes(15))) struct SubcommandTests {
    private let home: TemporaryFolder
    private var folder: URL { home.url }

    init() throws { home = try TemporaryFolder() }

    private func heybot(
        _ arguments: String..., input: String = "", environment: [String: String] = [:], at place: URL? = nil
    ) throws -> CommandRun {
        try CommandRun(input, arguments: arguments, in: folder, environment: environment, at: place)
    }

    // MARK: settings, listeners, -t

    @Test func `settings are read from a flag, the environment, and heybot.json in the current directory`() throws {
        try home.write("{ name: 'File', alias: '!', shell: { userName: 'Ada' } }", to: "heybot.json")
        let run = try heybot(
            "settings", "-n", "Flag", environment: ["HUBOT_ALIAS": "/", "HEYBOT_THREADS": "2"], at: folder)
        for line in [
            "HEYBOT_NAME = Flag (--name)", "HEYBOT_ALIAS = / (HUBOT_ALIAS)", "HEYBOT_THREADS = 2 (HEYBOT_THREADS)",
            "HEYBOT_SHELL_USER_NAME = Ada (heybot.json:1)", "HEYBOT_DEADLINE = 30 (default)"
        ] { #expect(run.output.contains("\n  \(line): ")) }
        #expect(run.status == 0)
        #expect(try heybot("settings", "--json", "NAME", at: folder).output.contains("\"value\" : \"File\""))
        #expect(try heybot("-e", "file ping", at: folder).output == "PONG\n")
    }

    @Test func `another settings file can be named, and each problem in it is one line`() throws {
        let file = try home.write("{\n  nmae: 'x',\n  limits: { deadline: 'soon' }\n}", to: "marvin.json")
        for run in [
            try heybot("--config", file.path), try heybot("-t", environment: ["HEYBOT_CONFIG": file.path]),
            try heybot("settings", "--config", file.path)
        ] {
            #expect(
                run.errors == """
                    heybot: \(file.path):2: nmae is not a setting; did you mean name?
                    heybot: \(file.path):3: limits.deadline is "soon"; expected a number of seconds, up to 86400

                    """)
            #expect(run.status == 78)
        }
        let missing = try heybot("--config", "/nowhere/heybot.json")
        #expect(missing.errors == "heybot: there is no settings file /nowhere/heybot.json\n")
        #expect(missing.status == 78)
    }

    @Test func `an unknown script is reported with its place in the file`() throws {
        try home.write("{\n  scripts: { off: ['Nada'] }\n}", to: "heybot.json")
        let run = try heybot("-t", at: folder)
        #expect(
            run.errors.hasPrefix(
                "heybot: heybot.json:2: scripts.off names Nada, which is not a script; valid names are "))
        #expect(run.status == 78)
    }

    @Test func `the data directory in a file is beside it`() throws {
        try home.write("{ data: 'memory' }", to: "heybot.json")
        let run = try heybot("-e", "swift++", environment: ["HEYBOT_DATA": ""], at: folder)
        #expect(run.output == "swift now has 1.\n")
        #expect(FileManager.default.fileExists(atPath: folder.appending(path: "memory/brain.sqlite").path))
    }

    @Test func `listeners are listed with pattern, help and marks`() throws {
        let run = try heybot("listeners", environment: ["HEYBOT_SCRIPTS_OFF": "Rules,PlusPlus@#dev"])
        #expect(run.output.contains(#/Diagnostics\.1 +respond \/ping\$\/\n +ping - Answer PONG\n/#))
        #expect(run.output.contains("respond /die$/ [admins only]\n"))
        #expect(run.output.contains(/PlusPlus\.1 +hear .* \[off in #dev\]\n/))
        #expect(run.output.contains(/Rules\.1 +respond .* \[off\]\n/))
        #expect(run.status == 0)
    }

    @Test func `listings show cooldowns, deadlines, and what was disabled from chat`() throws {
        let robot = TestRobot(Resting())
        let text = ListenersCommand.text(
            robot.robot.listeners[0], DisabledScripts(offInRoom: ["irc:#a": ["Resting"]]), 10)
        #expect(
            text == "Resting.1   hear /tea/ [off in irc:#a, cooldown 60.0 seconds per room, deadline 5.0 seconds]"
        )
        #expect(try heybot("-e", "disable Rules").output == "Rules is disabled everywhere.\n")
        #expect(try heybot("listeners").output.contains(/Rules.1 .*\[off\]\n/))
    }

    @Test(arguments: ["-t", "--config-check"]) func `a configuration check prints a summary and OK`(_ flag: String)
        throws
    {
        let run = try heybot(flag)
        #expect(run.output.hasPrefix("settings  OK\nscripts   \(standardScripts.count + 1), with "))
        #expect(run.output.hasSuffix("brain     \(folder.path)/brain.sqlite\nOK\n"))
        #expect(run.status == 0)
        let bad = try heybot(flag, environment: ["HEYBOT_SCRIPTS_OFF": "Ruels"])
        #expect(bad.errors.contains("HEYBOT_SCRIPTS_OFF names Ruels, which is not a script; did you mean Rules?"))
        #expect(bad.status == 78)
        try home.write("Dear diary", to: "brain.sqlite")
        #expect(try heybot(flag).status == 65)
    }

    // MARK: brain

    @Test func `a value is set, shown and removed`() throws {
        #expect(try heybot("brain", "set", "motto", #""Be kind""#).status == 0)
        #expect(try heybot("brain", "get", "motto").output == "\"Be kind\"\n")
        #expect(try heybot("brain", "set", "plusplus.scores", "swift", "5").status == 0)
        #expect(try heybot("-e", "score swift").output == "swift has 5.\n")
        #expect(try heybot("brain", "set", "big", "-", input: "[1,\n 2]").status == 0)
        #expect(try heybot("brain", "get", "big").output == "[1,\n 2]\n")
        #expect(try heybot("brain", "list").output == "big\nmotto\nplusplus.scores (1 entry)\n")
        #expect(try heybot("brain", "list", "plusplus.scores").output == "swift\n")
        #expect(try heybot("brain", "set", "plusplus.scores", "swift", "--", "-5").status == 0)
        #expect(try heybot("-e", "score swift").output == "swift has -5.\n")
        #expect(try heybot("brain", "remove", "plusplus.scores", "swift").status == 0)
        #expect(try heybot("brain", "list").output == "big\nmotto\n")
    }

    @Test func `a missing key and invalid JSON are errors in one line`() throws {
        let none = try heybot("brain", "get", "motto")
        #expect(
            none.errors == "heybot: there is no brain at \(folder.path)/brain.sqlite; set its directory with --data\n"
        )
        #expect(none.status == 66)
        let word = try heybot("brain", "set", "motto", "kind")
        #expect(word.errors == "heybot: the value isn't JSON; put strings in double quotes: '\"this\"'\n")
        #expect(word.status == 65)
        #expect(try heybot("brain", "set", "a", "1").status == 0)
        let list = try heybot("brain", "list", "nix")
        #expect(list.errors == "heybot: nix doesn't exist; \"heybot brain list\" lists what exists\n")
        #expect(list.status == 66)
        for verb in ["get", "remove"] {
            let run = try heybot("brain", verb, "c", "k")
            #expect(run.errors == "heybot: c[k] doesn't exist; \"heybot brain list\" lists what exists\n")
            #expect(run.status == 66)
        }
        #expect(try heybot("brain", "set", "a").status == 64)
        #expect(try heybot("brain", "set", "a", "--force", "5").status == 64)
        #expect(try heybot("brain", "frobnicate").status == 64)
        #expect(try heybot("brain", "import", "/nowhere").status == 66)
    }

    @Test func `what is exported can be imported, to the byte, and again`() async throws {
        let odd = "odd \"key\"\u{0}\n é"
        let entries: [(StoreKey, [UInt8])] =
            [
                (StoreKey(name: odd), Array(#"{"a": 1.10, "big": 12345678901234567890}"#.utf8)),
                (StoreKey(collection: odd, name: odd), Array("\"\\u0041\"".utf8)),
                (StoreKey(name: "not JSON"), [0xff, 0x00, 0x0a]), (StoreKey(name: "mark"), [0xef, 0xbb, 0xbf, 0x35]),
                (StoreKey(name: "UTF-16"), [0x35, 0x00]),
                (
                    StoreKey(name: "deep"),
                    Array((String(repeating: "[", count: 400) + String(repeating: "]", count: 400)).utf8)
                ),
                (StoreKey(name: "same"), Array(#"{"a.b":1,"a":{"b":2,"b":3},"value":4}"#.utf8))
            ]
            + (0..<1_000).map { (StoreKey(collection: "numbers", name: "\($0)"), Array("\($0)".utf8)) }
        let store = SQLiteStore(path: folder.appending(path: "brain.sqlite").path)
        try await withBrain(store) { _ in for (key, value) in entries { try await store.set(value, for: key) } }
        let export = try heybot("brain", "export")
        #expect(export.output.split(separator: "\n").count == entries.count)

        let other = try TemporaryFolder()
        for _ in 0..<2 {
            let run = try CommandRun(export.output, arguments: ["brain", "import"], in: other.url)
            #expect(run.output == "\(entries.count) entries\n")
        }
        #expect(try CommandRun(arguments: ["brain", "export"], in: other.url).output == export.output)
        let copy = SQLiteStore(path: other.url.appending(path: "brain.sqlite").path)
        try await withBrain(copy) { _ in
            for (key, value) in entries {
                let copied = try await copy.value(for: key)
                #expect(copied == value)
            }
        }
    }

    @Test func `dates are exported in ISO 8601, and those of older exports are imported`() throws {
        #expect(try heybot("-e", "remember ada: hi").status == 0)
        let export = try heybot("brain", "export").output
        #expect(export.contains(/"date":"2[0-9]{3}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}(\.[0-9]+)?Z"/))
        let other = try TemporaryFolder()
        let old = export.replacing(/"date":"[^"]*"/, with: "\"date\":817082568.02")
        #expect(try CommandRun(old, arguments: ["brain", "import"], in: other.url).status == 0)
        #expect(try CommandRun(arguments: ["brain", "export"], in: other.url).output == old)
        let quotes = try CommandRun(arguments: ["-e", "quotes by ada"], in: other.url)
        #expect(quotes.output.contains("hi") && quotes.status == 0)
    }

    @Test func `an invalid line ends an import, and the entries before it are kept`() throws {
        let file = try home.write(
            "{\"name\":\"a\",\"value\":1}\n\n{\"name\":\"a\",\"value\":2}\n{\"name\":\"b\"}\n", to: "x")
        let run = try heybot("brain", "import", file.path)
        #expect(run.errors.hasPrefix("heybot: \(file.path):4 can't be imported: expected {"))
        #expect(run.status == 65)
        #expect(try heybot("brain", "get", "a").output == "2\n")
    }

    @Test func `the last of duplicate entries counts, and line breaks between tokens become spaces`() throws {
        let lines = (1...200).map { "{\"name\":\"a\",\"value\":\($0)}\n" }.joined()
        #expect(try heybot("brain", "import", input: lines).output == "200 entries\n")
        #expect(try heybot("brain", "get", "a").output == "200\n")
        let record = BrainJSONLine(key: StoreKey(name: "a"), value: Array("[1,\r\n2]".utf8))
        #expect(String(decoding: record.line, as: UTF8.self) == "{\"name\":\"a\",\"value\":[1,  2]}")
    }

    @Test func `a line that is too long is an error`() throws {
        let path = folder.appending(path: "lines").path
        try Data(("short\n" + String(repeating: "x", count: 50_000)).utf8).write(to: URL(filePath: path))
        let file = try InputFile(path)
        defer { file.close() }
        var lines = FileLineReader(file, maxLength: 1_000)
        #expect(try lines.next() == Array("short".utf8))
        #expect(throws: ExitError.self) { _ = try lines.next() }
    }

    @Test func `control characters in names are escaped`() throws {
        let name = "a\u{1b}]0;x\u{7}\nb"
        #expect(try heybot("brain", "set", name, "1").status == 0)
        #expect(try heybot("brain", "set", name, name, "1").status == 0)
        let list = try heybot("brain", "list").output
        #expect(list == #""a\u001b]0;x\u0007\nb""# + "\n" + #""a\u001b]0;x\u0007\nb" (1 entry)"# + "\n")
        let none = try heybot("brain", "get", "x\ny")
        #expect(none.errors == "heybot: x y doesn't exist; \"heybot brain list\" lists what exists\n")
    }

    @Test func `read-only subcommands create nothing, and work without access to the brain`() throws {
        guard let user = try UnprivilegedUser(home) else { return }
        #expect(try user.run(["listeners", "--data", "/nowhere/data"]).status == 0)
        #expect(try user.run(["brain", "list", "--data", "/nowhere/data"]).status == 66)
        #expect(
            try heybot("brain", "import", "/nowhere", environment: ["HEYBOT_DATA": folder.path + "/new"]).status == 66)
        #expect(!FileManager.default.fileExists(atPath: folder.path + "/new"))
        #expect(try heybot("brain", "set", "a", "1", environment: ["HEYBOT_DATA": folder.path + "/mine"]).status == 0)
        let listeners = try user.run(["listeners", "--data", folder.path + "/mine"])
        #expect(listeners.status == 0)
    }

    @Test(arguments: [
        "", "x", "1", "{}", #"{"name":"a"}"#, #"{"name":"a","key":"b","value":1}"#, #"{"collection":"a","value":1}"#,
        #"{"name":"a","value":1,"value":2}"#, #"{"name":"a","value":1} x"#, #"{"name":"a","base64":"?"}"#,
        #"{"name":1,"value":1}"#, #"{"name":"a","value":1"#
    ])
    func `invalid lines are rejected`(_ line: String) {
        #expect(throws: BrainJSONLineError.self) { _ = try BrainJSONLine(line: Array(line.utf8)) }
    }

    @Test func `a running robot sees changes by the command, and no changes are lost`() throws {
        let robot = try CommandRun.start(in: folder)
        try robot.type("swift++\n")
        #expect(robot.read() == "swift now has 1.\n")
        #expect(try heybot("brain", "set", "plusplus.scores", "swift", "41").status == 0)
        try robot.type("swift++\n")
        #expect(robot.read() == "swift now has 42.\n")
        #expect(try heybot("brain", "get", "plusplus.scores", "swift").output == "42\n")
        #expect(robot.end().status == 0)
    }
}

private struct Resting: Script {
    func register(on robot: inout RobotBuilder) {
        robot.hear(/tea/, cooldown: .perRoom(.minutes(1)), deadline: .seconds(5)) { _ in }
    }
}
