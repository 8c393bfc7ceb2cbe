import Crypto
import Foundation

/// The server's side of SCRAM, worked out again (RFC 5802 section 3): all that is said, in Base64.
struct ScramServer {
    let mechanism: String
    /// What we say first, with the header before it.
    let first: String
    let challenge: String
    let response: String
    let signature: String

    init(
        _ mechanism: String, account: String = "marvin", password: String = "pencil", nonce: String,
        serverNonce: String = "3rfcNHYJY1ZVvWVs7j", salt: String = "QSXCR+Q6sek8bf92", iterations: Int = 4_096
    ) {
        self.mechanism = mechanism
        let all = nonce + serverNonce
        let bare = "n=\(account),r=\(nonce)"
        let challenge = "r=\(all),s=\(salt),i=\(iterations)"
        let final = "c=biws,r=\(all)"
        let message = Data("\(bare),\(challenge),\(final)".utf8)
        func parts<H: HashFunction>(_: H.Type) -> (proof: Data, signature: Data) {
            func hmac(_ key: Data, _ data: Data) -> Data {
                Data(HMAC<H>.authenticationCode(for: data, using: SymmetricKey(data: key)))
            }
            func xor(_ one: Data, _ other: Data) -> Data { Data(zip(one, other).map { $0 ^ $1 }) }
            var last = hmac(Data(password.utf8), (Data(base64Encoded: salt) ?? Data()) + [0, 0, 0, 1])
            var salted = last
            for _ in 1..<iterations {
                last = hmac(Data(password.utf8), last)
                salted = xor(salted, last)
            }
            let key = hmac(salted, Data("Client Key".utf8))
            return (
                xor(key, hmac(Data(H.hash(data: key)), message)), hmac(hmac(salted, Data("Server Key".utf8)), message)
            )
        }
        let (proof, signature) =
            mechanism == "SCRAM-SHA-1" ? parts(Insecure.SHA1.self) : parts(SHA256.self)
        self.first = Self.base64("n,,\(bare)")
        self.challenge = Self.base64(challenge)
        response = Self.base64("\(final),p=\(proof.base64EncodedString())")
        self.signature = Self.base64("v=\(signature.base64EncodedString())")
    }

    static func base64(_ text: String) -> String { Data(text.utf8).base64EncodedString() }
}
