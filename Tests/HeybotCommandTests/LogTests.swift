import Foundation
import Heybot
import HeybotTesting
import Logging
import Synchronization
import Testing

@testable import HeybotCommand

@Suite(.blocking) struct LogTests {
    private static let date = Date(timeIntervalSince1970: 1_000_000_000.25)
    private static let metadata: Logger.Metadata = ["script": "Rules", "about": "two words", "empty": ""]

    private func line(_ format: LogFormat, _ text: String, colors: Bool = false) -> String {
        format.line(at: Self.date, .warning, part: "irc", text, Self.metadata, colors: colors)
    }

    @Test func `logfmt is keys and values`() {
        #expect(
            line(.logfmt, "it \"broke\"\n\u{1b}[31mhere") == #"time=2001-09-09T01:46:40.250Z level=warning part=irc "#
                + #"msg="it \"broke\"\n\u001b[31mhere" about="two words" empty="" script=Rules"#)
    }

    @Test func `JSON lines are objects that can be decoded`() throws {
        let line = line(.json, "it \"broke\"\n\u{1b}[31mhere\u{7f}\u{85}")
        #expect(!line.contains("\n"))
        let fields = try JSONDecoder().decode([String: String].self, from: Data(line.utf8))
        #expect(
            fields == [
                "time": "2001-09-09T01:46:40.250Z", "level": "warning", "part": "irc",
                "msg": "it \"broke\"\n\u{1b}[31mhere\u{7f}\u{85}", "about": "two words", "empty": "", "script": "Rules"
            ])
    }

    @Test func `the short form is readable, without control characters`() {
        let plain = line(.short, "it broke\n\u{1b}[31mhere")
        #expect(plain.hasSuffix(" warning irc: it broke  [31mhere about=\"two words\" empty=\"\" script=Rules"))
        #expect(plain.prefixMatch(of: #/\d\d:\d\d:\d\d /#) != nil)
        let colored = line(.short, "\u{1b}[31mhere", colors: true)
        #expect(colored.contains("\u{1b}[33mwarning\u{1b}[0m irc:  [31mhere"))
    }

    @Test(arguments: [
        ("info", "irc", "Rules", Logger.Level.info), ("info,irc=debug", "irc", "Rules", .debug),
        ("info,IRC=debug", "irc", "", .debug), ("error,rules=trace", "irc", "Rules", .trace),
        ("error,irc=debug,Rules=warning", "irc", "Rules", .warning), ("Rules=debug", "robot", "", .info),
        ("warn", "robot", "", .warning)
    ])
    func `levels apply to everything, a part or a script`(
        _ text: String, _ part: String, _ script: String, _ level: Logger.Level
    ) throws {
        #expect(try #require(LogLevels(text)).level(part: part, script: script) == level)
    }

    @Test func `in a terminal an error isn't logged if the answer reports it`() throws {
        final class Shown: Sendable { let lines = Mutex<[String]>([]) }
        let shown = Shown()
        for hides in [true, false] {
            let log = Log(SettingValues.Log(), terminal: TerminalCapabilities([:]), hidesAnswered: hides)
            log.show { line in
                shown.lines.withLock { $0.append(line) }
                return true
            }
            var logger = Logger(label: "heybot") { log.handler($0, nil) }
            logger.error("the brain is away")
            logger[metadataKey: "script"] = "Weather"
            logger.error("script Weather failed: it has a bug")
            logger[metadataKey: "answer"] = "I can't get an answer just now."
            logger.error("script Weather failed: the service is unavailable")
            logger.critical("it ends")
            let lines = shown.lines.withLock { lines in
                defer { lines = [] }
                return lines
            }
            #expect(lines.count == (hides ? 3 : 4))
            #expect(lines.contains { $0.contains("it has a bug") })
            #expect(lines.contains { $0.contains("the service is unavailable") } == !hides)
        }
    }

    @Test(arguments: ["loud", "info,irc", "irc=loud", "=info"]) func `invalid levels are refused`(_ text: String) {
        #expect(LogLevels(text) == nil)
    }

    @Test func `only the journal gets each line's level as a prefix`() throws {
        let folder = try TemporaryFolder()
        // Like the journal's stream: the variable names standard error's device and inode.
        let file = folder.url.appending(path: "journal")
        let shell = Process()
        shell.executableURL = URL(filePath: "/bin/sh")
        let program = try #require(CommandRun.program?.path)
        shell.arguments = [
            "-c",
            #"""
            : >"$0"
            export HEYBOT_DATA="$2" HEYBOT_LOG_LEVEL=debug
            JOURNAL_STREAM=$(stat -c %d:%i "$0") "$1" -e ping 2>>"$0"
            JOURNAL_STREAM=1:2 "$1" -e ping 2>"$0.other"
            : >"$0.failure"
            HEYBOT_FOO=1 JOURNAL_STREAM=$(stat -c %d:%i "$0.failure") "$1" -e ping 2>>"$0.failure"
            """#, file.path, program, folder.url.path
        ]
        shell.standardOutput = FileHandle.nullDevice
        try shell.run()
        shell.waitUntilExit()
        let lines = try String(contentsOf: file, encoding: .utf8).split(separator: "\n")
        #expect(
            !lines.isEmpty && lines.allSatisfy { $0.hasPrefix("<7>time=") && $0.contains("level=debug") }, "\(lines)")
        let others = try String(contentsOf: URL(filePath: file.path + ".other"), encoding: .utf8).split(separator: "\n")
        #expect(!others.isEmpty && others.allSatisfy { $0.hasPrefix("time=") })
        let failure = try String(contentsOf: URL(filePath: file.path + ".failure"), encoding: .utf8)
        #expect(failure.hasPrefix("<3>heybot: HEYBOT_FOO"))
    }

    @Test func `levels have the severities of syslog`() {
        #expect(Logger.Level.allCases.map(\.syslogSeverity) == [7, 7, 6, 5, 4, 3, 2])
    }

    @Test(arguments: LogFormat.allCases) func `a key is one word, different from the fixed keys`(_ format: LogFormat) {
        let line = format.line(
            at: Self.date, .info, part: "robot", "hello", ["a\nlevel=critical msg": "x", "level": "y"], colors: false)
        #expect(!line.contains("\n") && !line.contains("critical msg"))
        #expect(line.contains("a_level_critical_msg"))
        #expect(line.contains("level_"))
    }

    @Test func `lines from the level on are passed to the terminal first`() async {
        let shown = StringRecorder()
        var settings = SettingValues.Log()
        settings.levels = LogLevels("error,Loud=debug") ?? LogLevels()
        settings.format = .logfmt
        let log = Log(settings, terminal: TerminalCapabilities([:]))
        log.show { line in
            shown.add(line)
            return true
        }
        let logger = Logger(label: "heybot.irc") { log.handler($0, MessageContext.metadataProvider) }
        let robot = TestRobot(
            InlineScript("Loud") { robot in
                robot.hear(/go/) { _ in
                    logger.info("not this")
                    logger.info("but this", metadata: ["script": "Loud"])
                    logger.error("and this")
                }
            })
        _ = await robot.hears("go")
        #expect(shown.all.count == 2)
        #expect(shown.all.first?.hasSuffix(#" level=info part=irc msg="but this" message=test:1 script=Loud"#) == true)
        #expect(shown.all.last?.hasSuffix(#" level=error part=irc msg="and this" message=test:1"#) == true)
    }
}
