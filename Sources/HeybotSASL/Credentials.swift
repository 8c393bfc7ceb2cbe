/// An account and its password.
///
/// Descriptions, dumps and mirrors omit the password.
package struct Credentials: Hashable, Sendable {
    /// The account name.
    package var account: String
    /// The password.
    package var password: String

    /// Creates unchecked credentials; ``SASLClient`` reports what can't be sent.
    package init(account: String, password: String) {
        self.account = account
        self.password = password
    }
}

extension Credentials: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The account, without the password.
    package var description: String { "the account \(account)" }

    /// The account, without the password.
    package var debugDescription: String { "Credentials(account: \(account.debugDescription))" }

    /// The account, without the password.
    package var customMirror: Mirror { Mirror(self, children: ["account": account]) }
}

/// A SASL mechanism (RFC 4422).
///
/// `allCases` is sorted by strength: use the first one that the server offers and the credentials allow.
package enum Mechanism: String, CaseIterable, Hashable, Sendable {
    /// Authentication by the connection itself, such as a client certificate (RFC 4422 appendix A).
    case external = "EXTERNAL"
    /// Mutual proof of the password (RFC 7677).
    case scramSHA256 = "SCRAM-SHA-256"
    /// As ``scramSHA256``, with an older hash function (RFC 5802).
    case scramSHA1 = "SCRAM-SHA-1"
    /// The password in plain text, visible to anyone who can read the connection (RFC 4616).
    case plain = "PLAIN"
}
