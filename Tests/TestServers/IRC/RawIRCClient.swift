/// A client that sends only what the test says.
public final class RawIRCClient: ScriptedConnection, @unchecked Sendable {
    /// Connects, and answers every PING unless disabled.
    public convenience init(port: Int, answersPings: Bool = true) throws {
        try self.init(connectingTo: port)
        if answersPings { answerPings() }
    }

    /// Connects with TLS, by the `openssl` command, which verifies the server's certificate.
    ///
    /// - Parameters:
    ///   - name: The host name that the certificate must be for.
    ///   - certificate: The client certificate.
    public convenience init(
        tlsPort: Int, caFile: String, name: String = "localhost",
        certificate: CertificateAuthority.Certificate? = nil, answersPings: Bool = true
    ) throws {
        try self.init(connectingTo: tlsPort, trusting: caFile, name: name, certificate: certificate)
        if answersPings { answerPings() }
    }

    /// Registers with the server, and returns its 001 (RPL_WELCOME).
    @discardableResult
    public func register(_ nick: String) async throws -> String {
        send("NICK \(nick)", "USER \(nick) 0 * :\(nick) of the tests")
        let welcome = try await expect(" 001 \(nick) ")
        // The end of the message of the day, or that there is none.
        try await expect(where: { $0.contains(" 376 ") || $0.contains(" 422 ") })
        return welcome
    }

    private func answerPings() {
        answer { line in
            let words = line.split(separator: " ")
            guard let place = words.prefix(2).firstIndex(of: "PING") else { return [] }
            return ["PONG \(words[(place + 1)...].joined(separator: " "))"]
        }
    }
}
