import HeybotSupport
import Testing

@testable import HubotHost

/// One host takes the place of another.
@Suite struct TakingOverTests {
    private let ready =
        loading + """
            < {"type":"ready","protocol":1,"language":"Node 20","scripts":2,"listeners":2}
            . loaded

            """

    @Test func `the new host gets the brain, then the old one's changes, and answers what has waited`() {
        play(
            ready + """
                $ snapshot karma
                > brain ["karma"]
                $ learn tea
                $ ask a.js 0 hi
                = run 1
                $ request /x
                = request 1
                $ take
                > brain ["tea"]
                > brain last
                > message 1 listener 1 hi
                > web request 1 /x
                $ learn more
                > brain ["more"]
                """)
    }

    @Test func `a change that the new host got with the brain isn't passed on again when it is stored`() {
        play(
            ready + """
                $ learn unstored 6
                $ learn tea 6
                $ snapshot karma 7
                > brain ["karma"] ["unstored"]
                $ learn unstored 7
                $ take
                > brain ["tea"]
                > brain last
                $ learn unstored 7
                $ learn unstored 8
                > brain ["unstored"]
                """)
    }

    @Test func `a new host that ends before it takes over reads the brain itself`() {
        play(
            ready + """
                $ snapshot karma
                > brain ["karma"]
                $ exited signal 9
                * error the Hubot scripts' process ended, and is being restarted: signal 9
                . restart in 0.2 seconds
                $ take
                $ started
                > start a.js b.coffee
                < {"type":"ready","protocol":1,"language":"Node 20","scripts":2,"listeners":2}
                . read the brain
                """)
    }

    @Test func `a new host that is back before it takes over gets the whole brain`() {
        play(
            ready + """
                $ snapshot karma
                > brain ["karma"]
                $ exited signal 9
                * error the Hubot scripts' process ended, and is being restarted: signal 9
                . restart in 0.2 seconds
                $ started
                > start a.js b.coffee
                < {"type":"ready","protocol":1,"language":"Node 20","scripts":2,"listeners":2}
                $ learn tea
                $ take
                . read the brain
                $ brain karma
                > brain ["karma"] ["tea"]
                > brain last
                """)
    }

    @Test func `nothing waits for a host that has retired and ended`() {
        play(
            running + """
                $ retire
                > retire
                < {"type":"retired"}
                . retired
                $ request /a
                = refused
                $ exited status 0
                . no restart
                $ ask a.js 0 hi
                = run 1
                = lost 1
                $ request /a
                = refused
                $ learn tea
                """)
    }

    @Test func `the old host saves, finishes what it has begun, and isn't restarted`() {
        play(
            running + """
                $ ask a.js 0 hi
                = run 1
                > message 1 listener 1 hi
                $ retire
                > retire
                < {"type":"brain","entries":[{"key":"[\\\"a\\\"]","value":1}]}
                . store ["a"]
                < {"type":"retired"}
                . retired
                < {"type":"listener","id":3,"script":"a.js","ordinal":1,"kind":"hear","pattern":"y","flags":""}
                < {"type":"result","run":1,"matched":true,"ended":false,"finished":false}
                = answer 1 matched
                < {"type":"send","kind":"send","room":"#tea","run":1,"script":"a.js","strings":["PONG"],"request":1}
                . send PONG of run 1
                $ end 5
                > end 5
                < {"type":"brain","entries":[{"key":"[\\\"b\\\"]","value":1}]}
                . store ["b"]
                $ exited status 0
                = forget 1
                . no restart
                """)
    }

    @Test func `an old host that hangs is killed, and its callers get to know`() {
        play(
            running + """
                $ ask a.js 0 hi
                = run 1
                > message 1 listener 1 hi
                $ retire
                > retire
                < {"type":"retired"}
                . retired
                + 5000
                > ping 1
                + 10000
                * error the Hubot scripts' process stopped responding, and is being killed; these scripts hadn't answered: a.js
                . kill
                $ exited signal 9
                = lost 1
                . no restart
                """)
    }

    @Test func `an old host that doesn't end is stopped, then killed`() {
        var limits = HostSession.Limits()
        limits.pingInterval = .seconds(100)
        play(
            running + """
                $ retire
                > retire
                < {"type":"retired"}
                . retired
                + 60000
                > stop
                + 2000
                . kill
                $ exited signal 9
                . no restart
                """, limits: limits)
    }

    @Test func `an old host that dies or isn't there doesn't hold up the new one`() {
        play(
            running + """
                $ retire
                > retire
                $ exited signal 9
                . retired
                . no restart
                """)
        play(
            running + """
                $ exited signal 9
                * error the Hubot scripts' process ended, and is being restarted: signal 9
                . restart in 0.2 seconds
                $ ask a.js 0 hi
                = run 1
                $ middleware receive hi
                = run 2
                $ request /a
                = request 1
                $ retire
                = handed over 1
                = handed over 2
                = web 1 handedOver
                . retired
                """)
    }

    @Test func `an old host whose brain hasn't been read hands over what has waited`() {
        play(
            loading + """

                < {"type":"ready","protocol":1,"language":"Node 20","scripts":2,"listeners":2}
                . loaded
                $ robot
                . read the brain
                $ ask a.js 0 hi
                = run 1
                $ retire
                > retire
                = handed over 1
                """)
    }

    @Test func `entries of the brain are divided by their size`() {
        let entries = (0..<30).map { BrainEntry("[\"\($0)\"]", .string(String(repeating: "é", count: 100_000))) }
        let (messages, tooLong) = RobotMessage.brain(entries)
        #expect(tooLong.isEmpty)
        #expect(messages.count > 3)
        #expect(messages.allSatisfy { $0.line.count < 2 << 20 })
        let long = BrainEntry("[\"long\"]", .string(String(repeating: "x", count: 9 << 20)))
        #expect(RobotMessage.brain([long], longestLine: 8 << 20).tooLong == ["[\"long\"]"])
    }
}
