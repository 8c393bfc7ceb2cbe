import Crypto
import CryptoExtras

/// A hash that SCRAM works with, and what it makes of a password (RFC 5802 section 3).
enum ScramHash: Sendable {
    case sha1, sha256

    /// The client's proof and the server's signature; nil if the library can't do it.
    func keys(password: [UInt8], salt: [UInt8], rounds: Int, message: [UInt8]) -> (proof: [UInt8], signature: [UInt8])?
    {
        switch self {
        case .sha1: Self.keys(Insecure.SHA1.self, .insecureSHA1, password, salt, rounds, message)
        case .sha256: Self.keys(SHA256.self, .sha256, password, salt, rounds, message)
        }
    }

    private static func keys<Hash: HashFunction>(
        _: Hash.Type, _ function: KDF.Insecure.PBKDF2.HashFunction, _ password: [UInt8], _ salt: [UInt8],
        _ rounds: Int, _ message: [UInt8]
    ) -> (proof: [UInt8], signature: [UInt8])? {
        // "Unchecked", as the library wants more rounds than servers ask for; ServerFirst checks them.
        let salted = try? KDF.Insecure.PBKDF2.deriveKey(
            from: password, salt: salt, using: function, outputByteCount: Hash.Digest.byteCount,
            unsafeUncheckedRounds: rounds)
        guard let salted else { return nil }
        func code(_ text: [UInt8], _ key: SymmetricKey) -> [UInt8] {
            Array(HMAC<Hash>.authenticationCode(for: text, using: key))
        }
        let client = code(Array("Client Key".utf8), salted)
        let server = code(Array("Server Key".utf8), salted)
        let signature = code(message, SymmetricKey(data: Array(Hash.hash(data: client))))
        return (zip(client, signature).map { $0 ^ $1 }, code(message, SymmetricKey(data: server)))
    }
}
