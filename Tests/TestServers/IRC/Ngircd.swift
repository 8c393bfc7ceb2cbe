import Foundation

extension IRCServer {
    /// Whether Debian's ngircd is installed here.
    public static let hasNgircd = mayUse("/usr/sbin/ngircd")

    /// Starts an ngircd: a plain server, without SASL and with few of IRCv3's capabilities (`multi-prefix`).
    ///
    /// - Parameters:
    ///   - tls: the certificate of its TLS port.
    ///   - penalties: whether it makes clients that say much wait, as it does out there.
    ///   - nickLength: how long a nick may be; 9 if it isn't configured.
    ///   - password: what clients have to say first (PASS).
    ///   - pingAfter: after how many seconds of silence it asks whether a client is still there. An answer and a registration
    ///     may take 300 seconds, because the machine may be busy.
    /// - Throws: ``TestServerError`` if it isn't installed or doesn't start.
    public static func ngircd(
        tls: ServerCertificate = .none, penalties: Bool = true, nickLength: Int = 30, password: String? = nil,
        pingAfter: Int = 120
    ) async throws -> IRCServer {
        guard hasNgircd else { throw TestServerError.missing("ngircd") }
        return try await started {
            let folder = try ScratchFolder()
            let port = try Port.free()
            // An empty include folder, because it would read the system's otherwise.
            let more = try folder.makeFolder("more")
            let issued = try await tls.issued(in: folder, for: ["irc.test"])
            let tlsPort = try issued.map { _ in try Port.free() }
            let file = try folder.write(
                configuration(port, tlsPort, issued?.1, penalties, nickLength, password, pingAfter, more),
                to: "ngircd.conf")
            let program = Program(
                words: ["/usr/sbin/ngircd", "-n", "-f", file], ports: [port] + (tlsPort.map { [$0] } ?? []))
            return IRCServer(folder, [program], port: port, tlsPort: tlsPort, authority: issued?.0)
        }
    }

    private static func configuration(
        _ port: Int, _ tlsPort: Int?, _ certificate: CertificateAuthority.Certificate?, _ penalties: Bool,
        _ nickLength: Int, _ password: String?, _ pingAfter: Int, _ more: String
    ) -> String {
        var text = """
            [Global]
            Name = irc.test
            Info = a server of the tests
            AdminEMail = tests@irc.test
            Network = Tests
            Listen = 127.0.0.1
            Ports = \(port)
            MotdPhrase = Welcome to the tests
            \(password.map { "Password = \($0)" } ?? "")
            [Limits]
            MaxConnectionsIP = 0
            MaxJoins = 0
            MaxNickLength = \(nickLength)
            PingTimeout = \(pingAfter)
            PongTimeout = 300
            \(penalties ? "" : "MaxPenaltyTime = 0")
            [Options]
            Ident = no
            DNS = no
            PAM = no
            OperCanUseMode = yes
            IncludeDir = \(more)
            [Operator]
            Name = \(oper.name)
            Password = \(oper.password)

            """
        if let tlsPort, let certificate {
            text += """
                [SSL]
                CertFile = \(certificate.file)
                KeyFile = \(certificate.keyFile)
                Ports = \(tlsPort)

                """
        }
        return text
    }
}
