import Foundation
import HeybotSupport

/// The server's side of a SCRAM exchange (RFC 5802, RFC 7677), for scripted servers.
///
/// It derives its keys independently of the code under test.
public struct ScramServer: Sendable {
    /// The hash function; its raw value is the mechanism's name.
    public enum Hash: String, Sendable {
        case sha1 = "SCRAM-SHA-1"
        case sha256 = "SCRAM-SHA-256"
        case sha512 = "SCRAM-SHA-512"
    }

    private let hash: Hash
    private let password: [UInt8]
    private let salt: [UInt8]
    private let iterations: Int
    private let nonce: String
    private var first: (client: [UInt8], server: [UInt8])?
    /// What the client says about channel binding, which this server doesn't offer: `n` or `y`.
    private var flag = "n"

    /// The account name as the client sent it.
    public private(set) var account = ""

    /// Whether the client has proved that it knows the password.
    public private(set) var hasProof = false

    /// Creates a server with one password for every account.
    public init(
        _ hash: Hash, password: String, iterations: Int = 4_096, salt: [UInt8] = Array("salt of a test".utf8),
        nonce: String = "theirs"
    ) {
        self.hash = hash
        self.password = Array(password.utf8)
        self.salt = salt
        self.iterations = iterations
        self.nonce = nonce
    }

    /// Returns the response to the client's first and then its second message.
    ///
    /// - Throws: ``ScramServerError`` if the client violates the protocol or doesn't know the password.
    public mutating func respond(to message: [UInt8]) throws(ScramServerError) -> [UInt8] {
        guard let first else { return try begin(message) }
        let parts = String(decoding: message, as: UTF8.self).components(separatedBy: ",")
        let theirs = String(decoding: first.server, as: UTF8.self).components(separatedBy: ",")
        let header = Data("\(flag),,".utf8).base64EncodedString()
        guard parts.count == 3, parts[0] == "c=\(header)", parts[1] == theirs[0], parts[2].hasPrefix("p="),
            let proof = Data(base64Encoded: String(parts[2].dropFirst(2)))
        else { throw .brokeTheRules(String(decoding: message, as: UTF8.self)) }
        let bare = Array("\(parts[0]),\(parts[1])".utf8)
        let text = Array([first.client, first.server, bare].joined(separator: Array(",".utf8)))
        let keys = keys()
        let signature = code(text, keys.stored)
        guard proof.elementsEqual(zip(keys.client, signature).map { $0 ^ $1 }) else { throw .wrongProof }
        hasProof = true
        return Array("v=\(Data(code(text, keys.server)).base64EncodedString())".utf8)
    }

    private mutating func begin(_ message: [UInt8]) throws(ScramServerError) -> [UInt8] {
        let text = String(decoding: message, as: UTF8.self)
        let parts = text.components(separatedBy: ",")
        guard parts.count == 4, ["n", "y"].contains(parts[0]), parts[1].isEmpty, parts[2].hasPrefix("n="),
            parts[3].hasPrefix("r=")
        else { throw .brokeTheRules(text) }
        flag = parts[0]
        // By scalars, because a comma with a combining mark is another character.
        account = String(parts[2].dropFirst(2))
            .replacingOccurrences(of: "=2C", with: ",", options: .literal)
            .replacingOccurrences(of: "=3D", with: "=", options: .literal)
        let answer = Array("\(parts[3])\(nonce),s=\(Data(salt).base64EncodedString()),i=\(iterations)".utf8)
        first = (Array(message.dropFirst(3)), answer)
        return answer
    }

    private func keys() -> (client: [UInt8], stored: [UInt8], server: [UInt8]) {
        var block = code(salt + [0, 0, 0, 1], password)
        var salted = block
        for _ in 1..<iterations {
            block = code(block, password)
            for index in salted.indices { salted[index] ^= block[index] }
        }
        let client = code(Array("Client Key".utf8), salted)
        return (client, function.hash(client), code(Array("Server Key".utf8), salted))
    }

    private func code(_ text: [UInt8], _ key: [UInt8]) -> [UInt8] {
        function.authenticationCode(for: text, key: key)
    }

    private var function: CryptographicHash {
        switch hash {
        case .sha1: .sha1
        case .sha256: .sha256
        case .sha512: .sha512
        }
    }
}

/// A client's error.
public enum ScramServerError: Error, Hashable {
    /// It violated the protocol.
    case brokeTheRules(String)
    /// It doesn't know the password.
    case wrongProof
}
