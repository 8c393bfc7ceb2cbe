import NIOCore
import NIOSSL

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// One server to shake hands with, and why that failed.
///
/// Whether a certificate will do is decided by BoringSSL and NIOSSL; here it is only refused if they would be content
/// with less than was asked for, and told which check it failed.
struct Handshake: Sendable {
    let endpoint: Endpoint
    /// Who the server must be.
    let name: String
    private let trust: TLS.Trust
    private let context: NIOSSLContext

    /// Reads files.
    init(_ tls: TLS, with endpoint: Endpoint) throws(ConnectionError) {
        self.endpoint = endpoint
        var name = tls.name ?? endpoint.host
        // The dot at the end of a full name is for the look-up only.
        if name.hasSuffix(".") { name.removeLast() }
        // As XMPP writes an address.
        if name.first == "[", name.last == "]" { name = String(name.dropFirst().dropLast()) }
        // Certificates have names as DNS has them.
        name = Lookup.hostName(name)
        self.name = name
        trust = tls.trust
        do {
            context = try TLSContext.make(for: tls)
        } catch {
            throw .badFiles(error)
        }
    }

    /// The name as an address, if it is one.
    private var address: SocketAddress? { try? SocketAddress(ipAddress: name, port: 0) }

    func makeHandler() throws(ConnectionError) -> NIOSSLClientHandler {
        let serverName = address == nil ? name : nil
        do {
            guard case .fingerprint(let pinned) = trust else {
                return try NIOSSLClientHandler(context: context, serverHostname: serverName)
            }
            return try NIOSSLClientHandler(
                context: context, serverHostname: serverName,
                customVerificationCallback: { certificates, promise in
                    let found = certificates.first.flatMap { Fingerprint(of: $0) }
                    promise.succeed(found?.matches(pinned) == true ? .certificateVerified : .failed)
                })
        } catch {
            throw .handshake(endpoint, reason: "\(name) can't be the name of a server: give another")
        }
    }

    // MARK: What NIOSSL lets through

    /// Refuses what NIOSSL took for the wrong reason; nil if it may stay.
    ///
    /// NIOSSL is content with a certificate for the address the connection happens to lead to. Without a name to check
    /// that is all it looks at, and beside one it is as good as the name: whoever can forge an answer of the name servers
    /// could lead us to an address for which they do have a certificate.
    func objection(to certificate: NIOSSLCertificate?, at remote: SocketAddress?) -> ConnectionError? {
        switch trust {
        case .fingerprint, .anyone: return nil
        case .system, .authorities: break
        }
        let names = certificate.map { CertificateNames($0) }
        if let address {
            if let remote, address.ipAddress == remote.ipAddress { return nil }
        } else {
            if let names, let ip = remote?.ipAddress, !names.addresses.contains(ip) || names.hasName(name) {
                return nil
            }
        }
        return .untrusted(endpoint, name: name, .wrongName(presented: names?.all))
    }

    // MARK: What went wrong

    func failure(_ error: any Error, _ certificate: NIOSSLCertificate?) -> ConnectionError {
        if let error = error as? NIOSSLExtraError,
            error == .failedToValidateHostname || error == .serverHostnameImpossibleToMatch
        {
            let presented = certificate.map { CertificateNames($0).all }
            return .untrusted(endpoint, name: name, .wrongName(presented: presented))
        }
        guard let alert = TLSAlert(error) else {
            return .handshake(endpoint, reason: Words.of(error))
        }
        switch alert {
        case .verificationFailed: return .untrusted(endpoint, name: name, reason(certificate))
        case .notTLS: return .notTLS(endpoint)
        case .other(let reason): return .handshake(endpoint, reason: reason)
        }
    }

    /// BoringSSL keeps to itself what displeased it; the certificate tells.
    private func reason(_ certificate: NIOSSLCertificate?) -> ConnectionError.Reason {
        guard let certificate else { return .other("it has none that can be read") }
        if case .fingerprint = trust {
            return Fingerprint(of: certificate).map { .wrongFingerprint(found: $0) } ?? .other("it can't be read")
        }
        let isSelfSigned = certificate.subjectName == certificate.issuerName
        if isSelfSigned, !isAuthority(certificate) { return .selfSigned }
        let now = time(nil)
        if certificate.notValidAfter < now { return .expired }
        if certificate.notValidBefore > now { return .notYetValid }
        return isSelfSigned ? .other("it isn't one that a server may have") : .unknownAuthority
    }

    private func isAuthority(_ certificate: NIOSSLCertificate) -> Bool {
        guard case .certificates(let roots)? = context.configuration.trustRoots else { return false }
        return roots.contains(certificate)
    }
}

/// How a connection is encrypted, and whom the server's certificate is for.
package struct Encryption: Hashable, Sendable {
    /// As one reads it: `TLS 1.3`.
    package let version: String
    /// The names and addresses that the certificate is for, or its common name; none if it can't be read.
    package let names: [String]
    /// The last second that the certificate is valid in, since 1970; nil if it can't be read.
    package let end: Int?

    /// What a handler's handshake has come to; nil if it isn't over.
    init?(_ handler: NIOSSLClientHandler) {
        guard let version = handler.tlsVersion else { return nil }
        self.version =
            switch version {
            case .tlsv1: "TLS 1.0"
            case .tlsv11: "TLS 1.1"
            case .tlsv12: "TLS 1.2"
            case .tlsv13: "TLS 1.3"
            }
        let certificate = handler.peerCertificate
        names = certificate.map { CertificateNames($0).all } ?? []
        end = certificate.map { Int($0.notValidAfter) }
    }
}
