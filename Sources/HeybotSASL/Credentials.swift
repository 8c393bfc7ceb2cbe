/// Who logs in.
///
/// What describes, prints or dumps them leaves the password out.
package struct Credentials: Hashable, Sendable {
    /// The name of the account.
    package var account: String
    /// The password of the account.
    package var password: String

    /// Credentials as they were set: what can't be sent is told by ``Login``.
    package init(account: String, password: String) {
        self.account = account
        self.password = password
    }
}

extension Credentials: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The account alone.
    package var description: String { "the account \(account)" }

    /// The account alone.
    package var debugDescription: String { "Credentials(account: \(account.debugDescription))" }

    /// The account alone.
    package var customMirror: Mirror { Mirror(self, children: ["account": account]) }
}

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
