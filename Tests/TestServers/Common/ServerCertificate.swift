/// The certificate of a test server: `true` is a valid one, `false` is none.
public enum ServerCertificate: Sendable, ExpressibleByBooleanLiteral {
    /// No TLS.
    case none
    /// A valid certificate for the server's names and addresses.
    case good
    /// A valid one that expires in two days.
    case short
    /// One for another name.
    case wrongName
    /// An expired one.
    case expired

    /// A valid one or none.
    public init(booleanLiteral hasOne: Bool) { self = hasOne ? .good : .none }

    /// Issues the certificate, and returns it with its authority; nil if there is none.
    ///
    /// - Parameter names: The server's names beside `localhost`.
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
