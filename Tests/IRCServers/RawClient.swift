import Foundation

/// A client that says just what a test has it say.
public final class RawClient: Conversation, @unchecked Sendable {
    private let tool: Child?

    /// Connects, and answers every PING where nothing else is asked for.
    public init(port: Int, answersPings: Bool = true) throws {
        tool = nil
        super.init(try Port.connect(to: port))
        if answersPings { answerPings() }
    }

    /// Connects with TLS, by the `openssl` command, which checks the server's certificate.
    ///
    /// - Parameters:
    ///   - name: the host name that the certificate has to be for.
    ///   - certificate: what the client shows of itself.
    public init(
        tlsPort: Int, caFile: String, name: String = "localhost",
        certificate: CertificateAuthority.Certificate? = nil, answersPings: Bool = true
    ) throws {
        var ends: [Int32] = [-1, -1]
        guard socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0, &ends) == 0 else {
            throw ServersError.failed("there are no more sockets")
        }
        defer { Foundation.close(ends[1]) }
        let mine = certificate.map { ["-cert", $0.file, "-key", $0.keyFile] } ?? []
        tool = try Child(
            [
                "openssl", "s_client", "-quiet", "-verify_quiet", "-verify_return_error", "-CAfile", caFile,
                "-verify_hostname", name, "-servername", name, "-connect", "127.0.0.1:\(tlsPort)"
            ] + mine, input: ends[1], output: ends[1], isServer: false)
        super.init(ends[0])
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
