import NIOSSL

/// How a connection is encrypted, and whom the server's certificate is for.
public struct Encryption: Hashable, Sendable {
    /// As one reads it: `TLS 1.3`.
    public let version: String
    /// The names and addresses that the certificate is for, or its common name; none where it can't be read.
    public let names: [String]
    /// The last second that the certificate is valid in, since 1970; nil where it can't be read.
    public let end: Int?

    /// What a handler's handshake has come to; nil where it isn't over.
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
