import HeybotIRC
import Testing

/// Whether the robot is marked as away until it answers (IRCv3 draft/pre-away).
@Suite struct PreAwayTests {
    private let negotiation = """
        < CAP * LS :draft/pre-away
        > CAP REQ draft/pre-away
        < CAP * ACK :draft/pre-away
        > AWAY *
        > CAP END
        < 306 marvin :You have been marked as being away
        < 001 marvin :Welcome
        < 376 marvin :End

        """

    @Test func `the robot is away until it has joined its channels`() {
        play(
            .inDev,
            start + negotiation + """
                > JOIN #dev
                < :marvin!~marvin@host.test JOIN #dev
                * joined #dev
                . settled
                > AWAY
                < 305 marvin :You are no longer marked as being away
                """)
    }

    @Test func `without the capability, the robot says nothing about that`() {
        play(start + "< CAP * LS :pre-away\n> CAP END\n< 001 marvin :Welcome\n< 376 marvin :End\n. settled")
    }
}
