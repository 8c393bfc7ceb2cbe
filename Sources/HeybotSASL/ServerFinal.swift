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
