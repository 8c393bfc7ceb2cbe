import ArgumentParser
import Heybot
import Testing

@testable import HeybotCommand

@Suite struct SettingsTests {
    private func settings(_ arguments: [String] = [], _ environment: [String: String] = [:]) throws -> Settings {
        try Settings(
            try Options.parse(Options.completed(arguments)),
            environment: ["HOME": "/home/al"].merging(environment) { $1 })
    }

    private func problems(_ arguments: [String] = [], _ environment: [String: String]) -> [String] {
        do {
            _ = try settings(arguments, environment)
            return []
        } catch {
            return "\(error)".split(separator: "\n").map(String.init)
        }
    }

    @Test func `with nothing set there are defaults`() throws {
        let settings = try settings()
        #expect(settings.name == "Heybot")
        #expect(settings.alias == nil)
        #expect(settings.dataFolder == "/home/al/.local/share/heybot")
        #expect(settings.logLevel == .info)
        #expect(settings.limits == Robot.Limits())
    }

    @Test func `a flag beats HEYBOT_, which beats HUBOT_`() throws {
        let both = ["HEYBOT_NAME": "hey", "HUBOT_NAME": "hub"]
        #expect(try settings(["-n", "flag"], both).name == "flag")
        #expect(try settings([], both).name == "hey")
        #expect(try settings([], ["HUBOT_NAME": "hub", "HEYBOT_NAME": ""]).name == "hub")
    }

    @Test func `an alias without a name is a slash, as in Hubot`() throws {
        #expect(try settings(["-l"]).alias == "/")
        #expect(try settings(["-l", "-n", "x"]).alias == "/")
        #expect(try settings(["--alias", "hey"]).alias == "hey")
        #expect(try settings([], ["HUBOT_ALIAS": "!"]).alias == "!")
    }

    @Test func `everything is read`() throws {
        let settings = try settings(
            ["--data", "/d", "--log-level", "debug"],
            [
                "HUBOT_AUTH_ADMIN": "1, irc:al ,", "HEYBOT_SCRIPTS_OFF": "Rules,PlusPlus@#dev", "HEYBOT_THREADS": "2",
                "HEYBOT_CONCURRENCY": "8", "HEYBOT_DEADLINE": "1.5", "HUBOT_SHELL_USER_ID": "7",
                "HUBOT_SHELL_USER_NAME": "al", "HEYBOT_ADAPTER": "Shell", "HUBOT_FOO": "some script's"
            ])
        #expect(settings.dataFolder == "/d")
        #expect(settings.logLevel == .debug)
        #expect(settings.admins == ["1", "irc:al"])
        #expect(settings.switches == ScriptSwitches(off: ["Rules"], offInRoom: ["#dev": ["PlusPlus"]]))
        #expect(settings.limits.threads == 2)
        #expect(settings.limits.concurrency == 8)
        #expect(settings.limits.deadline == .milliseconds(1_500))
        #expect(settings.shellUserID == "7")
        #expect(settings.shellUserName == "al")
        #expect(try self.settings(["--data", "~/d"]).dataFolder == "/home/al/d")
        #expect(try self.settings(["--alias=bob"]).alias == "bob")
        #expect(try self.settings([], ["XDG_DATA_HOME": "/x"]).dataFolder == "/x/heybot")
        #expect(try self.settings([], ["HUBOT_LOG_LEVEL": "emergency"]).logLevel == .critical)
    }

    @Test func `all that is wrong is said at once, by name, with what is expected`() {
        #expect(
            problems(
                ["--log-level", "loud", "-a", "xmpp"],
                [
                    "HEYBOT_THREADS": "0", "HUBOT_DEADLINE": "soon", "HEYBOT_SCRIPTS_OFF": "@#dev", "HEYBOT_NAM": "x",
                    "HEYBOT_SOMETHING_ELSE": "x", "HOME": ""
                ]) == [
                    "--log-level is \"loud\"; expected a level such as info",
                    "HEYBOT_SCRIPTS_OFF is \"@#dev\"; expected names of scripts, such as Rules or Rules@#room",
                    "HEYBOT_THREADS is \"0\"; expected a number from 1",
                    "HUBOT_DEADLINE is \"soon\"; expected a number of seconds",
                    "--adapter is \"xmpp\"; expected shell, the only adapter so far",
                    "there is no home to keep the data in: set HEYBOT_DATA, or give --data a folder",
                    "HEYBOT_NAM is not a setting; did you mean HEYBOT_NAME?", "HEYBOT_SOMETHING_ELSE is not a setting"
                ])
    }
}
