import NIOCore
import NIOSSL

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// The verification of one server's certificate in the TLS handshake, and the reason if the handshake fails.
///
/// BoringSSL and NIOSSL verify the certificate; this type only rejects what they accept although it is less than was asked for,
/// and determines which check failed.
struct TLSPeerVerifier: Sendable {
    let endpoint: Endpoint
    /// The name that the certificate must be for.
    let name: String
    private let trust: TLSOptions.Trust
    private let context: NIOSSLContext

    /// Reads the TLS files.
    init(_ tls: TLSOptions, with endpoint: Endpoint) throws(ConnectionError) {
        self.endpoint = endpoint
        var name = tls.name ?? endpoint.host
        // A trailing dot is only for the lookup.
        if name.hasSuffix(".") { name.removeLast() }
        // XMPP writes IPv6 addresses in brackets.
        if name.first == "[", name.last == "]" { name = String(name.dropFirst().dropLast()) }
        // Certificates contain names in ASCII.
        name = HostResolver.hostName(name)
        self.name = name
        trust = tls.trust
        do {
            context = try NIOSSLContextFactory.make(for: tls)
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
            throw .handshake(endpoint, reason: "\(name) isn't a valid server name")
        }
    }

    // MARK: Verification

    /// Returns an error if NIOSSL accepted the certificate for the wrong reason; nil if it is valid.
    ///
    /// NIOSSL accepts a certificate for the address that the connection leads to, even if it isn't for the name. An attacker who
    /// forges DNS responses could redirect the connection to an address for which they have a certificate.
    func verificationError(to certificate: NIOSSLCertificate?, at remote: SocketAddress?) -> ConnectionError? {
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

    // MARK: Failures

    func failure(_ error: any Error, _ certificate: NIOSSLCertificate?) -> ConnectionError {
        if let error = error as? NIOSSLExtraError,
            error == .failedToValidateHostname || error == .serverHostnameImpossibleToMatch
        {
            let presented = certificate.map { CertificateNames($0).all }
            return .untrusted(endpoint, name: name, .wrongName(presented: presented))
        }
        guard let tlsFailure = NIOSSLErrorKind(error) else {
            return .handshake(endpoint, reason: ErrorText.describe(error))
        }
        switch tlsFailure {
        case .verificationFailed: return .untrusted(endpoint, name: name, reason(certificate))
        case .notTLS: return .notTLS(endpoint)
        case .other(let reason): return .handshake(endpoint, reason: reason)
        }
    }

    /// Determines the reason from the certificate, because BoringSSL doesn't report it.
    private func reason(_ certificate: NIOSSLCertificate?) -> ConnectionError.CertificateProblem {
        guard let certificate else { return .other("the server sent no readable certificate") }
        if case .fingerprint = trust {
            return Fingerprint(of: certificate).map { .wrongFingerprint(found: $0) } ?? .other("it can't be read")
        }
        let isSelfSigned = certificate.subjectName == certificate.issuerName
        if isSelfSigned, !isAuthority(certificate) { return .selfSigned }
        let now = time(nil)
        if certificate.notValidAfter < now { return .expired }
        if certificate.notValidBefore > now { return .notYetValid }
        return isSelfSigned ? .other("it isn't valid for a server") : .unknownAuthority
    }

    private func isAuthority(_ certificate: NIOSSLCertificate) -> Bool {
        guard case .certificates(let roots)? = context.configuration.trustRoots else { return false }
        return roots.contains(certificate)
    }
}
