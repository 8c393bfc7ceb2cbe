import GatewayLink
import Heybot
import Testing

/// Workers that hang or are slow, and the end of a gateway.
@Suite struct GatewayLimitTests {
    @Test func `a worker that doesn't respond is killed, and what it still sends is refused`() {
        play(
            readyWorker + """
                + 60000
                $ hear #a al hi
                > 1 message 1
                + 2000
                > 1 ping 1
                < 1 pong 1
                + 2000
                > 1 ping 2
                + 10000
                * error - a worker hasn't responded for 10.0 seconds, and is being killed
                . kill 1
                . admins My scripts didn't respond any mo
                < 1 call 5 1/0 late
                < 1 done 1
                $ end 1 signal 9
                * error - a worker has ended: signal 9; the next one takes over its messages
                . start 2
                < 2 hello
                > 2 welcome
                < 2 ready
                > 2 message 1 again 2
                < 2 call 1 1/0 on time
                . perform 1 on time
                < 1 call 6 1/0 late
                """)
    }

    @Test func `a worker without messages isn't asked whether it is there`() {
        let session = play(
            readyWorker + """
                $ hear #a al hi
                > 1 message 1
                < 1 done 1
                . finish 1
                + 3600000
                """)
        #expect(session.nextTick == nil)
    }

    // MARK: Slow workers

    @Test func `adapters wait while too many messages wait for a slow worker`() {
        var limits = GatewaySession.Limits()
        (limits.window, limits.waiting) = (2, 2)
        let full =
            readyWorker + """
                $ hear #a al one
                > 1 message 1
                $ hear #a al two
                > 1 message 2
                $ hear #a al three
                $ hear #a al four

                """
        #expect(play(full, limits: limits).isFull)
        let session = play(
            full + """
                < 1 done 1
                . finish 1
                > 1 message 3
                . resume
                < 1 done 2 3
                . finish 2
                . finish 3
                > 1 message 4
                """, limits: limits)
        #expect(!session.isFull)
    }

    // MARK: The end

    @Test func `the gateway stops when its workers have finished`() {
        play(
            readyWorker + """
                $ hear #a al hi
                > 1 message 1
                $ stop
                > 1 drain at once
                < 1 call 5 1/0 yes
                . perform 1 yes
                $ performed 1
                > 1 result 5
                < 1 done 1
                . finish 1
                < 1 drained
                $ end 1 status 0
                . stopped -
                """)
    }

    @Test func `workers that don't finish are killed when the gateway stops`() {
        play(
            readyWorker + """
                $ hear #a al hi
                > 1 message 1
                $ stop
                > 1 drain at once
                + 5000
                > 1 ping 1
                . kill 1
                $ end 1 signal 9
                . finish 1
                . stopped -
                """)
    }

    @Test func `a gateway that stops while it kills a worker waits for its end`() {
        let session = play(
            readyWorker + """
                $ hear #a al hi
                > 1 message 1
                + 2000
                > 1 ping 1
                + 10000
                * error - a worker hasn't responded for 10.0 seconds, and is being killed
                . kill 1
                . admins My scripts didn't respond any mo
                $ stop
                + 60000
                $ end 1 signal 9
                . finish 1
                . stopped -
                """)
        #expect(session.nextTick == nil)
    }

    @Test func `nobody waits for space in a gateway that stops`() {
        var limits = GatewaySession.Limits()
        limits.waiting = 1
        #expect(play("$ start\n. start 1\n$ hear #a al hi\n", limits: limits).isFull)
        #expect(!play("$ start\n. start 1\n$ hear #a al hi\n$ stop\n. kill 1\n", limits: limits).isFull)
    }

    @Test func `a gateway that is asked to stop ends timers, and first handles its messages`() {
        play(
            readyWorker + """
                $ hear #a al hi
                > 1 message 1
                $ ending
                > 1 end timers
                $ swap
                $ hear #a bo more
                > 1 message 2
                < 1 done 1 2
                . finish 1
                . finish 2
                $ stop
                > 1 drain at once
                < 1 drained
                $ end 1 status 0
                . stopped -
                """)
    }

    @Test func `a worker may still be replaced before the gateway stops, and its timers don't fire`() {
        play(
            readyWorker + """
                $ hear #a al hi
                > 1 message 1
                $ ending
                > 1 end timers
                $ end 1 signal 9
                * error - a worker has ended: signal 9; the next one takes over its messages
                . admins The process of my scripts has en
                . start 2
                < 2 hello
                > 2 welcome
                < 2 ready
                > 2 end timers
                > 2 message 1 again 2
                """)
    }

    @Test func `the time to stop begins when the gateway is asked to`() {
        play(
            readyWorker + """
                $ hear #a al hi
                > 1 message 1
                $ ending
                > 1 end timers
                + 4000
                > 1 ping 1
                $ stop
                > 1 drain at once
                + 1000
                . kill 1
                $ end 1 signal 9
                . finish 1
                . stopped -
                """)
    }

    @Test func `the gateway stops when a script has stopped its worker`() {
        play(
            readyWorker + """
                $ hear #a al die
                > 1 message 1
                $ hear #a bo hi
                > 1 message 2
                < 1 stop
                . stop the robot
                > 1 drain at once
                $ hear #a cy hello
                $ stop
                $ end 1 status 0
                . finish 1
                . finish 2
                . finish 3
                . stopped -
                $ hear #a cy anybody
                . finish 4
                """)
    }

    @Test func `a gateway without workers stops at once`() {
        play(
            """
            $ start
            . start 1
            $ end 1 signal 9
            * error - the new worker couldn't start: signal 9
            $ stop
            . stopped -
            + 60000
            """)
    }
}
