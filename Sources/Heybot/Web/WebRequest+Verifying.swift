import Crypto

extension WebRequest {
    /// How a request proves that it comes from somebody who knows a secret.
    public enum Proof: Sendable {
        /// The header is the HMAC SHA-256 of the body, in hexadecimal, with `sha256=` in front, as GitHub sends it.
        case signature(String, header: String = "X-Hub-Signature-256")
        /// The header is the secret itself, with or without `Bearer` in front.
        case token(String, header: String = "Authorization")
    }

    /// Goes on only where the request has the proof; it takes as long to tell whatever is wrong.
    ///
    /// - Throws: ``WebRefusal`` with status 401.
    public func verify(_ proof: Proof) throws(WebRefusal) {
        switch proof {
        case .signature(let secret, let header):
            guard hasSignature(secret, in: headers[header]) else {
                throw WebRefusal(401, "The signature doesn't fit: is the secret the same on both sides?")
            }
        case .token(let secret, let header):
            guard Self.isSame(token(in: headers[header]), secret) else {
                throw WebRefusal(401, "The token is missing, or it is another one.")
            }
        }
    }

    /// Whether two texts are the same; how long that takes doesn't tell where they differ.
    public static func isSame(_ one: String, _ secret: String) -> Bool {
        // An empty secret is none.
        !secret.isEmpty && SHA256.hash(data: Array(one.utf8)) == SHA256.hash(data: Array(secret.utf8))
    }

    private func hasSignature(_ secret: String, in header: String?) -> Bool {
        guard !secret.isEmpty, let header, let equals = header.firstIndex(of: "="), header[..<equals] == "sha256" else {
            return false
        }
        let digits = header[header.index(after: equals)...]
        guard digits.utf8.count == SHA256.byteCount * 2 else { return false }
        var code: [UInt8] = []
        var rest = digits.utf8[...]
        while !rest.isEmpty {
            guard let byte = UInt8(String(decoding: rest.prefix(2), as: UTF8.self), radix: 16) else { return false }
            code.append(byte)
            rest = rest.dropFirst(2)
        }
        return HMAC<SHA256>.isValidAuthenticationCode(
            code, authenticating: body, using: SymmetricKey(data: Array(secret.utf8)))
    }

    private func token(in header: String?) -> String {
        guard let header, header.lowercased().hasPrefix("bearer ") else { return header ?? "" }
        return String(header.dropFirst("bearer ".count))
    }
}
