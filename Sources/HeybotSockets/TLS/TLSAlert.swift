import NIOSSL

/// What BoringSSL's errors mean; it gives them names, and these are what there is to go by.
enum TLSAlert {
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
            let known = names.lazy.compactMap { name in Self.words.first { name.contains($0.0) }?.1 }.first
            let name = names.first?.replacing("_", with: " ").lowercased()
            self = .other(known ?? name ?? "it failed")
        }
    }

    private static let refusal = "the server doesn't accept our certificate"
    private static let old = "the server has no TLS 1.2 or newer: it must be brought up to date"

    private static let words = [
        ("EOF during handshake", "the server closed the connection"),
        ("CERTIFICATE_REQUIRED", "the server wants a certificate of ours: set its files"),
        ("ALERT_BAD_CERTIFICATE", refusal), ("ALERT_UNSUPPORTED_CERTIFICATE", refusal),
        ("ALERT_CERTIFICATE_REVOKED", "\(refusal): it is revoked"),
        ("ALERT_CERTIFICATE_EXPIRED", "\(refusal): it has expired"), ("ALERT_CERTIFICATE_UNKNOWN", refusal),
        ("ALERT_UNKNOWN_CA", "\(refusal): it doesn't know its authority"), ("ALERT_ACCESS_DENIED", refusal),
        ("ALERT_HANDSHAKE_FAILURE", "the server refuses: it wants other ciphers than ours, or a certificate of ours"),
        ("ALERT_PROTOCOL_VERSION", old), ("UNSUPPORTED_PROTOCOL", old),
        ("UNRECOGNIZED_NAME", "the server doesn't know itself by this name")
    ]

    /// Such as `CERTIFICATE_VERIFY_FAILED`, out of "Error: 268435581 error:1000007d:SSL routines:OPENSSL_internal:
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
