import Foundation
import HeybotSupport

/// The server's side of SCRAM, implemented independently (RFC 5802 section 3); all messages are in Base64.
struct ScramServer {
    let mechanism: String
    /// The client's first message, with its GS2 header.
    let first: String
    let challenge: String
    let response: String
    let signature: String

    init(
        _ mechanism: String, account: String = "marvin", password: String = "pencil", nonce: String,
        serverNonce: String = "3rfcNHYJY1ZVvWVs7j", salt: String = "QSXCR+Q6sek8bf92", iterations: Int = 4_096,
        header: String = "n,,", binding: [UInt8] = [], digest: String? = nil
    ) {
        self.mechanism = mechanism
        let all = nonce + serverNonce
        let bare = "n=\(account),r=\(nonce)"
        let challenge = "r=\(all),s=\(salt),i=\(iterations)" + (digest.map { ",h=\($0)" } ?? "")
        let final = "c=\(Data(Array(header.utf8) + binding).base64EncodedString()),r=\(all)"
        let message = Data("\(bare),\(challenge),\(final)".utf8)
        let function: CryptographicHash =
            switch mechanism {
            case "SCRAM-SHA-1", "SCRAM-SHA-1-PLUS": .sha1
            case "SCRAM-SHA-512", "SCRAM-SHA-512-PLUS": .sha512
            default: .sha256
            }
        func parts() -> (proof: Data, signature: Data) {
            func hmac(_ key: Data, _ data: Data) -> Data {
                Data(function.authenticationCode(for: Array(data), key: Array(key)))
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
                xor(key, hmac(Data(function.hash(key)), message)), hmac(hmac(salted, Data("Server Key".utf8)), message)
            )
        }
        let (proof, signature) = parts()
        self.first = Self.base64("\(header)\(bare)")
        self.challenge = Self.base64(challenge)
        response = Self.base64("\(final),p=\(proof.base64EncodedString())")
        self.signature = Self.base64("v=\(signature.base64EncodedString())")
    }

    static func base64(_ text: String) -> String { Data(text.utf8).base64EncodedString() }
}
