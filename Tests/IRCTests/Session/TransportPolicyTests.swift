import HeybotIRC
import Testing

/// The server's demand for encryption (IRCv3 strict transport security).
@Suite struct TransportPolicyTests {
    private func player(isSecure: Bool) -> SessionPlayer {
        var player = SessionPlayer(
            Session(SessionConfiguration(nick: "marvin"), nonce: "", isSecure: isSecure, at: .zero))
        player.begin()
        return player
    }

    @Test func `an unencrypted connection ends at once, before anything else is sent`() {
        play(
            start + """
                < CAP * LS * :multi-prefix sts=port=6697,duration=300
                * the server demands TLS (IRCv3 STS): connecting to port 6697 instead
                x TLS on port 6697
                < CAP * LS :server-time
                < 001 marvin :Welcome
                """)
        // Also if the server demands it later.
        play(
            welcomed + """
                < CAP marvin NEW :sts=port=7000
                * the server demands TLS (IRCv3 STS): connecting to port 7000 instead
                x TLS on port 7000
                """)
    }

    @Test(arguments: [
        "sts", "sts=", "sts=port", "sts=port=", "sts=port=0", "sts=port=65536", "sts=port=-1", "sts=port=+6697",
        "sts=port=6697x", "sts=port=0x1a29", "sts=port=99999999999999999999999", "sts=duration=300",
        "sts=port=6697,port=6698", "sts=PORT=6697", "draft/sts=port=6697"
    ])
    func `a demand without a valid port is ignored on an unencrypted connection`(capability: String) {
        play(
            start + """
                < CAP * LS :\(capability)
                > CAP END
                """)
    }

    @Test func `over an encrypted connection, the duration counts, and it can be 0`() {
        var player = player(isSecure: true)
        player.play(
            start + """
                < CAP * LS :sts=duration=2592000,port=6667,preload server-time
                * TLS for 2592000 s
                > CAP REQ server-time
                < CAP * ACK :server-time
                > CAP END
                < CAP * NEW :sts=duration=0
                * TLS for 0 s
                < CAP * DEL :sts
                < CAP * NEW :sts=duration=999999999999
                * TLS for 315360000 s
                """)
    }

    @Test(arguments: [
        "sts=port=6697", "sts=duration", "sts=duration=", "sts=duration=-1", "sts=duration=1e9",
        "sts=duration=99999999999999999999", "sts=duration=300,duration=0", "sts=duration= 300"
    ])
    func `an invalid duration is ignored`(capability: String) {
        var player = player(isSecure: true)
        player.play(
            start + """
                < CAP * LS :\(capability)
                > CAP END
                """)
    }
}
