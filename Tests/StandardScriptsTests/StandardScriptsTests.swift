import Foundation
import Heybot
import HeybotTesting
import StandardScripts
import Testing

@Suite struct StandardScriptsTests {
    /// The settings without which scripts leave out listeners.
    private static let settings = [
        "TITLES_ON": "true", "GITHUB_UNFURL": "true", "GITHUB_SECRET": "s", "NOTIFY_TOKEN": "t",
        "DEPLOY_APPS_JSON": "/nowhere/apps.json"
    ]

    @Test func `every example in the help is answered by its listener`() {
        let robot = TestRobot(name: "hubot", alias: "/", settings: Self.settings, standardScripts)
        #expect(robot.brokenExamples() == [])
    }

    @Test func `no command is answered by two`() {
        let robot = TestRobot(name: "hubot", settings: Self.settings, standardScripts).robot
        let others = robot.listeners.compactMap { listener -> String? in
            guard let example = listener.example else { return nil }
            let text = listener.trigger == .respond ? "hubot \(example)" : example
            var found = robot.listeners(matching: text)
            // They settle it between them: money is for the one that knows the rates.
            if found == ["Currency.1", "Maths.1"] { found = [listener.id] }
            return found == [listener.id] ? nil : "\(text): \(found)"
        }
        #expect(others == [])
    }

    /// A running regex can't be interrupted, so none may take much longer for a long text than for a short one.
    @Test(
        .timeLimit(.minutes(15)),
        arguments: [
            ("who is ", " ", "x"), ("ada is ", ".", "x"), ("ada has ", " has", " role x"), ("help", "\t", "x\ny"),
            ("choose ", "“", ""), ("remember ", "a", ""), ("erase \"", "a ", ""), ("translate to ", "a", "\n"),
            ("", "@", ""), ("", "a++", ""), ("", "-", " "), ("ship", " ", "x"), ("", "http://", ""), ("", "a/a", "#"),
            ("", "┻", "━"), ("flip ", "1", " coin"), ("weather in ", " ", "\n"), ("", "table", ""),
            ("say in ", "a", " "), ("on call rota ops: ", "a, ", "x"), ("ada is on call", " from", "?"),
            ("page ops", " ", "x"), ("swap ", "a and ", "b"), ("add ", "a to ", "on call rota"),
            ("poll ", "a: ", "\n"), ("vote ", "1 in ", "\n"), ("feed add ", "a ", "\n"), ("standup ", "a: ", "\n"),
            ("deploy ", "a", " to "), ("deploy a/", "a", " to"), ("deploys ", "a", " in"),
            ("lock a ", " ", ""), ("roll back ", "a.", " in "),
            ("tell ", "a,", ""), ("tell a ", " ", "\n"), ("seen ", "a", "?x"), ("when was ", "a", " seen"),
            ("remember a", " a", " is "), ("forget ", "a", "\n"), ("facts about ", "?", "x"),
            ("when I say ", "a say", ""), ("when I say a ", "do nothing ", "x"), ("only ", "a may", " say"),
            ("remind ", "a ", "x"), ("remind me in ", "2 ", " to"),
            ("every ", "day ", " run x"), ("run ", "friday ", "x"), ("schedule \"", "a", "\" x"), ("snooze ", "a ", "x")
        ])
    func `no message takes long to match, whatever is in it`(_ start: String, _ piece: String, _ end: String) {
        let robot = TestRobot(name: "hubot", settings: Self.settings, standardScripts).robot
        let long = String(repeating: piece, count: 60_000 / piece.utf8.count)
        for text in ["hubot \(start)\(long)\(end)", "\(start)\(long)\(end)"] {
            #expect(robot.listeners(matching: text).count < 10)
        }
    }

    @Test func `no message costs a try of each listener`() {
        let listeners = TestRobot(name: "hubot", settings: Self.settings, standardScripts).robot.listeners
        #expect(listeners.filter(\.isAlwaysTried).map(\.id) == [])
    }

    @Test func `every script is in the catalog`() throws {
        let folder = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../Scripts")
        let files = try FileManager.default.contentsOfDirectory(atPath: folder.path).filter { $0.hasSuffix(".swift") }
        #expect(files.contains("PlusPlus.swift"))
        #expect(standardScripts.map { "\(type(of: $0)).swift" } == files.sorted())
    }
}
