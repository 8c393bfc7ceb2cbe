/// Why a login failed.
///
/// No description contains the password or anything derived from it.
package enum SASLError: Error, Hashable, CustomStringConvertible {
    /// The credentials or the nonce can't be sent.
    case unusable(String)
    /// The server violated the protocol.
    case badChallenge(String)
    /// The server claims success without having proved that it knows the password.
    case wrongSignature
    /// The server has offered other ways to log in than the client has received (XEP-0474).
    case offerChanged
    /// The server's error value, such as `invalid-proof` (RFC 5802 section 7).
    case serverError(String)
    /// The server's iteration count is above ``SASLClient/maximumIterations``.
    case tooManyIterations(Int)
    /// The server's iteration count is below ``SASLClient/minimumIterations``.
    case tooFewIterations(Int)

    /// One line, for logs and users.
    package var description: String {
        switch self {
        case .unusable(let reason): reason
        case .badChallenge(let reason): "the server violated the SASL protocol: \(reason)"
        case .wrongSignature:
            "the server didn't prove that it knows the password, so it may be an impostor"
        case .offerChanged:
            "the server has offered other ways to log in than the robot has received, so someone may be intercepting "
                + "the connection"
        case .serverError(let name): "the server refused the login: \(name)"
        case .tooManyIterations(let count):
            "the server asks for \(count == .max ? "far too many" : "\(count)") rounds of hashing, "
                + "but the robot accepts at most \(SASLClient.maximumIterations)"
        case .tooFewIterations(let count):
            "the server asks for only \(count) rounds of hashing; with fewer than \(SASLClient.minimumIterations), "
                + "the password would be easy to guess"
        }
    }
}
