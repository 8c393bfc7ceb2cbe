import NetworkAdapter
import Sockets
import Testing

@Suite struct TroubleTests {
    /// A setting is named only by what it sets.
    @Test func `the cure of a certificate that isn't trusted names the settings there are`() {
        let server = Endpoint(host: "chat.example.org", port: 5222)
        let error = ConnectionError.untrusted(server, name: "example.org", .selfSigned)
        let xmpp = Trouble(error, authoritySetting: "HEYBOT_XMPP_CA_FILE")
        #expect("\(xmpp)".hasSuffix("is signed by itself; if it is your own, give its file (HEYBOT_XMPP_CA_FILE)"))
        let irc = Trouble(error, authoritySetting: "HEYBOT_IRC_CA_FILE", fingerprintSetting: "HEYBOT_IRC_FINGERPRINT")
        #expect(
            "\(irc)".hasSuffix(
                "give its file (HEYBOT_IRC_CA_FILE), or pin its fingerprint (HEYBOT_IRC_FINGERPRINT)"))
        let other = ConnectionError.untrusted(server, name: "example.org", .expired)
        let expired = Trouble(
            other, authoritySetting: "HEYBOT_IRC_CA_FILE", fingerprintSetting: "HEYBOT_IRC_FINGERPRINT")
        #expect(!"\(expired)".contains("HEYBOT"))
    }
}
