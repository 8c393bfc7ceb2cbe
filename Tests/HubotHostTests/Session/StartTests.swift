import Testing

@testable import HubotHost

/// Transcripts of how a host starts, ends and starts again.
@Suite struct StartTests {
    @Test func `scripts are loaded, then the brain`() {
        let session = play(running)
        #expect(session.scripts.map(\.id) == ["a.js", "b.coffee"])
        #expect(session.listeners.map(\.key) == [ListenerKey("a.js", 0), ListenerKey("b.coffee", 0)])
        #expect(session.language == "Node 20")
    }

    @Test func `after a restart, listeners have other numbers`() {
        play(
            running + """
                $ ask a.js 0 hi
                = run 1
                > message 1 listener 1 hi
                $ exited signal 9
                = lost 1
                * error the Hubot scripts' process ended, and is being restarted: signal 9; these scripts hadn't answered: a.js
                . restart in 0.2 seconds
                $ started
                > start a.js b.coffee
                < {"type":"listener","id":7,"script":"a.js","ordinal":0,"kind":"respond","pattern":"hi","flags":"i"}
                $ ask a.js 0 hi
                = run 2
                $ ask b.coffee 0 x
                = run 3
                < {"type":"ready"}
                . read the brain
                $ brain karma
                > brain ["karma"]
                > brain last
                > message 2 listener 7 hi
                = answer 3 no match
                """)
    }

    @Test func `a listener that is new after a restart is a late one`() {
        let session = play(
            running + """
                < {"type":"listener","id":3,"script":"a.js","ordinal":1,"kind":"hear"}
                < {"type":"listener","id":4,"script":"a.js","ordinal":2,"kind":"hear"}
                < {"type":"unlisten","listener":3}
                """)
        #expect(session.lateListeners.map(\.id) == [4])
        #expect(session.listeners.map(\.id) == [1, 2])
    }

    @Test func `the wait before a restart grows, and is reset by a process that has lasted`() {
        let again = """
            $ started
            > start a.js b.coffee
            < {"type":"ready"}
            . read the brain
            $ brain k
            > brain ["k"]
            > brain last

            """
        let ended = """
            $ exited status 1
            * error the Hubot scripts' process ended, and is being restarted: status 1

            """
        play(
            running + ended + ". restart in 0.2 seconds\n" + again + "+ 4000\n" + ended + ". restart in 0.4 seconds\n"
                + """
                $ started
                > start a.js b.coffee
                $ exited status 1
                * error the Hubot scripts' process ended while loading scripts: status 1
                . restart in 0.4 seconds

                """ + again + ended + ". restart in 0.8 seconds\n" + again + ended + ". restart in 1.6 seconds\n"
                + again
                + ended + ". restart in 2.0 seconds\n" + again + """
                    + 5000
                    > ping 1
                    < {"type":"pong","id":1}
                    + 5000
                    > ping 2
                    < {"type":"pong","id":2}

                    """ + ended + ". restart in 0.2 seconds")
    }

    @Test func `a script that ends the process while it is loaded is left out`() {
        play(
            """
            $ started
            > start a.js b.coffee
            < {"type":"loading","script":"a.js"}
            $ exited signal 11
            * error a.js: the Hubot scripts' process ended while loading scripts: signal 11
            . restart in 0.4 seconds
            $ started
            > start a.js b.coffee
            < {"type":"loading","script":"a.js"}
            $ exited signal 11
            * error a.js: the Hubot scripts' process ended while loading scripts: signal 11
            . restart in 0.8 seconds
            $ started
            > start b.coffee
            < {"type":"ready"}
            . loaded
            """)
    }

    @Test func `a script that hangs while it is loaded is left out`() {
        play(
            """
            $ started
            > start a.js b.coffee
            < {"type":"loading","script":"a.js"}
            + 39999
            + 1
            * error a.js: the Hubot script a.js didn't finish loading, so the robot no longer loads a.js
            . kill
            $ exited signal 9
            * error a.js: the Hubot scripts' process ended while loading scripts: signal 9
            . restart in 0.4 seconds
            $ started
            > start b.coffee
            """)
    }

    @Test func `a script in an endless loop while it is loaded is left out, whatever it reports`() {
        let reports = (0..<19).map { _ in
            """
            + 2000
            < {"type":"busy","reason":"time","milliseconds":2000,"script":"a.js","file":"/bot/a.js","line":3}
            < {"type":"pong","id":9}
            < {"type":"listener","id":1,"script":"a.js","ordinal":0,"kind":"respond","pattern":"hi","flags":"i"}

            """
        }
        play(
            """
            $ started
            > start a.js b.coffee
            < {"type":"loading","script":"a.js"}

            """ + reports.joined() + """
                + 2000
                * error a.js: the Hubot script a.js didn't finish loading, so the robot no longer loads a.js
                . kill
                $ exited signal 9
                * error a.js: the Hubot scripts' process ended while loading scripts: signal 9
                . restart in 0.4 seconds
                $ started
                > start b.coffee
                """)
    }

    @Test func `a script that another script or a package loads is left out with it`() {
        play(
            """
            $ started
            > start a.js b.coffee
            < {"type":"loading","script":"a.js"}
            < {"type":"loading","script":"part.js","parent":"a.js"}
            + 40000
            * error part.js: the Hubot script part.js didn't finish loading, so the robot no longer loads a.js
            . kill
            $ exited signal 9
            * error part.js: the Hubot scripts' process ended while loading scripts: signal 9
            . restart in 0.4 seconds
            $ started
            > start b.coffee
            < {"type":"loading","script":"other.js","package":"hubot-other"}
            + 40000
            * error other.js: the Hubot script other.js didn't finish loading, so the robot no longer loads other.js
            . kill
            """)
    }

    @Test func `the robot starts without scripts that can't be loaded`() {
        play(
            """
            $ started
            > start a.js b.coffee
            $ exited status 2
            * error the Hubot scripts' process ended while loading scripts: status 2
            . restart in 0.4 seconds
            $ started
            > start a.js b.coffee
            $ exited status 2
            * error the Hubot scripts' process ended while loading scripts: status 2
            . restart in 0.8 seconds
            $ started
            > start a.js b.coffee
            $ exited status 2
            * error the Hubot scripts' process ended while loading scripts: status 2
            . loaded
            . restart in 1.6 seconds
            """)
        play(
            """
            $ missing
            * error Hubot scripts can't run: node isn't there
            . loaded
            $ ask a.js 0 hi
            = run 1
            = lost 1
            """)
    }

    @Test func `a host that doesn't know the protocol isn't started again`() {
        play(
            """
            $ started
            > start a.js b.coffee
            < {"type":"error","message":"the protocol's version is 1, but this host speaks 2","fatal":true}
            * error Hubot scripts can't run: the protocol's version is 1, but this host speaks 2
            $ exited status 2
            . loaded
            . no restart
            """)
    }

    @Test func `a host that stops isn't started again`() {
        play(
            running + """
                $ ask a.js 0 hi
                = run 1
                > message 1 listener 1 hi
                $ stop
                > stop
                < {"type":"brain","entries":[{"key":"[\\"karma\\",\\"tea\\"]","value":2}]}
                . store ["karma","tea"]
                $ exited status 0
                = lost 1
                . no restart
                """)
    }

    @Test func `a host that doesn't answer a ping is killed, and the scripts that haven't answered are named`() {
        play(
            running + """
                + 5000
                > ping 1
                < {"type":"pong","id":1}
                + 5000
                > ping 2
                $ ask a.js 0 hi
                = run 1
                > message 1 listener 1 hi
                + 9999
                + 1
                * error the Hubot scripts' process stopped responding, and is being killed; these scripts hadn't answered: a.js
                . kill
                $ exited signal 9
                = lost 1
                * error the Hubot scripts' process ended, and is being restarted: signal 9
                . restart in 0.2 seconds
                """)
    }
}
