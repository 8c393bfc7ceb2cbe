import HeybotSASL
import Testing

@testable import HeybotXMPP

/// Logins that are bound to the encrypted connection, and servers whose offer somebody has changed.
@Suite struct ChannelBindingTests {
    private let exporter: [UInt8] = [1, 2, 3]
    private let serverEndPoint: [UInt8] = [4, 5]
    private var bindings: [ChannelBinding] {
        [ChannelBinding(.exporter, exporter), ChannelBinding(.serverEndPoint, serverEndPoint)]
    }

    private let open = "> <stream:stream to='ship.org' from='marvin@ship.org'>\n"
    private let bound = """
        < <stream:features><bind:bind/></stream:features>
        > <iq type='set' id='bind'><bind:bind/></iq>
        < <iq type='result' id='bind'><bind:bind><bind:jid>marvin@ship.org/r1</bind:jid></bind:bind></iq>
        > <presence>{caps}</presence>
        * logged in as marvin@ship.org/r1, in no room
        . ready

        """

    /// The features of a server with mechanisms, and with kinds of bindings unless these are nil.
    private func offer(_ mechanisms: [String], _ kinds: [String]?) -> String {
        let types = (kinds ?? []).map { "<cb:channel-binding type='\($0)'/>" }.joined()
        let names = mechanisms.map { "<sasl:mechanism>\($0)</sasl:mechanism>" }.joined()
        return "< <stream:features>"
            + (kinds == nil ? "" : "<cb:sasl-channel-binding>\(types)</cb:sasl-channel-binding>")
            + "<sasl:mechanisms>\(names)</sasl:mechanisms></stream:features>\n"
    }

    private func scram(
        _ mechanism: String, round: Int = 1, header: String, binding: [UInt8] = [], digest: String? = nil
    ) -> ScramServer {
        ScramServer(
            mechanism, nonce: TranscriptPlayer.nonce + "\(round)", header: header, binding: binding, digest: digest)
    }

    private func auth(_ scram: ScramServer) -> String {
        "> <sasl:auth mechanism='\(scram.mechanism)'>\(scram.first)</sasl:auth>\n"
    }

    /// The rest of a successful login.
    private func success(_ scram: ScramServer) -> String {
        """
        < <sasl:challenge>\(scram.challenge)</sasl:challenge>
        > <sasl:response>\(scram.response)</sasl:response>
        < <sasl:success>\(scram.signature)</sasl:success>
        \(open)\(bound)
        """
    }

    @Test(arguments: [
        (["tls-server-end-point", "tls-exporter"], "tls-exporter"), (["tls-unique", "tls-exporter"], "tls-exporter"),
        (["tls-server-end-point"], "tls-server-end-point")
    ])
    func `the login is bound by the best way that both sides support`(_ kinds: [String], _ used: String) {
        let value = used == "tls-exporter" ? exporter : serverEndPoint
        let scram = scram("SCRAM-SHA-256-PLUS", header: "p=\(used),,", binding: value)
        let session = play(
            .marvin, bindings: bindings,
            open + offer(["PLAIN", "SCRAM-SHA-512", "SCRAM-SHA-256-PLUS", "SCRAM-SHA-1-PLUS"], kinds) + auth(scram)
                + success(scram))
        #expect(session.mechanism == .boundSCRAMSHA256)
    }

    /// As Prosody 0.12 and ejabberd 23.01 do, which bind logins only by `tls-unique`, and don't say so.
    @Test(arguments: [nil, [], ["tls-unique"], ["TLS-EXPORTER"]] as [[String]?])
    func `a server whose ways of binding are unknown gets a login without`(_ kinds: [String]?) {
        let scram = scram("SCRAM-SHA-256", header: "n,,")
        play(
            .marvin, bindings: bindings,
            open + offer(["SCRAM-SHA-256-PLUS", "SCRAM-SHA-256"], kinds) + auth(scram) + success(scram))
    }

    @Test func `a server that offers no binding learns that the robot could bind its login`() {
        let scram = scram("SCRAM-SHA-256", header: "y,,")
        play(
            .marvin, bindings: bindings,
            open + offer(["SCRAM-SHA-256"], ["tls-exporter"]) + auth(scram) + success(scram))
    }

    @Test func `without a value of the connection, nothing is bound`() {
        let scram = scram("SCRAM-SHA-1", header: "n,,")
        play(
            .marvin, open + offer(["SCRAM-SHA-1-PLUS", "SCRAM-SHA-1"], ["tls-exporter"]) + auth(scram) + success(scram))
        play(
            .marvin,
            open + offer(["SCRAM-SHA-1-PLUS"], ["tls-exporter"])
                + "x login failed: the server offers SCRAM-SHA-1-PLUS, none of which is supported, for good")
    }

    @Test func `a refused login that is bound is followed by no login that isn't`() {
        let first = scram("SCRAM-SHA-256-PLUS", header: "p=tls-exporter,,", binding: exporter)
        let second = scram("SCRAM-SHA-1-PLUS", round: 2, header: "p=tls-exporter,,", binding: exporter)
        play(
            .marvin, bindings: bindings,
            open + offer(["SCRAM-SHA-512", "SCRAM-SHA-256-PLUS", "SCRAM-SHA-1-PLUS", "PLAIN"], ["tls-exporter"])
                + auth(first) + "< <sasl:failure><sasl:invalid-mechanism/></sasl:failure>\n" + auth(second) + """
                    < <sasl:failure><sasl:malformed-request/></sasl:failure>
                    x login failed: SCRAM-SHA-256-PLUS: invalid-mechanism; SCRAM-SHA-1-PLUS: malformed-request, for good
                    """)
    }

    @Test func `a server on another connection than the robot's gets no further`() {
        let scram = scram("SCRAM-SHA-1-PLUS", header: "p=tls-exporter,,", binding: exporter)
        let begun =
            open + offer(["SCRAM-SHA-1-PLUS", "SCRAM-SHA-1", "PLAIN"], ["tls-exporter"]) + auth(scram) + """
                < <sasl:challenge>\(scram.challenge)</sasl:challenge>
                > <sasl:response>\(scram.response)</sasl:response>

                """
        play(
            .marvin, bindings: bindings,
            begun + """
                < <sasl:failure><sasl:not-authorized/></sasl:failure>
                x the server rejected the account or its password (not-authorized with SCRAM-SHA-1-PLUS): check both, for good
                """)
        let error = ScramServer.base64("e=channel-bindings-dont-match")
        play(
            .marvin, bindings: bindings,
            begun + """
                < <sasl:success>\(error)</sasl:success>
                x login failed: SCRAM-SHA-1-PLUS: the server refused the login: channel-bindings-dont-match, for good
                """)
        // The signature of a server that has another value for the connection.
        let other = self.scram("SCRAM-SHA-1-PLUS", header: "p=tls-exporter,,", binding: [9]).signature
        play(
            .marvin, bindings: bindings,
            begun + """
                < <sasl:success>\(other)</sasl:success>
                x login failed: SCRAM-SHA-1-PLUS: the server didn't prove that it knows the password, so it may be an impostor, for good
                """)
    }

    @Test func `if a mechanism is configured that isn't bound, no login is`() {
        var profile = SessionConfiguration.marvin
        profile.mechanism = .scramSHA1
        let scram = scram("SCRAM-SHA-1", header: "n,,")
        for mechanisms in [["SCRAM-SHA-256-PLUS", "SCRAM-SHA-1"], ["SCRAM-SHA-1"]] {
            play(
                profile, bindings: bindings,
                open + offer(mechanisms, ["tls-exporter"]) + auth(scram) + success(scram))
        }
        profile.mechanism = .boundSCRAMSHA1
        let bound = self.scram("SCRAM-SHA-1-PLUS", header: "p=tls-exporter,,", binding: exporter)
        play(
            profile, bindings: bindings,
            open + offer(["SCRAM-SHA-256-PLUS", "SCRAM-SHA-1-PLUS"], ["tls-exporter"]) + auth(bound) + success(bound))
    }

    @Test func `a login that isn't bound any more is logged`() {
        let scram = scram("SCRAM-SHA-512", header: "y,,")
        var stage = TranscriptPlayer(.marvin, lastMechanism: .boundSCRAMSHA1, bindings: bindings)
        stage.play(
            open + offer(["SCRAM-SHA-512"], nil) + auth(scram)
                + success(scram).replacing(
                    "> <presence>",
                    with: """
                        * logged in with SCRAM-SHA-512, but last time with SCRAM-SHA-1-PLUS: possible man-in-the-middle attack
                        > <presence>
                        """))
    }

    // MARK: Changed offers (XEP-0474)

    /// The hash of the example in XEP-0474.
    private let digest = "G6k/rBLDqgOhRRaCuuatSDFkJ08="

    @Test func `an offer that arrives as it was sent is accepted`() {
        let scram = scram("SCRAM-SHA-1-PLUS", header: "p=tls-exporter,,", binding: exporter, digest: digest)
        play(
            .marvin, bindings: bindings,
            open + offer(["SCRAM-SHA-1-PLUS", "SCRAM-SHA-1"], ["tls-server-end-point", "tls-exporter"]) + auth(scram)
                + success(scram))
    }

    @Test(
        arguments: [
            (["SCRAM-SHA-1"], ["tls-server-end-point", "tls-exporter"], "y,,"),
            (["SCRAM-SHA-1", "SCRAM-SHA-1-PLUS"], ["tls-unique"], "n,,"),
            (["SCRAM-SHA-1", "SCRAM-SHA-1-PLUS"], nil, "n,,")
        ] as [([String], [String]?, String)])
    func `an offer that somebody has changed ends the login before a proof is sent`(
        _ mechanisms: [String], _ kinds: [String]?, _ header: String
    ) {
        let scram = scram("SCRAM-SHA-1", header: header, digest: digest)
        play(
            .marvin, bindings: bindings,
            open + offer(mechanisms, kinds) + auth(scram) + """
                < <sasl:challenge>\(scram.challenge)</sasl:challenge>
                x login failed: SCRAM-SHA-1: the server has offered other ways to log in than the robot has received, so someone may be intercepting the connection, for good
                """)
    }
}
