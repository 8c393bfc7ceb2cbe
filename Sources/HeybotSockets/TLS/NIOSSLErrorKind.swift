import NIOSSL

/// Classifies BoringSSL's errors by their names.
enum NIOSSLErrorKind {
    case verificationFailed
    case notTLS
    case other(String)

    init?(_ error: any Error) {
        let notTLSNames: Set = ["WRONG_VERSION_NUMBER", "HTTP_REQUEST", "HTTPS_PROXY_REQUEST"]
        let names: [String]
        switch error {
        case NIOSSLError.handshakeFailed(let error): names = Self.names(error)
        case NIOSSLError.noCertificateToValidate, NIOSSLError.unableToValidateCertificate:
            self = .verificationFailed
            return
        case let error as BoringSSLError: names = Self.names(error)
        default: return nil
        }
        if names.contains("CERTIFICATE_VERIFY_FAILED") {
            self = .verificationFailed
        } else if names.contains(where: notTLSNames.contains) {
            self = .notTLS
        } else {
            let known = names.lazy.compactMap { name in Self.descriptions.first { name.contains($0.0) }?.1 }.first
            let name = names.first?.replacing("_", with: " ").lowercased()
            self = .other(known ?? name ?? "unknown reason")
        }
    }

    private static let refusal = "the server rejected the client certificate"
    private static let old = "the server doesn't support TLS 1.2 or newer"

    private static let descriptions = [
        ("EOF during handshake", "the server closed the connection"),
        ("CERTIFICATE_REQUIRED", "the server requires a client certificate: set one, with its key"),
        ("ALERT_BAD_CERTIFICATE", refusal), ("ALERT_UNSUPPORTED_CERTIFICATE", refusal),
        ("ALERT_CERTIFICATE_REVOKED", "\(refusal): it is revoked"),
        ("ALERT_CERTIFICATE_EXPIRED", "\(refusal): it has expired"), ("ALERT_CERTIFICATE_UNKNOWN", refusal),
        ("ALERT_UNKNOWN_CA", "\(refusal): unknown authority"), ("ALERT_ACCESS_DENIED", refusal),
        ("ALERT_HANDSHAKE_FAILURE", "the server shares no cipher with the robot, or requires a client certificate"),
        ("ALERT_PROTOCOL_VERSION", old), ("UNSUPPORTED_PROTOCOL", old),
        ("UNRECOGNIZED_NAME", "the server doesn't serve this name (SNI)")
    ]

    /// Extracts a name such as `CERTIFICATE_VERIFY_FAILED` from "Error: 268435581 error:1000007d:SSL routines:OPENSSL_internal:
    /// CERTIFICATE_VERIFY_FAILED at file:line".
    private static func names(_ error: BoringSSLError) -> [String] {
        switch error {
        case .sslError(let stack), .unknownError(let stack):
            stack.map { entry in
                let text = entry.description
                guard let start = text.firstRange(of: "OPENSSL_internal:")?.upperBound else { return text }
                return String(text[start...].prefix { $0 != " " })
            }
        default: []
        }
    }
}
