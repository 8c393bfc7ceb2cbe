import HeybotSupport

extension WebRequest {
    /// The proof that a request's sender knows a secret.
    public enum Proof: Sendable {
        /// A header with `sha256=` and the hexadecimal HMAC-SHA-256 of the body, as GitHub sends it.
        case signature(String, header: String = "X-Hub-Signature-256")
        /// A header with the secret itself, with or without `Bearer` in front.
        case token(String, header: String = "Authorization")
    }

    /// Verifies a proof, in constant time.
    ///
    /// If a route always needs the same proof, pass it as the route's `proof` instead: then a request without it is refused
    /// before its body is read.
    ///
    /// - Throws: ``WebRefusal`` with status 401.
    public func verify(_ proof: Proof) throws(WebRefusal) {
        try proof.check(headers)
        guard case .signature(let secret, let header) = proof else { return }
        guard hasSignature(secret, in: headers[header]) else {
            throw WebRefusal(401, "The signature doesn't match: is the secret the same on both sides?")
        }
    }

    /// Compares a text with a secret in constant time.
    ///
    /// An empty secret equals nothing.
    public static func isSame(_ one: String, _ secret: String) -> Bool {
        // An empty secret means that none is set.
        !secret.isEmpty
            && CryptographicHash.areEqual(
                CryptographicHash.sha256.hash(one.utf8), CryptographicHash.sha256.hash(secret.utf8))
    }

    private func hasSignature(_ secret: String, in header: String?) -> Bool {
        guard !secret.isEmpty, let header, let equals = header.firstIndex(of: "="), header[..<equals] == "sha256" else {
            return false
        }
        let digits = header[header.index(after: equals)...]
        guard digits.utf8.count == CryptographicHash.sha256.byteCount * 2 else { return false }
        var code: [UInt8] = []
        var rest = digits.utf8[...]
        while !rest.isEmpty {
            guard let byte = UInt8(String(decoding: rest.prefix(2), as: UTF8.self), radix: 16) else { return false }
            code.append(byte)
            rest = rest.dropFirst(2)
        }
        return CryptographicHash.areEqual(
            code, CryptographicHash.sha256.authenticationCode(for: body, key: Array(secret.utf8)))
    }
}

extension WebRequest.Proof {
    /// Checks what the header fields alone show: the token, or that there is a signature.
    ///
    /// - Throws: ``WebRefusal`` with status 401.
    func check(_ headers: HTTPHeaders) throws(WebRefusal) {
        switch self {
        case .signature(_, let header):
            guard let signature = headers[header], !signature.isEmpty else {
                throw WebRefusal(
                    401, "The signature in the header \(header) is missing: is the secret set at the sender?")
            }
        case .token(let secret, let header):
            guard let value = headers[header], !value.isEmpty else {
                throw WebRefusal(401, "The token is missing: send it in the header \(header).")
            }
            let isBearer = value.lowercased().hasPrefix("bearer ")
            guard WebRequest.isSame(isBearer ? String(value.dropFirst("bearer ".count)) : value, secret) else {
                throw WebRefusal(401, "The token is wrong.")
            }
        }
    }
}
