import GatewayLink
import Testing

/// Workers that can't start.
@Suite struct GatewayStartTests {
    @Test func `the old worker goes on if the new one can't start`() {
        play(
            readyWorker + """
                $ swap
                . start 2
                $ end 2 status 70
                * error - the new worker couldn't start: status 70; the previous one goes on
                $ hear #a al hi
                > 1 message 1
                < 1 done 1
                . finish 1
                $ swap
                . start 3
                + 60000
                + 60000
                * error - a worker hasn't started within 120.0 seconds, and is being killed
                . kill 3
                $ end 3 signal 9
                * error - the new worker couldn't start: signal 9; the previous one goes on
                $ hear #a al hi
                > 1 message 2
                """)
    }

    @Test func `the gateway ends with the first worker's status if the settings are wrong`() {
        play(
            """
            $ start
            . start 1
            $ end 1 status 78
            * error - the new worker couldn't start: status 78
            . stopped 78
            """)
    }

    @Test func `a first worker that can't start is replaced after a while`() {
        play(
            """
            $ start
            . start 1
            $ end 1 signal 9
            * error - the new worker couldn't start: signal 9
            + 250
            . start 2
            $ end 2 status 1
            * error - the new worker couldn't start: status 1
            + 250
            + 250
            . start 3
            """)
    }

    @Test func `the gateway ends if its first workers can't start, but not later`() {
        var limits = GatewaySession.Limits()
        limits.starts = 2
        play(
            """
            $ start
            . start 1
            $ end 1 signal 5
            * error - the new worker couldn't start: signal 5
            + 250
            . start 2
            $ end 2 signal 5
            * error - the new worker couldn't start: signal 5
            * error - no worker can start, so the gateway ends
            . stopped 70
            """, limits: limits)
        play(
            readyWorker + """
                $ end 1 signal 9
                * error - a worker has ended: signal 9; the next one takes over its messages
                . admins The process of my scripts has en
                . start 2
                $ end 2 signal 5
                * error - the new worker couldn't start: signal 5
                + 250
                . start 3
                $ end 3 signal 5
                * error - the new worker couldn't start: signal 5
                + 450
                . start 4
                """, limits: limits)
    }
}
