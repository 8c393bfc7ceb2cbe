import NIOSSL

/// A connection's encryption, and the names in the server's certificate.
package struct TLSConnectionSummary: Hashable, Sendable {
    /// The version for display, such as `TLS 1.3`.
    package let version: String
    /// The names and addresses in the certificate, or its common name; empty if it can't be read.
    package let names: [String]
    /// The certificate's expiry, in seconds since 1970; nil if it can't be read.
    package let end: Int?

    /// Reads a handler's state; nil if its handshake isn't complete.
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
