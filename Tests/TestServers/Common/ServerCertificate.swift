/// The certificate of a server that a test starts: `true` is a good one, `false` is none.
public enum ServerCertificate: Sendable, ExpressibleByBooleanLiteral {
    /// None: there is no TLS.
    case none
    /// One for the names and addresses the server really has.
    case good
    /// One that is so too, but ends in two days.
    case short
    /// One for another name.
    case wrongName
    /// One that has expired.
    case expired

    /// A good one or none.
    public init(booleanLiteral hasOne: Bool) { self = hasOne ? .good : .none }

    /// What signs it, and the certificate; nil if there is none.
    ///
    /// - Parameter names: those of the server beside `localhost`.
    public func issued(
        in folder: ScratchFolder, for names: [String]
    ) async throws -> (CertificateAuthority, CertificateAuthority.Certificate)? {
        if case .none = self { return nil }
        let authority = try await CertificateAuthority(in: folder)
        let names = names + ["localhost", "IP:127.0.0.1"]
        let certificate =
            switch self {
            case .none, .good: try await authority.issue(names, days: 30)
            case .short: try await authority.issue(names)
            case .wrongName: try await authority.issue(["elsewhere.test"])
            case .expired: try await authority.issue(names, days: -1)
            }
        return (authority, certificate)
    }
}
