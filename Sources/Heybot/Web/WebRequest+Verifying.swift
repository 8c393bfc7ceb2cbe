import Crypto

extension WebRequest {
    /// How a request proves that it comes from somebody who knows a secret.
    public enum Proof: Sendable {
        /// The header is the HMAC SHA-256 of the body, in hexadecimal, with `sha256=` in front, as GitHub sends it.
        case signature(String, header: String = "X-Hub-Signature-256")
        /// The header is the secret itself, with or without `Bearer` in front.
        case token(String, header: String = "Authorization")
    }

    /// Goes on only if the request has the proof; it takes as long to say whatever is wrong.
    ///
    /// A route that always asks for one proof says so with its `proof`: then a request without it is refused before its body
    /// is read.
    ///
    /// - Throws: ``WebRefusal`` with status 401.
    public func verify(_ proof: Proof) throws(WebRefusal) {
        try proof.check(headers)
        guard case .signature(let secret, let header) = proof else { return }
        guard hasSignature(secret, in: headers[header]) else {
            throw WebRefusal(401, "The signature doesn't fit: is the secret the same on both sides?")
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
}

extension WebRequest.Proof {
    /// Checks what the header fields alone show: the token, and that there is a signature.
    ///
    /// - Throws: ``WebRefusal`` with status 401.
    func check(_ headers: HTTPHeaders) throws(WebRefusal) {
        switch self {
        case .signature(_, let header):
            guard let signature = headers[header], !signature.isEmpty else {
                throw WebRefusal(
                    401, "The signature is missing (the header \(header)): is the secret set where this comes from?")
            }
        case .token(let secret, let header):
            guard let value = headers[header], !value.isEmpty else {
                throw WebRefusal(401, "The token is missing: it goes into the header \(header).")
            }
            let isBearer = value.lowercased().hasPrefix("bearer ")
            guard WebRequest.isSame(isBearer ? String(value.dropFirst("bearer ".count)) : value, secret) else {
                throw WebRefusal(401, "The token is another one.")
            }
        }
    }
}
