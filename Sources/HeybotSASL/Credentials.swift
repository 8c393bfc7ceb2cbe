/// Who logs in.
///
/// What describes, prints or dumps them leaves the password out.
public struct Credentials: Hashable, Sendable {
    /// The name of the account.
    public var account: String
    /// The password of the account.
    public var password: String

    /// Credentials as they were set: what can't be sent is told by ``Login``.
    public init(account: String, password: String) {
        self.account = account
        self.password = password
    }
}

extension Credentials: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The account alone.
    public var description: String { "the account \(account)" }

    /// The account alone.
    public var debugDescription: String { "Credentials(account: \(account.debugDescription))" }

    /// The account alone.
    public var customMirror: Mirror { Mirror(self, children: ["account": account]) }
}
