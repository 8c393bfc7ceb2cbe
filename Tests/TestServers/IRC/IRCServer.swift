/// A real IRC server.
public final class IRCServer: RunningServer, @unchecked Sendable {
    /// The operator's credentials: `OPER oper oper`.
    public static let oper = (name: "oper", password: "oper")

    /// The server's name.
    public let name = "irc.test"
}
