import HeybotSupport
import Testing

@testable import HubotHost

/// Transcripts of questions to listeners and middleware.
@Suite struct RunTests {
    @Test func `a listener answers, and sends`() {
        play(
            running + """
                $ ask a.js 0 hi
                = run 1
                > message 1 listener 1 hi
                < {"type":"send","kind":"send","room":"#tea","run":1,"strings":["hello"],"request":1}
                . send hello of run 1
                < {"type":"result","run":1,"matched":true,"ended":true,"finished":true,"text":"changed"}
                = answer 1 matched, finished, changed
                $ end 5
                > later end 5
                $ exited signal 9
                = forget 1
                * error the Hubot scripts' process ended, and is being restarted: signal 9
                . restart in 0.2 seconds
                """)
    }

    @Test func `only receive middleware learns at once that a message is over`() {
        play(
            running + """
                $ end 5
                > later end 5
                < {"type":"middleware","kinds":["receive"]}
                * debug a Hubot script added middleware
                $ end 6
                > end 6
                < {"type":"middleware","kinds":[]}
                $ end 7
                > later end 7
                """)
    }

    @Test func `a result of an unknown run is ignored, and one counts only once`() {
        play(
            running + """
                < {"type":"result","run":9,"matched":true}
                < {"type":"ended","run":9}
                $ ask a.js 0 hi
                = run 1
                > message 1 listener 1 hi
                < {"type":"result","run":1,"matched":false}
                = answer 1 no match
                < {"type":"result","run":1,"matched":true}
                $ cancel 1
                = forget 1
                """)
    }

    @Test func `a held listener waits for the robot's middleware`() {
        play(
            running + """
                $ hold a.js 0 hi
                = run 1
                > message 1 listener 1 hi hold
                < {"type":"result","run":1,"matched":true,"held":true,"match":["hi"]}
                = answer 1 matched, held
                $ resume 1
                > resume 1 true
                < {"type":"result","run":1,"matched":true,"ended":true}
                = answer 1 matched
                $ hold a.js 0 hi
                = run 2
                > message 2 listener 1 hi hold
                < {"type":"result","run":2,"matched":true,"held":true}
                = answer 2 matched, held
                $ abandon 2
                > resume 2 false
                $ resume 2
                = lost 2
                """)
    }

    @Test func `a run that nobody waits for is cancelled`() {
        play(
            running + """
                $ ask a.js 0 hi
                = run 1
                > message 1 listener 1 hi
                $ cancel 1
                > cancel 1
                = forget 1
                < {"type":"result","run":1,"matched":true,"ended":true}
                """)
    }

    @Test func `users of lost runs get a notice, if nothing was answered`() {
        play(
            running + """
                $ ask a.js 0 one
                = run 1
                > message 1 listener 1 one
                < {"type":"result","run":1,"matched":true,"ended":false}
                = answer 1 matched
                $ ask a.js 0 two
                = run 2
                > message 2 listener 1 two
                < {"type":"send","kind":"send","room":"#tea","run":2,"strings":["yes"],"request":1}
                . send yes of run 2
                < {"type":"result","run":2,"matched":true,"ended":false}
                = answer 2 matched
                $ ask b.coffee 0 idle
                = run 3
                > message 3 listener 2 idle
                < {"type":"result","run":3,"matched":true,"ended":false}
                = answer 3 matched
                $ exited signal 9
                = tell 1 Sorry, a.js has just crashed. Please say that again.
                = forget 1
                = forget 2
                = forget 3
                * error the Hubot scripts' process ended, and is being restarted: signal 9
                . restart in 0.2 seconds
                """)
    }

    @Test func `an error of a listener is part of its result, others are logged`() {
        play(
            running + """
                $ ask a.js 0 hi
                = run 1
                > message 1 listener 1 hi
                < {"type":"error","run":1,"script":"a.js","message":"x is not defined","file":"/bot/a.js","line":3}
                < {"type":"result","run":1,"matched":true,"ended":true,"error":"x is not defined"}
                = answer 1 matched, x is not defined (/bot/a.js:3)
                < {"type":"error","script":"a.js","message":"in a timer","file":"/bot/a.js"}
                * error a.js: script a.js failed: in a timer (/bot/a.js)
                $ ask a.js 0 hi
                = run 2
                > message 2 listener 1 hi
                < {"type":"result","run":2,"matched":true,"ended":false}
                = answer 2 matched
                < {"type":"error","run":2,"script":"a.js","message":"rejected"}
                * error a.js: script a.js failed: rejected
                < {"type":"ended","run":2,"error":"rejected"}
                = tell 2 Sorry, something went wrong (a.js).
                = ended 2
                """)
    }

    @Test func `middleware is asked if there is some`() {
        let session = play(
            running + """
                < {"type":"middleware","kinds":["receive","response"]}
                * debug a Hubot script added middleware
                $ middleware receive hi
                = run 1
                > middleware 1 receive hi
                < {"type":"result","run":1,"continue":false}
                = answer 1 stop
                $ middleware response hi
                = run 2
                > middleware 2 response hi
                $ exited status 1
                = lost 2
                * error the Hubot scripts' process ended, and is being restarted: status 1
                . restart in 0.2 seconds
                $ started
                > start a.js b.coffee
                """)
        // Until the new process has loaded the scripts, they may have the same.
        #expect(session.middleware == [.receive, .response])
        let another = play(
            running + """
                < {"type":"middleware","kinds":["receive"]}
                * debug a Hubot script added middleware
                $ exited status 1
                * error the Hubot scripts' process ended, and is being restarted: status 1
                . restart in 0.2 seconds
                $ started
                > start a.js b.coffee
                < {"type":"ready","protocol":1,"language":"Node 20","scripts":2,"listeners":2}
                . read the brain
                """)
        #expect(another.middleware == [])
    }

    @Test func `questions wait for a host that is starting, up to a limit`() {
        var limits = HostSession.Limits()
        limits.waitingQuestions = 1
        play(
            loading + """
                $ ask a.js 0 one
                = run 1
                $ ask a.js 0 two
                = run 2
                = lost 2
                """, limits: limits)
    }

    @Test func `each process learns each user once`() {
        play(
            running + """
                $ saw ada
                > users ada
                $ saw ada
                $ saw bob
                > users bob
                $ exited status 1
                * error the Hubot scripts' process ended, and is being restarted: status 1
                . restart in 0.2 seconds
                $ started
                > start a.js b.coffee
                < {"type":"ready"}
                . read the brain
                $ brain k
                > brain ["k"]
                > brain last
                > users ada bob
                """)
    }

    @Test func `output past the protocol is logged, but not without limit`() {
        var limits = HostSession.Limits()
        limits.output = RateLimit(burst: 2, interval: .seconds(1))
        limits.logText = 5
        play(
            running + """
                < hello there
                * info hello
                $ printed {"type":3}
                * info {"typ
                < three
                < four
                + 1000
                < five
                 * warning dropped 2 lines of the Hubot scripts' output
                * info five
                < {"type":"log","level":"warning","script":"a.js","text":"careful"}
                * warning a.js: caref
                < {"type":"log","level":"info","dropped":3}
                 * warning dropped 3 lines of the Hubot scripts' output
                < {"type":"strange"}
                * debug the Hubot scripts' process sent an unknown message: stran
                """, limits: limits)
    }

    @Test func `the log mentions dropped lines at most once a second`() {
        var limiter = LogRateLimiter(RateLimit(burst: 1, interval: .milliseconds(500)))
        #expect(limiter.admit(at: .zero) == .yes(dropped: 0))
        #expect(limiter.admit(at: .zero) == .no)
        #expect(limiter.admit(at: .milliseconds(500)) == .yes(dropped: 0))
        #expect(limiter.admit(at: .milliseconds(500)) == .no)
        #expect(limiter.admit(at: .seconds(1)) == .yes(dropped: 2))
        #expect(limiter.admit(at: .milliseconds(1_500)) == .yes(dropped: 0))
    }

    @Test func `a message is what the guide to the protocol shows`() {
        let message = RobotMessage.message(
            run: 1, listener: 1,
            message: WireMessage(
                number: 1, kind: "text", id: "m1", room: "#tea",
                user: WireUser(id: "ada", name: "Ada", adapter: "irc"), text: "marvin: ping", command: "ping"),
            hold: false)
        #expect(
            String(decoding: message.line, as: UTF8.self) == """
                {"listener":1,"message":{"command":"ping","id":"m1","kind":"text","number":1,"room":"#tea",\
                "text":"marvin: ping","user":{"adapter":"irc","id":"ada","name":"Ada"}},"run":1,"type":"message"}

                """)
    }

    @Test func `numbers of the brain come back to JavaScript as it has written them`() throws {
        let entries = #"[{"key":"[\"a\"]","value":[0,-1,2.5,0.1,9007199254740991,10000000000000000,1e+21]}]"#
        let sent = HostMessage(line: Array("{\"type\":\"brain\",\"entries\":\(entries)}".utf8))
        guard case .brain(let changed) = try #require(sent) else {
            Issue.record("it isn't a change of the brain")
            return
        }
        let line = RobotMessage.brain(changed, isLast: true).line
        #expect(
            String(decoding: line, as: UTF8.self)
                == "{\"entries\":\(entries),\"last\":true,\"type\":\"brain\"}\n")
    }
}
