package import HeybotSupport

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

/// An account and the private key that its owner logs in with.
package struct SigningCredentials: Hashable, Sendable {
    /// The account name.
    package var account: String
    /// The key whose public half the account has.
    package var key: SigningKey

    /// Creates unchecked credentials; ``SASLClient`` reports what can't be sent.
    package init(account: String, key: SigningKey) {
        self.account = account
        self.key = key
    }
}
