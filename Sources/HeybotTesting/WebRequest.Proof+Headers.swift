public import Heybot
import HeybotSupport

extension WebRequest.Proof {
    /// Returns the header fields with which a sender who knows the secret proves that, for a request with this body.
    ///
    /// ```swift
    /// let signed = WebRequest.Proof.signature("secret").headers(for: body)
    /// await robot.receives(.post, "/builds", headers: signed, body: body)
    /// ```
    public func headers(for body: HTTPRequestBody) -> HTTPHeaders {
        switch self {
        case .token(let secret, let header): return [header: secret]
        case .signature(let secret, let header):
            let code = CryptographicHash.sha256.authenticationCode(for: body.bytes, key: Array(secret.utf8))
            return [header: "sha256=" + code.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()]
        }
    }
}
