import HeybotSockets
import NetworkAdapter
import Testing

@Suite struct ConnectionFailureTests {
    /// An option that isn't set has no name in the fix.
    @Test func `the fix of a certificate that isn't trusted names the settings there are`() {
        let server = Endpoint(host: "chat.example.org", port: 5222)
        let error = ConnectionError.untrusted(server, name: "example.org", .selfSigned)
        func names(fingerprint: String?) -> ConnectionOptionNamesInHints {
            ConnectionOptionNamesInHints(
                server: "SERVER", port: "PORT", authority: "CA", fingerprint: fingerprint, encrypt: "YES", decrypt: "NO"
            )
        }
        #expect(
            "\(ConnectionFailure(error, names(fingerprint: nil)))"
                .hasSuffix("is self-signed; if the server is your own, use its certificate as the CA file (CA)"))
        #expect(
            "\(ConnectionFailure(error, names(fingerprint: "FP")))"
                .hasSuffix("use its certificate as the CA file (CA), or pin the server's certificate (FP)"))
        let expired = ConnectionError.untrusted(server, name: "example.org", .expired)
        #expect(!"\(ConnectionFailure(expired, names(fingerprint: "FP")))".contains("(CA)"))
    }
}
