import NIOSSL
import Testing

@testable import HeybotSockets

@Suite(.timeLimit(.minutes(15))) struct TLSTests {
    private let files = Certificates.shared
    private var ownAuthority: TLSOptions.Trust { .authorities(file: files.file("ca.pem")) }

    /// Connects to a server with this certificate, and sends hello; returns the error, if any.
    private func trouble(_ certificate: String, _ tls: TLSOptions, host: String = "localhost") async throws
        -> ConnectionError?
    {
        try await withServer(files.server(certificate), serve: { try await $0.echo() }) { endpoint in
            await failure {
                let connection = try await Connection.opened(Endpoint(host: host, port: endpoint.port), tls: tls)
                connection.send(Array("hello".utf8))
                let text = try await connection.text(5)
                #expect(text == "hello")
            }
        }
    }

    private func reason(
        _ certificate: String, _ tls: TLSOptions, host: String = "localhost", name: String? = nil
    ) async throws -> ConnectionError.CertificateProblem? {
        guard case .untrusted(_, let told, let reason)? = try await trouble(certificate, tls, host: host) else {
            return nil
        }
        #expect(told == name ?? host)
        return reason
    }

    // MARK: Trusted

    @Test func `a valid certificate is accepted`() async throws {
        #expect(try await trouble("good", TLSOptions(trust: ownAuthority)) == nil)
    }

    @Test func `an address is accepted if the certificate is for it`() async throws {
        #expect(try await trouble("good", TLSOptions(trust: ownAuthority), host: "127.0.0.1") == nil)
        #expect(try await trouble("address", TLSOptions(trust: ownAuthority), host: "127.0.0.1") == nil)
    }

    @Test func `the name can be overridden`() async throws {
        #expect(
            try await trouble("wrong", TLSOptions(trust: ownAuthority, name: "other.example.org"), host: "127.0.0.1")
                == nil)
        #expect(
            try await trouble("good", TLSOptions(trust: ownAuthority, name: "localhost."), host: "127.0.0.1") == nil)
    }

    @Test(arguments: ["good", "wrong", "expired", "self"])
    func `a pinned certificate is accepted, whatever it contains`(_ name: String) async throws {
        let certificate = try #require(NIOSSLCertificate.fromPEMFile(files.file("\(name).pem")).first)
        let pinned = try #require(Fingerprint(of: certificate))
        #expect(try await trouble(name, TLSOptions(trust: .fingerprint(pinned))) == nil)
        #expect(try await trouble(name, TLSOptions(trust: .fingerprint(pinned)), host: "127.0.0.1") == nil)
    }

    @Test(arguments: ["good", "wrong", "expired", "self"])
    func `any certificate is accepted if verification is disabled`(
        _ name: String
    ) async throws {
        #expect(try await trouble(name, TLSOptions(trust: .anyone)) == nil)
    }

    @Test func `a self-signed certificate is accepted as its own authority`() async throws {
        #expect(try await trouble("self", TLSOptions(trust: .authorities(file: files.file("self.pem")))) == nil)
    }

    // MARK: Not trusted

    @Test func `an unknown authority`() async throws {
        #expect(try await reason("strange", TLSOptions(trust: ownAuthority)) == .unknownAuthority)
        #expect(try await reason("good", TLSOptions()) == .unknownAuthority)
    }

    @Test func `self-signed`() async throws {
        #expect(try await reason("self", TLSOptions(trust: ownAuthority)) == .selfSigned)
        #expect(try await reason("self", TLSOptions()) == .selfSigned)
    }

    @Test func `expired, and not valid yet`() async throws {
        #expect(try await reason("expired", TLSOptions(trust: ownAuthority)) == .expired)
        #expect(try await reason("early", TLSOptions(trust: ownAuthority)) == .notYetValid)
    }

    @Test func `for another name`() async throws {
        let names = ["other.example.org", "www.other.example.org"]
        #expect(try await reason("wrong", TLSOptions(trust: ownAuthority)) == .wrongName(presented: names))
        #expect(
            try await reason("good", TLSOptions(trust: ownAuthority, name: "irc.example.org"), name: "irc.example.org")
                == .wrongName(presented: ["localhost", "127.0.0.1"]))
    }

    @Test func `a name, for an address`() async throws {
        #expect(
            try await reason("named", TLSOptions(trust: ownAuthority), host: "127.0.0.1")
                == .wrongName(presented: ["localhost"]))
    }

    @Test func `a certificate for the connection's address isn't enough for a name`() async throws {
        #expect(
            try await reason("address", TLSOptions(trust: ownAuthority), host: "localhost")
                == .wrongName(presented: ["127.0.0.1"]))
    }

    @Test func `a certificate for another address`() async throws {
        #expect(
            try await reason("good", TLSOptions(trust: ownAuthority, name: "192.0.2.1"), name: "192.0.2.1")
                == .wrongName(presented: ["localhost", "127.0.0.1"]))
    }

    @Test func `a certificate that isn't the pinned one`() async throws {
        let certificate = try #require(NIOSSLCertificate.fromPEMFile(files.file("good.pem")).first)
        let found = try #require(Fingerprint(of: certificate))
        let pinned = try #require(Fingerprint(String(repeating: "ab", count: 32)))
        #expect(try await reason("good", TLSOptions(trust: .fingerprint(pinned))) == .wrongFingerprint(found: found))
    }

    @Test(arguments: ["", "*.example.org", "bücher.example.org", "a b"])
    func `an invalid server name`(_ name: String) async throws {
        switch try await trouble("good", TLSOptions(trust: ownAuthority, name: name)) {
        case .untrusted, .handshake: break
        case let other: Issue.record("\(String(describing: other))")
        }
    }

    // MARK: Who we are

    @Test(arguments: [("client.pem", "client.key"), ("both.pem", "both.pem")])
    func `the server receives the client certificate`(_ certificate: String, _ key: String) async throws {
        let clientCertificate = TLSOptions.ClientCertificate(
            certificateFile: files.file(certificate), keyFile: files.file(key))
        try await withServer(files.server("good", clientsFrom: "ca.pem")) { peer in
            try await peer.first()
            let certificate = try await peer.channel.nioSSL_peerCertificate().get()
            try await peer.write(certificate?.subjectName.first?.value ?? "nobody")
        } _: { endpoint in
            let connection = try await Connection.opened(
                endpoint, tls: TLSOptions(trust: ownAuthority, clientCertificate: clientCertificate))
            connection.send([1])
            #expect(try await connection.text() == "robot")
        }
    }

    @Test func `a server that requires a client certificate rejects none and a wrong one`() async throws {
        let stranger = TLSOptions.ClientCertificate(
            certificateFile: files.file("strange.pem"), keyFile: files.file("strange.key"))
        try await withServer(files.server("good", clientsFrom: "ca.pem"), serve: { try await $0.echo() }) { endpoint in
            for (clientCertificate, words) in [
                (nil, "requires a client certificate"), (stranger, "rejected the client certificate")
            ] {
                let error = await failure {
                    let connection = try await Connection.opened(
                        endpoint, tls: TLSOptions(trust: ownAuthority, clientCertificate: clientCertificate))
                    // Nothing is sent: what arrives after the server has closed would reset the connection, and its
                    // reason could be lost.
                    _ = try await connection.read()
                }
                guard case .handshake(endpoint, let reason)? = error else {
                    Issue.record("\(String(describing: error))")
                    continue
                }
                #expect(reason.contains(words))
            }
        }
    }

    // MARK: Not TLS at all

    @Test func `a server that doesn't speak TLS`() async throws {
        try await withServer { peer in
            try await peer.write(":irc.example.org NOTICE * :*** Looking up your hostname...\r\n")
            try await peer.sleep()
        } _: { endpoint in
            #expect(
                await failure {
                    try await Connection.opened(endpoint, tls: TLSOptions())
                }
                    == .notTLS(endpoint))
        }
    }

    @Test func `a server that closes the connection`() async throws {
        try await withServer { peer in
            try await peer.first()
            try await peer.vanish()
        } _: { endpoint in
            #expect(
                await failure {
                    try await Connection.opened(endpoint, tls: TLSOptions())
                }
                    == .handshake(endpoint, reason: "the server closed the connection"))
        }
    }

    @Test func `the handshake times out`() async throws {
        try await withServer(serve: { try await $0.sleep() }) { endpoint in
            let time = Duration.milliseconds(200)
            #expect(
                await failure {
                    try await Connection.opened(endpoint, tls: TLSOptions(), handshakeTimeout: time)
                } == .timedOut(endpoint, .handshaking, time))
        }
    }

    @Test func `TLS older than 1_2`() async throws {
        var old = try files.server("good")
        old.minimumTLSVersion = .tlsv1
        old.maximumTLSVersion = .tlsv11
        try await withServer(old, serve: { try await $0.echo() }) { endpoint in
            let error = await failure {
                try await Connection.opened(endpoint, tls: TLSOptions(trust: .anyone))
            }
            guard case .handshake(endpoint, let reason)? = error else {
                Issue.record("\(String(describing: error))")
                return
            }
            #expect(reason.contains("doesn't support TLS 1.2"))
        }
    }

    // MARK: Files

    @Test func `valid files`() throws {
        try TLSOptions().check()
        try TLSOptions(
            trust: ownAuthority,
            clientCertificate: .init(certificateFile: files.file("client.pem"), keyFile: files.file("client.key"))
        ).check()
    }

    @Test func `invalid files are reported with the fix`() async throws {
        func trouble(_ certificate: String, _ key: String) -> String? {
            let clientCertificate = TLSOptions.ClientCertificate(
                certificateFile: files.file(certificate), keyFile: files.file(key))
            return told(TLSOptions(clientCertificate: clientCertificate))
        }
        func told(_ tls: TLSOptions) -> String? {
            do throws(TLSFileError) {
                try tls.check()
                return nil
            } catch {
                return error.description
            }
        }
        #expect(trouble("none.pem", "client.key") == "\(files.file("none.pem")) doesn't exist: check the path")
        #expect(trouble("client.pem", "none.key") == "\(files.file("none.key")) doesn't exist: check the path")
        #expect(trouble("client.key", "client.key")?.contains("client.key contains no readable certificate") == true)
        #expect(trouble("client.pem", "client.pem")?.contains("client.pem contains no readable key") == true)
        #expect(
            trouble("client.pem", "locked.key")?.contains("locked.key contains an encrypted key: decrypt it") == true)
        #expect(trouble("client.pem", "good.key")?.contains("good.key contains a key that doesn't belong to") == true)
        #expect(told(TLSOptions(trust: .authorities(file: "/"))) == "/ is a directory: set a file")
        #expect(
            told(TLSOptions(trust: .authorities(file: "/dev/null")))?.contains(
                "/dev/null contains no readable certificate")
                == true)
        let endpoint = Endpoint(host: "127.0.0.1", port: 1)
        let error = await failure {
            try await Connection.opened(endpoint, tls: TLSOptions(trust: .authorities(file: "/none.pem")))
        }
        #expect(error?.description == "/none.pem doesn't exist: check the path")
    }
}
