/// The client's side of SCRAM, without channel binding (RFC 5802).
struct Scram: Sendable {
    private enum Step {
        case waitsForFirst
        case waitsForSignature([UInt8])
        case isProved
    }

    /// The header that says "no channel binding, and no other account to act for".
    private static let header = "n,,"

    let first: [UInt8]

    private let hash: ScramHash
    private let password: [UInt8]
    private let nonce: [UInt8]
    private var step = Step.waitsForFirst

    init(_ hash: ScramHash, _ credentials: Credentials, nonce: String) throws(LoginError) {
        self.hash = hash
        self.nonce = Array(nonce.utf8)
        guard self.nonce.count >= 18, self.nonce.allSatisfy(ServerFirst.isNonce) else {
            throw .unusable("the nonce has to be 18 printable ASCII characters or more, without commas")
        }
        let account = try Preparation.prepared(credentials.account, named: "account")
        password = Array(try Preparation.prepared(credentials.password, named: "password").utf8)
        first = Array("\(Self.header)n=".utf8) + Self.escaped(account) + Array(",r=\(nonce)".utf8)
    }

    mutating func respond(to challenge: [UInt8]) throws(LoginError) -> [UInt8] {
        switch step {
        case .waitsForFirst: return try answer(challenge)
        case .waitsForSignature(let expected):
            try check(challenge, expected)
            return []
        case .isProved: throw .badChallenge("it goes on after its signature")
        }
    }

    mutating func finish(_ data: [UInt8]) throws(LoginError) {
        switch step {
        case .waitsForFirst: throw .wrongSignature
        case .waitsForSignature(let expected):
            guard !data.isEmpty else { throw .wrongSignature }
            try check(data, expected)
        case .isProved:
            guard data.isEmpty else { throw .badChallenge("it goes on after its signature") }
        }
    }

    private mutating func answer(_ challenge: [UInt8]) throws(LoginError) -> [UInt8] {
        let server = try ServerFirst(challenge, nonce: nonce)
        let bare = Array("c=\(Base64.encode(Array(Self.header.utf8))),r=".utf8) + server.nonce
        let comma = [UInt8(ascii: ",")]
        let message = first.dropFirst(Self.header.utf8.count) + comma + challenge + comma + bare
        guard
            let keys = hash.keys(
                password: password, salt: server.salt, rounds: server.iterations, message: Array(message))
        else { throw .unusable("the password can't be hashed") }
        step = .waitsForSignature(keys.signature)
        return bare + Array(",p=\(Base64.encode(keys.proof))".utf8)
    }

    private mutating func check(_ message: [UInt8], _ expected: [UInt8]) throws(LoginError) {
        let signature = try ServerFinal(message).signature
        // Every byte is looked at: how long it takes mustn't tell how much of a guess was right.
        guard signature.count == expected.count, zip(signature, expected).reduce(0, { $0 | ($1.0 ^ $1.1) }) == 0 else {
            throw .wrongSignature
        }
        step = .isProved
    }

    /// By bytes: with a mark behind it, a comma is another character, yet still a comma to the server.
    private static func escaped(_ name: String) -> [UInt8] {
        name.utf8.flatMap { byte in
            switch byte {
            case UInt8(ascii: "="): Array("=3D".utf8)
            case UInt8(ascii: ","): Array("=2C".utf8)
            default: [byte]
            }
        }
    }
}

/// What the server says first in SCRAM (RFC 5802 section 7: server-first-message).
struct ServerFirst {
    let nonce: [UInt8]
    let salt: [UInt8]
    let iterations: Int

    init(_ message: [UInt8], nonce ours: [UInt8]) throws(LoginError) {
        var attributes = try Attributes(message)
        nonce = Array(try attributes.next("r", "a nonce"))
        guard nonce.allSatisfy(Self.isNonce) else { throw .badChallenge("its nonce isn't printable ASCII") }
        guard nonce.starts(with: ours), nonce.count > ours.count else {
            throw .badChallenge("its nonce doesn't go on from ours")
        }
        guard let salt = Base64.decode(try attributes.next("s", "a salt")) else {
            throw .badChallenge("its salt isn't Base64")
        }
        self.salt = salt
        iterations = try Self.iterations(try attributes.next("i", "the number of rounds"))
    }

    static func isNonce(_ byte: UInt8) -> Bool {
        (0x21...0x7e).contains(byte) && byte != UInt8(ascii: ",")
    }

    private static func iterations(_ digits: ArraySlice<UInt8>) throws(LoginError) -> Int {
        guard digits.first != UInt8(ascii: "0"), digits.allSatisfy({ (0x30...0x39).contains($0) }) else {
            throw .badChallenge("its number of rounds is no number")
        }
        // If it's beyond what an Int holds, all that matters is that it's too many.
        let count = Int(String(decoding: digits, as: UTF8.self)) ?? .max
        guard count >= Login.minimumIterations else { throw .tooFewIterations(count) }
        guard count <= Login.maximumIterations else { throw .tooManyIterations(count) }
        return count
    }
}

/// What the server says last in SCRAM (RFC 5802 section 7: server-final-message).
struct ServerFinal {
    let signature: [UInt8]

    init(_ message: [UInt8]) throws(LoginError) {
        var attributes = try Attributes(message)
        guard let signature = Base64.decode(try attributes.next("v", "a signature")) else {
            throw .badChallenge("its signature isn't Base64")
        }
        self.signature = signature
    }
}
