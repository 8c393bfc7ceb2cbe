@testable import HeybotSASL

let nonce = "fyko+d2lbbFgONRv9qkxdawL"
let pencil = Credentials(account: "user", password: "pencil")

extension SASLClient {
    /// Returns the response to a text challenge.
    mutating func respond(_ challenge: String) throws(SASLError) -> String {
        String(decoding: try respond(to: Array(challenge.utf8)), as: UTF8.self)
    }

    /// A client that has sent its account and waits for the server.
    static func begun(
        _ mechanism: Mechanism = .scramSHA1, _ credentials: Credentials? = pencil, nonce: String = nonce
    ) throws -> SASLClient {
        var login = try SASLClient(mechanism, credentials, nonce: nonce)
        _ = login.begin()
        return login
    }
}
