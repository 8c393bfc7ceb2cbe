/// A client that says just what a test has it say.
public final class RawClient: Conversation, @unchecked Sendable {
    /// Connects, and answers every PING if nothing else is asked for.
    public convenience init(port: Int, answersPings: Bool = true) throws {
        try self.init(connectingTo: port)
        if answersPings { answerPings() }
    }

    /// Connects with TLS, by the `openssl` command, which checks the server's certificate.
    ///
    /// - Parameters:
    ///   - name: the host name that the certificate has to be for.
    ///   - certificate: what the client shows of itself.
    public convenience init(
        tlsPort: Int, caFile: String, name: String = "localhost",
        certificate: CertificateAuthority.Certificate? = nil, answersPings: Bool = true
    ) throws {
        try self.init(connectingTo: tlsPort, trusting: caFile, name: name, certificate: certificate)
        if answersPings { answerPings() }
    }

    /// Registers with the server, and returns its welcome (001).
    @discardableResult
    public func register(_ nick: String) async throws -> String {
        send("NICK \(nick)", "USER \(nick) 0 * :\(nick) of the tests")
        let welcome = try await expect(" 001 \(nick) ")
        // The last of the message of the day, or that there is none.
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
