import GatewayLink
import Testing

/// Questions to users whose worker ends.
@Suite struct GatewayQuestionTests {
    @Test func `a crash after an answer gives the answer to no other worker, and its sender learns that`() {
        play(
            readyWorker + """
                $ hear #a al deploy
                > 1 message 1
                < 1 claim #a al
                < 1 done 1
                . finish 1
                $ hear #a bo hi
                > 1 message 2
                $ hear #a al yes
                > 1 message 3
                < 1 release #a al
                $ crash 1 Oops 1
                * error Oops a worker was ended by script Oops, listener Oops-1, on message irc:m1 (SIGILL); \
                the next one takes over its messages
                . admins My script Oops has crashed (SIGI
                . tell #a al Sorry, I had to restart,
                . finish 3
                . start 2
                < 2 hello
                > 2 welcome
                < 2 ready
                > 2 message 2 again 2
                """)
    }

    @Test func `what was said before a question isn't taken for its answer`() {
        play(
            readyWorker + """
                $ hear #a al slow
                > 1 message 1
                $ hear #a al deploy
                > 1 message 2
                < 1 claim #a al
                < 1 done 2
                . finish 2
                < 1 release #a al
                $ end 1 signal 9
                * error - a worker has ended: signal 9; the next one takes over its messages
                . admins The process of my scripts has en
                . start 2
                < 2 hello
                > 2 welcome
                < 2 ready
                > 2 message 1 again 2
                """)
    }

    @Test func `who was asked something learns that the question is forgotten`() {
        play(
            readyWorker + """
                $ hear #a al delete
                > 1 message 1
                < 1 claim #a al
                < 1 claim #a bo
                < 1 release #a bo
                < 1 done 1
                . finish 1
                $ end 1 signal 9
                * error - a worker has ended: signal 9; the next one takes over its messages
                . admins The process of my scripts has en
                . tell #a al Sorry, I had to restart,
                . start 2
                """)
    }
}
