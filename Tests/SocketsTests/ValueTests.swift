import HeybotSockets
import Testing

struct ValueTests {
    @Test func `an endpoint's description`() {
        #expect(Endpoint(host: "irc.libera.chat", port: 6697).description == "irc.libera.chat:6697")
        #expect(Endpoint(host: "::1", port: 6667).description == "[::1]:6667")
    }

    @Test func `a fingerprint is parsed in all usual notations`() {
        let digits = "00ff" + String(repeating: "a1B2", count: 15)
        let colons = "00:FF" + String(repeating: ":A1:B2", count: 15)
        for text in [digits, colons, "sha256:\(digits)", "SHA256 Fingerprint=\(colons)", "sha256 Fingerprint=\(colons)"]
        {
            #expect(Fingerprint(text)?.description == colons)
        }
        for text in ["", digits.dropLast(1) + "", digits + "00", "md5:\(digits)", digits.dropLast(1) + "g"] {
            #expect(Fingerprint(text) == nil)
        }
    }

    @Test func `errors name the endpoint and the fix`() {
        let server = Endpoint(host: "irc.example.org", port: 6697)
        let texts = [
            ConnectionError.untrusted(
                server, name: "irc.example.org", .wrongName(presented: ["other.example.org"])
            ): "irc.example.org:6697 can't be trusted: its certificate is for other.example.org, not irc.example.org",
            .untrusted(server, name: "irc.example.org", .unknownAuthority):
                "irc.example.org:6697 can't be trusted: its certificate is signed by an unknown authority; "
                + "if the server is your own, use its CA certificate as the CA file",
            .unreachable(server, reason: "connection refused"):
                "irc.example.org:6697 can't be reached (connection refused): check host and port, and that the server is up",
            .timedOut(server, .connecting, .seconds(20)):
                "irc.example.org:6697 didn't answer within 20.0 seconds: check host and port, "
                + "and that no firewall is in between",
            .timedOut(server, .lookingUp, .seconds(20)):
                "irc.example.org:6697 can't be reached: no name server answered within 20.0 seconds: check that "
                + "the name servers in /etc/resolv.conf can be reached"
        ]
        for (error, text) in texts { #expect(error.description == text) }
    }
}
