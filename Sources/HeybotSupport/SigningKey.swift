import CSigning

/// A private key for signatures by ECDSA on the curve P-256 (FIPS 186-5).
///
/// Descriptions, dumps and mirrors omit the key.
package struct SigningKey: Hashable, Sendable {
    /// The number of bytes of a digest that can be signed: that of SHA-256.
    package static let digestByteCount = 32

    private let pem: [UInt8]

    /// Reads an unencrypted key from the text of a PEM file: PKCS #8 (`PRIVATE KEY`) or SEC 1 (`EC PRIVATE KEY`).
    ///
    /// This blocks briefly, because it loads OpenSSL's libcrypto.
    package init(pem: [UInt8]) throws(SigningKeyError) {
        self.pem = pem
        var detail = [CChar](repeating: 0, count: Int(CSIGNING_MAX_DETAIL))
        let result = csigning_check(pem, pem.count, &detail)
        if result == csigning_done { return }
        let isEncrypted = result == csigning_unreadable && String(decoding: pem, as: UTF8.self).contains("ENCRYPTED")
        throw isEncrypted ? SigningKeyError.encrypted : Self.error(result, detail)
    }

    /// Returns a signature of a digest, in DER; each time another one.
    package func signature(of digest: [UInt8]) throws(SigningKeyError) -> [UInt8] {
        guard digest.count == Self.digestByteCount else { throw .failed }
        var detail = [CChar](repeating: 0, count: Int(CSIGNING_MAX_DETAIL))
        var signature = [UInt8](repeating: 0, count: Int(CSIGNING_MAX_SIGNATURE))
        var length = 0
        let result = csigning_sign(pem, pem.count, digest, &signature, &length, &detail)
        guard result == csigning_done else { throw Self.error(result, detail) }
        return Array(signature.prefix(length))
    }

    private static func error(_ result: csigning_result, _ detail: [CChar]) -> SigningKeyError {
        let text = String(decoding: detail.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
        switch result {
        case csigning_no_library: return .noLibrary(text)
        case csigning_unreadable: return .unreadable
        case csigning_other_key: return .otherKind(text.isEmpty ? nil : text)
        default: return .failed
        }
    }
}

extension SigningKey: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The kind of key, without the key.
    package var description: String { "a key on P-256" }

    /// The kind of key, without the key.
    package var debugDescription: String { "SigningKey(P-256)" }

    /// Nothing of the key.
    package var customMirror: Mirror { Mirror(self, children: [:]) }
}

/// Why a key can't be used.
package enum SigningKeyError: Error, Hashable, CustomStringConvertible {
    /// OpenSSL's libcrypto can't be loaded, for this reason.
    case noLibrary(String)
    /// There is no readable private key.
    case unreadable
    /// The key is encrypted.
    case encrypted
    /// The key isn't on P-256, but on another curve, if it is on any.
    case otherKind(String?)
    /// The library can't sign this.
    case failed

    /// What is wrong and how to fix it, to follow the path of the key's file.
    package var description: String {
        switch self {
        case .noLibrary(let reason):
            "can't be used without OpenSSL's libcrypto, version 3, which can't be loaded (\(reason)): install libssl3"
        case .unreadable: "contains no readable private key: it must be PEM (-----BEGIN PRIVATE KEY-----)"
        case .encrypted: "contains an encrypted key: decrypt it (openssl pkey -in old.pem -out new.pem)"
        case .otherKind(let curve):
            "contains a key \(curve.map { "on the curve \($0)" } ?? "of another kind") instead of one on P-256: make one "
                + "(openssl ecparam -genkey -name prime256v1 -noout -out new.pem)"
        case .failed: "contains a key that OpenSSL can't sign with: make another one"
        }
    }
}
