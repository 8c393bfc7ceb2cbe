import HeybotSupport
import Testing

@testable import HubotHost

/// The script that has blocked or ended the process is named, counted, and left out if it does so again and again.
@Suite struct FaultAttributionTests {
    private let busy =
        #"{"type":"busy","reason":"time","milliseconds":1500,"script":"a.js","file":"/bot/a.js","line":3}"#

    @Test func `a script that is busy when a ping isn't answered`() {
        play(
            running + """
                + 5000
                > ping 1
                + 8000
                < \(busy)
                + 2000
                * error a.js: the Hubot scripts' process stopped responding, and is being killed; it was running a.js (/bot/a.js:3)
                . count timeout of a.js
                . kill
                $ exited signal 9
                * error the Hubot scripts' process ended, and is being restarted: signal 9
                . restart in 0.2 seconds
                """)
    }

    @Test func `an old report doesn't count, and the unanswered question is only logged`() {
        play(
            running + """
                $ ask b.coffee 0 x
                = run 1
                > message 1 listener 2 x
                < \(busy)
                + 5000
                > ping 1
                + 10000
                * error the Hubot scripts' process stopped responding, and is being killed; these scripts hadn't answered: b.coffee
                . kill
                """)
    }

    @Test func `a hang counts once, however long the process takes to end`() {
        play(
            running + """
                + 5000
                > ping 1
                + 9000
                < \(busy)
                + 1000
                * error a.js: the Hubot scripts' process stopped responding, and is being killed; it was running a.js (/bot/a.js:3)
                . count timeout of a.js
                . kill
                + 4000
                $ exited signal 9
                * error the Hubot scripts' process ended, and is being restarted: signal 9
                . restart in 0.2 seconds
                """)
    }

    @Test func `a script that has used up the memory`() {
        play(
            running + """
                < {"type":"busy","reason":"memory","milliseconds":10,"script":"b.coffee","file":"/bot/b.coffee","line":9}
                $ exited signal 6
                * error b.coffee: the Hubot scripts' process ended, and is being restarted: signal 6; the memory was used up by b.coffee (/bot/b.coffee:9)
                . count error of b.coffee
                . restart in 0.2 seconds
                """)
    }

    @Test func `a script that has stopped the process three times is left out`() {
        let again = """
            < \(busy)
            $ exited signal 6
            * error a.js: the Hubot scripts' process ended, and is being restarted: signal 6; it was running a.js (/bot/a.js:3)
            . count timeout of a.js

            """
        let back = """
            < {"type":"ready","protocol":1,"language":"Node 20","scripts":2,"listeners":2}
            . read the brain
            $ brain karma
            > brain ["karma"]
            > brain last

            """
        play(
            running + again + ". restart in 0.2 seconds\n$ started\n> start a.js b.coffee\n" + back + again
                + ". restart in 0.4 seconds\n$ started\n> start a.js b.coffee\n" + back + again + """
                    * error a.js: the script a.js has stopped the Hubot scripts' process 3 times within 10 minutes, so the robot no longer loads a.js: correct the script, then say "reload"
                    . restart in 0.8 seconds
                    $ started
                    > start b.coffee
                    """)
    }

    @Test func `a package whose script is left out isn't loaded`() {
        var start = RobotMessage.Start(
            name: "marvin", alias: nil, version: "1", adapters: ["irc"], logLevel: "info", loadTime: 30_000,
            scripts: [ScriptFile(id: "a.js", path: "/bot/a.js")], external: nil, modules: [], cache: nil, brain: true)
        start.external = .init(folder: "/bot", packages: .array([.string("hubot-a"), .string("hubot-b")]))
        let rest = start.leavingOut(["index.js"], packages: ["hubot-a"])
        #expect(rest.scripts == start.scripts)
        #expect(rest.external?.packages == .array([.string("hubot-b")]))
        start.external?.packages = .object(["hubot-a": .null, "hubot-b": .null])
        #expect(start.leavingOut([], packages: ["hubot-b"]).external?.packages == .object(["hubot-a": .null]))
    }
}
