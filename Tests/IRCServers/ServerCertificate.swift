/// The certificate of a server that a test starts: `true` is a good one, `false` is none.
public enum ServerCertificate: Sendable, ExpressibleByBooleanLiteral {
    /// None: there is no TLS.
    case none
    /// One for the names and addresses the server really has.
    case good
    /// One for another name.
    case wrongName
    /// One that has expired.
    case expired

    /// A good one or none.
    public init(booleanLiteral hasOne: Bool) { self = hasOne ? .good : .none }

    /// What signs it, and the certificate; nil where there is none.
    func issued(in folder: ScratchFolder) async throws -> (CertificateAuthority, CertificateAuthority.Certificate)? {
        if case .none = self { return nil }
        let authority = try await CertificateAuthority(in: folder)
        let certificate =
            switch self {
            case .none, .good: try await authority.issue(["localhost", "irc.test", "IP:127.0.0.1"])
            case .wrongName: try await authority.issue(["elsewhere.test"])
            case .expired: try await authority.issue(["localhost", "irc.test", "IP:127.0.0.1"], days: -1)
            }
        return (authority, certificate)
    }
}
