import CHash

/// A cryptographic hash function (FIPS 180-4), and what is built on it.
package enum CryptographicHash: Sendable {
    /// SHA-1: only for protocols that demand it.
    case sha1
    case sha256
    case sha384
    case sha512

    private var function: chash_function {
        switch self {
        case .sha1: chash_sha1
        case .sha256: chash_sha256
        case .sha384: chash_sha384
        case .sha512: chash_sha512
        }
    }

    /// The number of bytes of a digest.
    package var byteCount: Int { chash_size(function) }

    /// Returns the digest of some bytes.
    package func hash(_ bytes: some Sequence<UInt8>) -> [UInt8] {
        let bytes = Array(bytes)
        return [UInt8](unsafeUninitializedCapacity: byteCount) { digest, count in
            guard let start = digest.baseAddress else { return }
            bytes.withUnsafeBufferPointer { chash_digest(function, $0.baseAddress, $0.count, start) }
            count = byteCount
        }
    }

    /// Returns the message authentication code of some bytes (HMAC, RFC 2104).
    package func authenticationCode(for bytes: [UInt8], key: [UInt8]) -> [UInt8] {
        [UInt8](unsafeUninitializedCapacity: byteCount) { code, count in
            guard let start = code.baseAddress else { return }
            key.withUnsafeBufferPointer { key in
                bytes.withUnsafeBufferPointer {
                    chash_hmac(function, key.baseAddress, key.count, $0.baseAddress, $0.count, start)
                }
            }
            count = byteCount
        }
    }

    /// Returns a key of ``byteCount`` bytes that is derived from a password (PBKDF2 with HMAC, RFC 8018 section 5.2).
    ///
    /// - Parameter rounds: 1 to 2³² − 1; a number outside of that counts as the nearest one.
    package func derivedKey(password: [UInt8], salt: [UInt8], rounds: Int) -> [UInt8] {
        [UInt8](unsafeUninitializedCapacity: byteCount) { key, count in
            guard let start = key.baseAddress else { return }
            password.withUnsafeBufferPointer { password in
                salt.withUnsafeBufferPointer {
                    chash_pbkdf2(
                        function, password.baseAddress, password.count, $0.baseAddress, $0.count,
                        UInt32(clamping: max(rounds, 1)), start)
                }
            }
            count = byteCount
        }
    }

    /// Whether two codes are the same, in a time that doesn't depend on where they differ.
    package static func areEqual(_ one: [UInt8], _ other: [UInt8]) -> Bool {
        one.count == other.count && zip(one, other).reduce(0) { $0 | ($1.0 ^ $1.1) } == 0
    }
}
