import GatewayLink
import Heybot
import Testing

@Suite struct GatewaySessionTests {
    @Test func `a message is handled, its answers are delivered in order, and it is done`() {
        play(
            readyWorker + """
                $ hear #a al hi
                > 1 message 1
                < 1 call 5 1/0 yes
                . perform 1 yes
                $ performed 1
                > 1 result 5
                < 1 call 6 1/1 and more
                . perform 2 and more
                $ refused 2
                > 1 result 6 no
                < 1 call 7 - users
                . perform 3 users
                < 1 call 8 - typing
                . perform - typing
                $ performed 3
                > 1 result 7
                < 1 done 1
                . finish 1
                """)
    }

    @Test func `what is heard before a worker is ready waits, in order`() {
        play(
            """
            $ start
            . start 1
            $ hear #a al one
            $ hear #b bo two
            < 1 hello
            > 1 welcome
            < 1 ready
            > 1 message 1
            > 1 message 2
            """)
    }

    // MARK: Crashes

    @Test func `a crash in the middle of a command ends only that command`() {
        play(
            readyWorker + """
                $ hear #a al boom
                > 1 message 1
                $ hear #a bo hi
                > 1 message 2
                < 1 call 5 2/0 first
                . perform 1 first
                $ performed 1
                > 1 result 5
                $ crash 1 Oops 1
                * error Oops a worker was ended by script Oops, listener Oops-1, on message irc:m1 (SIGILL); \
                the next one takes over its messages
                . admins My script Oops has crashed (SIGI
                . tell #a al Sorry, that made me cras
                . finish 1
                . start 2
                $ hear #a cy hello
                < 2 hello
                > 2 welcome
                < 2 ready
                > 2 message 2 again 2
                > 2 message 3
                < 2 call 1 2/0 first
                > 2 result 1
                < 2 call 2 2/1 second
                . perform 2 second
                $ performed 2
                > 2 result 2
                < 2 done 2
                . finish 2
                """)
    }

    @Test func `an answer that was delivered before the crash isn't delivered again`() {
        play(
            readyWorker + """
                $ hear #a al hi
                > 1 message 1
                < 1 call 5 1/0 yes
                . perform 1 yes
                $ refused 1
                > 1 result 5 no
                $ end 1 signal 9
                * error - a worker has ended: signal 9; the next one takes over its messages
                . admins The process of my scripts has en
                . start 2
                < 2 hello
                > 2 welcome
                < 2 ready
                > 2 message 1 again 2
                < 2 call 1 1/0 yes
                > 2 result 1 no
                < 2 done 1
                . finish 1
                """)
    }

    @Test func `an answer that is under way during the crash is delivered once, and the next worker learns of it`() {
        play(
            readyWorker + """
                $ hear #a al hi
                > 1 message 1
                < 1 call 5 1/0 yes
                . perform 1 yes
                $ end 1 signal 9
                * error - a worker has ended: signal 9; the next one takes over its messages
                . admins The process of my scripts has en
                . start 2
                < 2 hello
                > 2 welcome
                < 2 ready
                > 2 message 1 again 2
                < 2 call 1 1/0 yes
                $ performed 1
                > 2 result 1
                """)
    }

    @Test func `what was said in one room isn't said again, also if the next worker comes to another room first`() {
        play(
            readyWorker + """
                $ hear #a al announce
                > 1 message 1
                < 1 call 5 1/0 #b news
                . perform 1 news
                $ performed 1
                > 1 result 5
                < 1 call 6 1/1 #b more
                . perform 2 more
                $ end 1 signal 9
                * error - a worker has ended: signal 9; the next one takes over its messages
                . admins The process of my scripts has en
                . start 2
                < 2 hello
                > 2 welcome
                < 2 ready
                > 2 message 1 again 2
                < 2 call 1 1/0 #c news
                . perform 3 news
                < 2 call 2 1/0 #b news
                > 2 result 2
                $ performed 3
                > 2 result 1
                < 2 call 3 1/1 #b more
                $ performed 2
                > 2 result 3
                """)
    }

    @Test func `what an observer's code has said isn't said again, and doesn't take the place of an answer`() {
        play(
            readyWorker + """
                $ hear #a al hi
                > 1 message 1
                < 1 call 5 1/0 seen hi
                . perform 1 seen hi
                $ performed 1
                > 1 result 5
                < 1 call 6 1/0 yes
                . perform 2 yes
                $ performed 2
                > 1 result 6
                $ end 1 signal 9
                * error - a worker has ended: signal 9; the next one takes over its messages
                . admins The process of my scripts has en
                . start 2
                < 2 hello
                > 2 welcome
                < 2 ready
                > 2 message 1 again 2
                < 2 call 1 1/0 yes
                > 2 result 1
                < 2 call 2 1/0 seen hi
                > 2 result 2
                < 2 call 3 1/1 seen more
                . perform 3 seen more
                """)
    }

    @Test func `a message is given up when three workers have ended with it for unknown reasons`() {
        play(
            readyWorker + """
                $ hear #a al hi
                > 1 message 1
                $ end 1 signal 9
                * error - a worker has ended: signal 9; the next one takes over its messages
                . admins The process of my scripts has en
                . start 2
                < 2 hello
                > 2 welcome
                < 2 ready
                > 2 message 1 again 2
                $ end 2 signal 9
                * error - a worker has ended: signal 9; the next one takes over its messages
                . admins The process of my scripts has en
                . start 3
                < 3 hello
                > 3 welcome
                < 3 ready
                > 3 message 1 again 3
                $ end 3 signal 9
                * error - a worker has ended: signal 9; the next one takes over its messages
                . admins The process of my scripts has en
                . tell #a al Sorry, I couldn't do tha
                . finish 1
                . start 4
                """)
    }

    /// A crash that is known to be of another message, and the start of the next worker.
    private static func crash(of worker: Int, by message: Int) -> String {
        """
        $ hear #b bo boom
        > \(worker) message \(message)
        $ crash \(worker) Oops \(message)
        * error Oops a worker was ended by script Oops, listener Oops-1, on message irc:m\(message) (SIGILL); \
        the next one takes over its messages
        . admins My script Oops has crashed (SIGI
        . tell #b bo Sorry, that made me cras
        . finish \(message)
        . start \(worker + 1)
        < \(worker + 1) hello
        > \(worker + 1) welcome
        < \(worker + 1) ready

        """
    }

    @Test func `the crashes of other messages don't count against a message`() {
        var limits = GatewaySession.Limits()
        (limits.crashes, limits.notices.burst) = (100, 100)
        var transcript = readyWorker + "$ hear #a al hi\n> 1 message 1\n"
        for worker in 1...10 {
            transcript += Self.crash(of: worker, by: worker + 1)
            transcript += "> \(worker + 1) message 1 again \(worker + 1)\n"
        }
        play(transcript + "< 11 done 1\n. finish 1\n", limits: limits)
    }

    @Test func `a script that has crashed three workers in ten minutes is disabled`() {
        play(
            readyWorker + Self.crash(of: 1, by: 1) + Self.crash(of: 2, by: 2) + """
                $ hear #b bo boom
                > 3 message 3
                $ crash 3 Oops 3
                * error Oops a worker was ended by script Oops, listener Oops-1, on message irc:m3 (SIGILL); \
                the next one takes over its messages
                * error Oops the script Oops has crashed 3 workers within 10 minutes, and is being disabled: \
                correct the script, then say "enable Oops"
                . admins My script Oops has crashed 3 tim
                . tell #b bo Sorry, that made me cras
                . finish 3
                . start 4
                < 4 hello
                > 4 welcome without Oops
                < 4 ready
                $ swap
                . start 5
                < 5 hello
                > 5 welcome
                """)
    }

    @Test func `a script that crashes while the next worker starts already is disabled by the one after it`() {
        play(
            readyWorker + Self.crash(of: 1, by: 1) + Self.crash(of: 2, by: 2) + """
                $ swap
                . start 4
                < 4 hello
                > 4 welcome
                $ hear #b bo boom
                > 3 message 3
                $ crash 3 Oops 3
                * error Oops a worker was ended by script Oops, listener Oops-1, on message irc:m3 (SIGILL); \
                the next one takes over its messages
                * error Oops the script Oops has crashed 3 workers within 10 minutes, and is being disabled: \
                correct the script, then say "enable Oops"
                . admins My script Oops has crashed 3 tim
                . tell #b bo Sorry, that made me cras
                . finish 3
                < 4 ready
                $ swap
                . start 5
                < 5 hello
                > 5 welcome without Oops
                """)
    }

    @Test func `the crash of a message that was done already doesn't count against the others`() {
        var limits = GatewaySession.Limits()
        limits.attempts = 1
        play(
            readyWorker + """
                $ hear #a al hi
                > 1 message 1
                $ crash 1 Oops 9
                * error Oops a worker was ended by script Oops, listener Oops-1, on message irc:m9 (SIGILL); \
                the next one takes over its messages
                . admins My script Oops has crashed (SIGI
                . start 2
                < 2 hello
                > 2 welcome
                < 2 ready
                > 2 message 1 again 2
                """, limits: limits)
    }

    @Test func `crashes that are further apart don't disable a script`() {
        play(
            readyWorker + Self.crash(of: 1, by: 1) + "+ 400000\n" + Self.crash(of: 2, by: 2) + "+ 400000\n"
                + Self.crash(of: 3, by: 3))
    }

    @Test func `a worker that crashes again and again isn't replaced at once each time`() {
        var limits = GatewaySession.Limits()
        limits.restarts.burst = 1
        play(
            readyWorker + """
                $ end 1 signal 9
                * error - a worker has ended: signal 9; the next one takes over its messages
                . admins The process of my scripts has en
                . start 2
                < 2 hello
                > 2 welcome
                < 2 ready
                $ end 2 signal 9
                * error - a worker has ended: signal 9; the next one takes over its messages
                . admins The process of my scripts has en
                + 900
                + 200
                . start 3
                """, limits: limits)
    }
}
