@testable import HeybotSASL

let nonce = "fyko+d2lbbFgONRv9qkxdawL"
let pencil = Credentials(account: "user", password: "pencil")

extension Login {
    /// What to answer to a challenge that is text.
    mutating func respond(_ challenge: String) throws(LoginError) -> String {
        String(decoding: try respond(to: Array(challenge.utf8)), as: UTF8.self)
    }

    /// One that has named its account and waits for the server.
    static func begun(
        _ mechanism: Mechanism = .scramSHA1, _ credentials: Credentials? = pencil, nonce: String = nonce
    ) throws -> Login {
        var login = try Login(mechanism, credentials, nonce: nonce)
        _ = login.begin()
        return login
    }
}
