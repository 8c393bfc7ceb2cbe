import HeybotSupport

/// A client for SCRAM (RFC 5802).
struct SCRAMClient: Sendable {
    private enum State {
        case waitsForFirst
        case waitsForSignature([UInt8])
        case isProved
    }

    let first: [UInt8]

    private let hash: CryptographicHash
    private let password: [UInt8]
    private let nonce: [UInt8]
    private let binding: ChannelBindingUse
    private let offer: SASLOffer?
    private var state = State.waitsForFirst

    init(
        _ hash: CryptographicHash, _ credentials: Credentials, nonce: String, _ binding: ChannelBindingUse,
        _ offer: SASLOffer?
    ) throws(SASLError) {
        self.hash = hash
        self.binding = binding
        self.offer = offer
        self.nonce = Array(nonce.utf8)
        guard self.nonce.count >= 18, self.nonce.allSatisfy(ServerFirstMessage.isNonce) else {
            throw .unusable("the nonce has to be 18 printable ASCII characters or more, without commas")
        }
        let account = try SASLprep.prepared(credentials.account, named: "account")
        password = Array(try SASLprep.prepared(credentials.password, named: "password").utf8)
        first = binding.header + Array("n=".utf8) + Self.escaped(account) + Array(",r=\(nonce)".utf8)
    }

    mutating func respond(to challenge: [UInt8]) throws(SASLError) -> [UInt8] {
        switch state {
        case .waitsForFirst: return try answer(challenge)
        case .waitsForSignature(let expected):
            try check(challenge, expected)
            return []
        case .isProved: throw .badChallenge("it continues after its signature")
        }
    }

    mutating func finish(_ data: [UInt8]) throws(SASLError) {
        switch state {
        case .waitsForFirst: throw .wrongSignature
        case .waitsForSignature(let expected):
            guard !data.isEmpty else { throw .wrongSignature }
            try check(data, expected)
        case .isProved:
            guard data.isEmpty else { throw .badChallenge("it continues after its signature") }
        }
    }

    private mutating func answer(_ challenge: [UInt8]) throws(SASLError) -> [UInt8] {
        let server = try ServerFirstMessage(challenge, nonce: nonce)
        if let offer, let digest = server.offerDigest {
            // Before the proof is sent, from which an impostor could guess the password.
            guard digest == Array(Base64.encode(offer.digest(hash)).utf8) else { throw .offerChanged }
        }
        let bare = Array("c=\(Base64.encode(binding.header + binding.value)),r=".utf8) + server.nonce
        let comma = [UInt8(ascii: ",")]
        let message = first.dropFirst(binding.header.count) + comma + challenge + comma + bare
        let (proof, signature) = keys(salt: server.salt, rounds: server.iterations, message: Array(message))
        state = .waitsForSignature(signature)
        return bare + Array(",p=\(Base64.encode(proof))".utf8)
    }

    /// Returns the client's proof and the server's signature (RFC 5802 section 3).
    private func keys(salt: [UInt8], rounds: Int, message: [UInt8]) -> (proof: [UInt8], signature: [UInt8]) {
        let salted = hash.derivedKey(password: password, salt: salt, rounds: rounds)
        let client = hash.authenticationCode(for: Array("Client Key".utf8), key: salted)
        let server = hash.authenticationCode(for: Array("Server Key".utf8), key: salted)
        let signature = hash.authenticationCode(for: message, key: hash.hash(client))
        return (zip(client, signature).map { $0 ^ $1 }, hash.authenticationCode(for: message, key: server))
    }

    private mutating func check(_ message: [UInt8], _ expected: [UInt8]) throws(SASLError) {
        let signature = try ServerFinalMessage(message).signature
        // Compared in constant time, so that timing doesn't show how much of a guess was right.
        guard CryptographicHash.areEqual(signature, expected) else { throw .wrongSignature }
        state = .isProved
    }

    /// Escapes by bytes: a comma with a combining mark is another character in Swift, but still a comma to the server.
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

/// The server's first message (RFC 5802 section 7: server-first-message).
struct ServerFirstMessage {
    let nonce: [UInt8]
    let salt: [UInt8]
    let iterations: Int
    /// The hash of what the server offers, in Base64, if the server has sent it (XEP-0474).
    let offerDigest: [UInt8]?

    init(_ message: [UInt8], nonce ours: [UInt8]) throws(SASLError) {
        var attributes = try SCRAMAttributes(message)
        nonce = Array(try attributes.next("r", "a nonce"))
        guard nonce.allSatisfy(Self.isNonce) else { throw .badChallenge("its nonce isn't printable ASCII") }
        guard nonce.starts(with: ours), nonce.count > ours.count else {
            throw .badChallenge("its nonce doesn't extend the client's")
        }
        guard let salt = Base64.decode(try attributes.next("s", "a salt")) else {
            throw .badChallenge("its salt isn't Base64")
        }
        self.salt = salt
        iterations = try Self.iterations(try attributes.next("i", "the number of rounds"))
        offerDigest = attributes.first("h").map { Array($0) }
    }

    static func isNonce(_ byte: UInt8) -> Bool {
        (0x21...0x7e).contains(byte) && byte != UInt8(ascii: ",")
    }

    private static func iterations(_ digits: ArraySlice<UInt8>) throws(SASLError) -> Int {
        guard digits.first != UInt8(ascii: "0"), digits.allSatisfy({ (0x30...0x39).contains($0) }) else {
            throw .badChallenge("its iteration count isn't a number")
        }
        // A number that doesn't fit into an Int is too high anyway.
        let count = Int(String(decoding: digits, as: UTF8.self)) ?? .max
        guard count >= SASLClient.minimumIterations else { throw .tooFewIterations(count) }
        guard count <= SASLClient.maximumIterations else { throw .tooManyIterations(count) }
        return count
    }
}

/// The server's final message (RFC 5802 section 7: server-final-message).
struct ServerFinalMessage {
    let signature: [UInt8]

    init(_ message: [UInt8]) throws(SASLError) {
        var attributes = try SCRAMAttributes(message)
        guard let signature = Base64.decode(try attributes.next("v", "a signature")) else {
            throw .badChallenge("its signature isn't Base64")
        }
        self.signature = signature
    }
}
