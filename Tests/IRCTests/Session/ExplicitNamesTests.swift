import HeybotIRC
import Testing

/// Servers that list a channel's members only if they are asked to (IRCv3 no-implicit-names).
@Suite struct ExplicitNamesTests {
    @Test(arguments: ["no-implicit-names", "draft/no-implicit-names"])
    func `the robot asks for the members of the channels that it has joined`(_ capability: String) {
        let session = play(
            .inDev,
            start + """
                < CAP * LS :\(capability)
                > CAP REQ \(capability)
                < CAP * ACK :\(capability)
                > CAP END
                < 001 marvin :Welcome
                < 376 marvin :End
                > JOIN #dev
                < :marvin!~marvin@host.test JOIN #dev
                * joined #dev
                . settled
                > NAMES #dev
                < 353 marvin = #dev :marvin ada @bob
                < 366 marvin #dev :End of NAMES
                """)
        #expect(session.members.channels["#dev"]?.keys.sorted() == ["ada", "bob", "marvin"])
    }
}
