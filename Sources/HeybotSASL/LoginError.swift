/// Why logging in failed.
///
/// None of them tells the password, nor anything that was made of it.
package enum LoginError: Error, Hashable, CustomStringConvertible {
    /// What was given can't be sent.
    case unusable(String)
    /// The server said something that has no place in the protocol.
    case badChallenge(String)
    /// The server claims success without having proved that it knows the password.
    case wrongSignature
    /// The server's own word for what is wrong, such as `invalid-proof` (RFC 5802 section 7).
    case serverError(String)
    /// The server wants more rounds than ``Login/maximumIterations``.
    case tooManyIterations(Int)
    /// The server wants fewer rounds than ``Login/minimumIterations``.
    case tooFewIterations(Int)

    /// One line for people.
    package var description: String {
        switch self {
        case .unusable(let reason): reason
        case .badChallenge(let reason): "the server broke the rules of logging in: \(reason)"
        case .wrongSignature:
            "the server didn't prove that it knows the password, so it may not be the one it claims to be"
        case .serverError(let name): "the server refused the login: \(name)"
        case .tooManyIterations(let count):
            "the server asks for \(count == .max ? "far too many" : "\(count)") rounds of hashing, "
                + "and more than \(Login.maximumIterations) are refused"
        case .tooFewIterations(let count):
            "the server asks for \(count) rounds of hashing, and fewer than \(Login.minimumIterations) "
                + "would make the password easy to guess"
        }
    }
}
