import GatewayLink
import Heybot
import Testing

/// Workers that replace others.
@Suite struct GatewaySwapTests {
    /// A second worker becomes ready while the first has a message of the room #a.
    private let swap =
        readyWorker + """
            $ hear #a al slow
            > 1 message 1
            $ swap
            . start 2
            $ hear #a al two
            > 1 message 2
            < 2 hello
            > 2 welcome
            < 2 ready
            > 1 drain

            """

    @Test func `a worker that was replaced, and is silent, is asked whether it is there`() {
        play(
            swap + """
                + 1999
                + 1
                > 1 ping 1
                """)
    }

    @Test func `the new worker gets what is said after it is ready, in the order of each room`() {
        play(
            swap + """
                $ hear #a bo three
                $ hear #b cy four
                > 2 message 4
                < 1 done 1
                . finish 1
                < 1 done 2
                . finish 2
                > 2 message 3
                < 1 drained
                $ end 1 status 0
                > 2 reload
                < 2 done 3 4
                . finish 3
                . finish 4
                """)
    }

    @Test func `a room waits a second at most for the old worker`() {
        play(
            swap + """
                $ hear #a bo three
                $ hear #a bo four
                + 999
                + 1
                > 2 message 3
                > 2 message 4
                """)
    }

    @Test func `an answer goes to the worker that has asked`() {
        play(
            readyWorker + """
                $ hear #a al delete
                > 1 message 1
                < 1 claim #a al
                < 1 done 1
                . finish 1
                $ swap
                . start 2
                < 2 hello
                > 2 welcome
                < 2 ready
                > 1 drain
                $ hear #a bo hi
                > 2 message 2
                $ hear #b al hi
                > 2 message 3
                $ hear #a al yes
                > 1 message 4
                < 1 release #a al
                < 1 done 4
                . finish 4
                $ hear #a al thanks
                > 2 message 5
                < 1 drained
                """)
    }

    @Test func `an answer that an old worker hasn't dealt with in time isn't given to the new one`() {
        play(
            readyWorker + """
                $ hear #a al deploy
                > 1 message 1
                < 1 claim #a al
                < 1 done 1
                . finish 1
                $ hear #a al yes
                > 1 message 2
                < 1 release #a al
                $ swap
                . start 2
                < 2 hello
                > 2 welcome
                < 2 ready
                > 1 drain
                < 1 drained
                . tell #a al Sorry, I had to restart,
                . finish 2
                """)
    }

    @Test func `what an old worker hasn't done goes to the new one, and its late answers are refused`() {
        play(
            swap + """
                < 1 call 5 1/0 first
                . perform 1 first
                $ performed 1
                > 1 result 5
                < 1 drained
                > 2 message 1 again 2
                > 2 message 2 again 2
                < 1 call 6 1/1 late
                < 2 call 1 1/0 first
                > 2 result 1
                < 2 call 2 1/1 second
                . perform 2 second
                + 6000
                > 2 ping 1
                . kill 1
                """)
    }

    @Test func `an old worker that doesn't finish is killed`() {
        play(
            readyWorker + """
                $ hear #a al delete
                > 1 message 1
                < 1 claim #a al
                < 1 done 1
                . finish 1
                $ swap
                . start 2
                < 2 hello
                > 2 welcome
                < 2 ready
                > 1 drain
                + 65000
                * warning - a worker that was replaced hasn't finished within 65.0 seconds, and is being killed
                . kill 1
                """)
    }

    @Test func `a crash of the old worker gives its messages to the new one`() {
        play(
            swap + """
                $ hear #a bo three
                $ end 1 signal 11
                * error - a worker has ended: signal 11; the next one takes over its messages
                . admins The process of my scripts has en
                > 2 reload
                > 2 message 1 again 2
                > 2 message 2 again 2
                > 2 message 3
                """)
    }

    @Test func `a crash while the next worker starts needs no third one`() {
        play(
            readyWorker + """
                $ hear #a al hi
                > 1 message 1
                $ swap
                . start 2
                $ end 1 signal 11
                * error - a worker has ended: signal 11; the next one takes over its messages
                . admins The process of my scripts has en
                < 2 hello
                > 2 welcome
                < 2 ready
                > 2 message 1 again 2
                """)
    }

    @Test func `a swap during a swap follows it`() {
        play(
            readyWorker + """
                $ swap
                . start 2
                $ swap
                $ swap
                < 2 hello
                > 2 welcome
                < 2 ready
                > 1 drain
                . start 3
                """)
    }

    @Test func `a reload follows one whose worker couldn't start`() {
        play(
            readyWorker + """
                $ swap
                . start 2
                $ swap
                $ end 2 status 70
                * error - the new worker couldn't start: status 70; the previous one goes on
                . start 3
                < 3 hello
                > 3 welcome
                < 3 ready
                > 1 drain
                """)
    }

    @Test func `who was asked something learns that a replaced worker hasn't waited for the answer any longer`() {
        play(
            readyWorker + """
                $ hear #a al delete
                > 1 message 1
                < 1 claim #a al
                < 1 done 1
                . finish 1
                $ swap
                . start 2
                < 2 hello
                > 2 welcome
                < 2 ready
                > 1 drain
                < 1 drained
                . tell #a al Sorry, I had to restart,
                """)
    }

    @Test func `what is said behind an answer to the old worker waits for it`() {
        var limits = GatewaySession.Limits()
        limits.window = 1
        play(
            readyWorker + """
                $ hear #a al delete
                > 1 message 1
                < 1 claim #a al
                < 1 done 1
                . finish 1
                $ hear #b bo slow
                > 1 message 2
                $ swap
                . start 2
                < 2 hello
                > 2 welcome
                < 2 ready
                > 1 drain
                $ hear #a al yes
                $ hear #a cy hi
                < 1 done 2
                . finish 2
                > 1 message 3
                < 1 done 3
                . finish 3
                > 2 message 4
                """, limits: limits)
    }

    // MARK: Stopping meanwhile

    @Test func `a gateway that stops during a swap waits for no question`() {
        play(
            swap + """
                < 1 claim #b cy
                $ stop
                > 1 drain at once
                > 2 drain at once
                < 1 done 1 2
                . finish 1
                . finish 2
                < 1 drained
                < 2 drained
                $ end 1 status 0
                $ end 2 status 0
                . stopped -
                """)
    }

    @Test func `a gateway that stops kills a worker that starts`() {
        play(
            readyWorker + """
                $ swap
                . start 2
                $ stop
                > 1 drain at once
                . kill 2
                < 2 hello
                $ end 2 signal 9
                < 1 drained
                $ end 1 status 0
                . stopped -
                """)
    }

    // MARK: Versions

    @Test func `workers of the version before are understood`() {
        var session = GatewaySession([], versions: LinkVersions(newest: 3, oldest: 2))
        _ = session.start(at: .zero)
        let hello = WorkerFrame.hello(LinkVersions(newest: 2, oldest: 1), process: 7)
        let welcome = GatewayFrame.welcome(Welcome(version: 2, generation: 1, adapters: []))
        let actions = session.received(hello, from: 1, at: .zero)
        #expect(actions == [.send(welcome, to: 1)])
    }

    @Test func `workers of versions that differ by more are refused`() {
        play(
            """
            $ start
            . start 1
            < 1 hello
            * error - the program was replaced by one whose workers this gateway doesn't understand: restart heybot
            . kill 1
            < 1 ready
            """, versions: LinkVersions(newest: 3, oldest: 2))
    }

    @Test func `frames of a newer version are ignored`() {
        play(
            readyWorker + """
                < 1 music
                * debug - a worker has sent a frame of an unknown type: music
                """)
    }

    @Test func `workers learn of changed adapters`() {
        var session = GatewaySession([AdapterFacts(name: "irc", status: .starting)])
        _ = session.start(at: .zero)
        let facts = [AdapterFacts(name: "irc", status: .starting, queuedMessages: 3)]
        let early = session.adaptersChanged(facts)
        _ = session.received(.hello(.own, process: 7), from: 1, at: .zero)
        let same = session.adaptersChanged(facts)
        #expect(early.isEmpty && same.isEmpty)
        let more = [AdapterFacts(name: "irc", status: .starting, queuedMessages: 4)]
        let changed = session.adaptersChanged(more)
        #expect(changed == [.send(.adapters(more), to: 1)])
    }
}
