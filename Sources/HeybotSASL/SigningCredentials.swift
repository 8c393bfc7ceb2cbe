package import HeybotSupport

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
