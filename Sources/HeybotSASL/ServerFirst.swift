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
        // Where it's beyond what an Int holds, all that matters is that it's too many.
        let count = Int(String(decoding: digits, as: UTF8.self)) ?? .max
        guard count >= Login.minimumIterations else { throw .tooFewIterations(count) }
        guard count <= Login.maximumIterations else { throw .tooManyIterations(count) }
        return count
    }
}
