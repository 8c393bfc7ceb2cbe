/// A way to log in (RFC 4422).
///
/// `allCases` has them strongest first: the first of them that a server offers, and that what the robot has fits,
/// is the one to take.
package enum Mechanism: String, CaseIterable, Hashable, Sendable {
    /// By what the connection says already, as with a certificate of the client's (RFC 4422 appendix A).
    case external = "EXTERNAL"
    /// By a proof of the password, and the server proves that it knows it too (RFC 7677).
    case scramSHA256 = "SCRAM-SHA-256"
    /// As ``scramSHA256``, with an older hash (RFC 5802).
    case scramSHA1 = "SCRAM-SHA-1"
    /// By the password itself: shows it to whoever can read the connection (RFC 4616).
    case plain = "PLAIN"
}
