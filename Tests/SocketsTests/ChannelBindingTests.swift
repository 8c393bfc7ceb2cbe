import HeybotSupport
import NIOCore
import NIOSSL
import Synchronization
import Testing

@testable import HeybotSockets

/// The values of a TLS connection that a login can be bound to.
@Suite(.timeLimit(.minutes(15))) struct ChannelBindingTests {
    private let files = Certificates.shared

    private func bytes(_ digits: String) -> [UInt8] {
        let values = digits.compactMap(\.hexDigitValue)
        return stride(from: 0, to: values.count, by: 2).map { UInt8(values[$0] * 16 + values[$0 + 1]) }
    }

    /// The secret and the exported value of two connections of OpenSSL 3.0, as `openssl s_client -keymatexport` shows them.
    @Test(arguments: [
        (
            "679cb9bb5157ace69228c6982f638047ce195a89fe30b97d93200987f49a71f1",
            "9ded27c778688775de348af6a89acb84250b545ec8519a6b017575228c3b04fd"
        ),
        (
            "99420343eab6f527ee7e1339d9eaa08d49021d3a73a31a257c0524d622ae2db056d9d1900201e587198fce70b14574cf",
            "2e9d9d9af4e65ad348dbfd1837fc7e43e669bc266b8fbf298cae509198a12671"
        )
    ])
    func `the exported value is OpenSSL's`(_ secret: String, _ value: String) {
        #expect(ExporterSecret.channelBinding(from: bytes(secret)) == bytes(value))
    }

    @Test func `a secret of another length has no value`() {
        for count in [0, 16, 31, 33, 64] {
            #expect(ExporterSecret.channelBinding(from: [UInt8](repeating: 1, count: count)) == nil)
        }
    }

    /// The bindings of a connection, and the secrets that its server has logged.
    private func connect(_ version: TLSVersion) async throws -> (bindings: TLSChannelBindings, secrets: [[UInt8]]) {
        let log = LineLog()
        var server = try files.server("good")
        server.minimumTLSVersion = version
        server.maximumTLSVersion = version
        server.keyLogCallback = { log.add(String(buffer: $0)) }
        let tls = TLSOptions(trust: .authorities(file: files.file("ca.pem")))
        let bindings = try await withServer(server, serve: { try await $0.echo() }) { endpoint in
            let connection = try await Connection.opened(Endpoint(host: "localhost", port: endpoint.port), tls: tls)
            connection.send(Array("hello".utf8))
            // The server's handshake has ended when it answers.
            _ = try await connection.text(5)
            let bindings = await connection.channelBindings()
            connection.close()
            return bindings
        }
        let secrets = log.lines.compactMap { line -> [UInt8]? in
            let words = line.split(whereSeparator: \.isWhitespace)
            return words.first == "EXPORTER_SECRET" ? words.last.map { bytes(String($0)) } : nil
        }
        return (bindings, secrets)
    }

    @Test func `with TLS 1.3, both ends export the same value, and each connection another one`() async throws {
        var values: Set<[UInt8]> = []
        for _ in 0..<2 {
            let (bindings, secrets) = try await connect(.tlsv13)
            let value = try #require(bindings.exporter)
            #expect(secrets.map { ExporterSecret.channelBinding(from: $0) } == [value])
            values.insert(value)
        }
        #expect(values.count == 2)
    }

    @Test func `with TLS 1.2, only the certificate identifies the connection`() async throws {
        // Leaves no secret for the next connection.
        _ = try await connect(.tlsv13)
        let (bindings, _) = try await connect(.tlsv12)
        #expect(bindings.exporter == nil)
        let certificate = try #require(NIOSSLCertificate.fromPEMFile(files.file("good.pem")).first)
        #expect(bindings.serverEndPoint == CryptographicHash.sha256.hash(try certificate.toDERBytes()))
    }

    @Test func `a connection without TLS has no bindings`() async throws {
        try await withServer(serve: { try await $0.echo() }) { endpoint in
            let connection = try await Connection.opened(endpoint)
            #expect(await connection.channelBindings() == TLSChannelBindings())
            connection.close()
        }
    }

    // MARK: Certificates

    /// A certificate with nothing but a name of its signature's algorithm.
    private func certificate(_ name: [UInt8]) -> [UInt8] {
        let identifier: [UInt8] = [0x06, UInt8(name.count)] + name
        let algorithm: [UInt8] = [0x30, UInt8(identifier.count)] + identifier
        // A length in the long form.
        var content: [UInt8] = [0x30, 0x81, 0x01, 0x00]
        content += algorithm
        content += [0x03, 0x01, 0x00]
        return [0x30, 0x82, 0x00, UInt8(content.count)] + content
    }

    private static let rsa = "2a864886f70d0101"
    private static let ecdsa = "2a8648ce3d04"

    @Test(
        arguments: [
            ("\(rsa)04", .sha256), ("\(rsa)05", .sha256), ("\(rsa)0b", .sha256), ("\(rsa)0c", .sha384),
            ("\(rsa)0d", .sha512), ("\(ecdsa)01", .sha256), ("\(ecdsa)0302", .sha256), ("\(ecdsa)0303", .sha384),
            ("\(ecdsa)0304", .sha512), ("\(rsa)0a", nil), (rsa, nil), ("\(rsa)0b0b", nil), ("\(ecdsa)03", nil),
            ("2b6570", nil), ("", nil)
        ] as [(String, CryptographicHash?)])
    func `the hash function is that of the certificate's signature`(_ name: String, _ function: CryptographicHash?) {
        let certificate = certificate(bytes(name))
        #expect(TLSChannelBindings.serverEndPoint(of: certificate) == function.map { $0.hash(certificate) })
    }

    @Test func `certificates that are cut off have no value`() {
        let certificate = certificate(bytes("\(Self.rsa)0b"))
        for count in 0..<certificate.count {
            #expect(TLSChannelBindings.serverEndPoint(of: Array(certificate.prefix(count))) == nil)
        }
        for bad: [UInt8] in [[0x30, 0x80], [0x30, 0xff] + [UInt8](repeating: 0xff, count: 200), [0x31, 0x00]] {
            #expect(TLSChannelBindings.serverEndPoint(of: bad) == nil)
        }
    }
}

/// Collects lines from any thread.
private final class LineLog: Sendable {
    private let all = Mutex<[String]>([])

    var lines: [String] { all.withLock { $0 } }

    func add(_ line: String) { all.withLock { $0.append(line) } }
}
