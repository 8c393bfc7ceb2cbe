import HeybotSockets
import NetworkAdapter
import Testing

@Suite struct TroubleTests {
    /// A setting is named only by what it sets.
    @Test func `the cure of a certificate that isn't trusted names the settings there are`() {
        let server = Endpoint(host: "chat.example.org", port: 5222)
        let error = ConnectionError.untrusted(server, name: "example.org", .selfSigned)
        func names(fingerprint: String?) -> ConnectionOptionNames {
            ConnectionOptionNames(
                server: "SERVER", port: "PORT", authority: "CA", fingerprint: fingerprint, encrypt: "YES", decrypt: "NO"
            )
        }
        #expect(
            "\(Trouble(error, names(fingerprint: nil)))"
                .hasSuffix("is signed by itself; if it is your own, give its file (CA)"))
        #expect(
            "\(Trouble(error, names(fingerprint: "FP")))"
                .hasSuffix("give its file (CA), or pin its fingerprint (FP)"))
        let expired = ConnectionError.untrusted(server, name: "example.org", .expired)
        #expect(!"\(Trouble(expired, names(fingerprint: "FP")))".contains("(CA)"))
    }
}
