import StandardScripts
import Testing

@testable import HeybotCommand

/// Settings that had another name earlier.
@Suite(.blocking) struct RenamedSettingsTests {
    private func read(_ environment: [String: String], file: String? = nil) throws -> ResolvedSettings {
        try ResolvedSettings(flags: [:], environment: environment) { _ in
            file.map { SettingsFile("heybot.json", Array($0.utf8)) }
        }
    }

    @Test(
        arguments: [
            (["HEYBOT_IRC_STABLE": "90"], nil, "HEYBOT_IRC_STABLE is now HEYBOT_IRC_BACKOFF_RESET"),
            (["HUBOT_IRC_STABLE": "90"], nil, "HUBOT_IRC_STABLE is now HEYBOT_IRC_BACKOFF_RESET"),
            ([:], "{\n  irc: { stable: 90 }\n}", "heybot.json:2: irc.stable is now irc.backoffReset")
        ] as [([String: String], String?, String)])
    func `an old name works, with a warning`(
        _ environment: [String: String], _ file: String?, _ warning: String
    ) throws {
        let settings = try read(environment, file: file)
        #expect(settings.settings.irc.connection.reconnect.stable == .seconds(90))
        #expect(settings.isSet("IRC_BACKOFF_RESET"))
        #expect(settings.deprecations == ["\(warning); the old name works until 1.0"])
        #expect(settings.unknownHubotVariables == [])
    }

    @Test func `the new name works without a warning`() throws {
        let settings = try read(["HUBOT_IRC_BACKOFF_RESET": "90", "HEYBOT_IRC_STABLE": ""])
        #expect(settings.settings.irc.connection.reconnect.stable == .seconds(90))
        #expect(settings.deprecations == [])
        #expect(try read([:], file: "{ irc: { backoffReset: 90 } }").deprecations == [])
    }

    @Test(
        arguments: [
            (
                ["HEYBOT_IRC_STABLE": "90", "HEYBOT_IRC_BACKOFF_RESET": "90"], nil,
                "HEYBOT_IRC_STABLE and HEYBOT_IRC_BACKOFF_RESET are the same setting: remove HEYBOT_IRC_STABLE, the old name"
            ),
            (
                [:], "{\n  irc: {\n    stable: 90,\n    backoffReset: 90\n  }\n}",
                "heybot.json:3: irc.stable and irc.backoffReset in heybot.json:4 are the same setting: "
                    + "remove irc.stable in heybot.json:3, the old name"
            ),
            (
                ["HEYBOT_IRC_BACKOFF_RESET": "90"], "{ irc: { stable: 90 } }",
                "heybot.json:1: irc.stable and HEYBOT_IRC_BACKOFF_RESET are the same setting: "
                    + "remove irc.stable in heybot.json:1, the old name"
            )
        ] as [([String: String], String?, String)])
    func `both names are an error`(_ environment: [String: String], _ file: String?, _ problem: String) throws {
        do {
            _ = try read(environment, file: file)
            Issue.record("no error")
        } catch let error as InvalidSettingsError {
            #expect(error.description == problem)
        }
    }

    @Test func `an error in a value names the name that was used`() throws {
        do {
            _ = try read(["HEYBOT_IRC_STABLE": "soon"], file: "{ shared: 'perhaps' }")
            Issue.record("no error")
        } catch let error as InvalidSettingsError {
            #expect(
                error.description == """
                    HEYBOT_IRC_STABLE is "soon"; expected a number of seconds, up to 86400
                    heybot.json:1: shared is "perhaps"; expected true or false
                    """)
        }
    }

    @Test func `listings have the new names only`() throws {
        let settings = try read([:])
        let list = SettingsCommand.list(settings.table, settings)
        let guide = SettingsCommand.tables(Setting.all + Setting.settings(of: standardScripts))
        for setting in Setting.all {
            for old in setting.formerVariables {
                #expect(!list.contains("\(old) ") && !guide.contains("`\(old)`"), "\(old)")
                #expect(SettingsCommand.choose(settings, words: [old]).map(\.name) == [setting.name])
            }
        }
        let one = try #require(SettingsCommand.choose(settings, words: ["irc.stable"]).first)
        #expect(!SettingsCommand.whole(one, settings).contains("STABLE"))
    }

    @Test func `an old name belongs to one setting`() {
        let names = Setting.all.map(\.name) + Setting.all.compactMap { $0.formerly?.name }
        let keys = Setting.all.compactMap(\.key) + Setting.all.compactMap { $0.formerly?.key }
        #expect(Set(names).count == names.count && Set(keys).count == keys.count)
    }

    @Test(.timeLimit(.minutes(15))) func `the robot logs an old name once`() throws {
        let folder = try TemporaryFolder()
        let run = try CommandRun(
            "ping\n", in: folder.url, environment: ["HEYBOT_GRACE": "1", "HEYBOT_LOG_FORMAT": "logfmt"])
        #expect(run.output == "PONG\n")
        let text = "HEYBOT_GRACE is now HEYBOT_SHUTDOWN_TIMEOUT; the old name works until 1.0"
        #expect(run.errors.split(separator: "\n").count { $0.contains("level=warning") && $0.contains(text) } == 1)
        let check = try CommandRun(arguments: ["check"], in: folder.url, environment: ["HEYBOT_GRACE": "1"])
        #expect(check.output.contains(text) && check.output.contains("→ use the new name"))
    }
}
