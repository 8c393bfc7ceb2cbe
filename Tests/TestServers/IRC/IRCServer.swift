/// An IRC server as it's used out there.
public final class IRCServer: RunningServer, @unchecked Sendable {
    /// What an operator logs in with: `OPER oper oper`.
    public static let oper = (name: "oper", password: "oper")

    /// What it's called.
    public let name = "irc.test"
}
