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
