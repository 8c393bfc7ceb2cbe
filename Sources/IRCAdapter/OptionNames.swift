import HeybotIRC
import NetworkAdapter

extension IRCAdapter {
    /// What the options of a configuration are called when an error or a warning says which one to change: the properties'
    /// names, unless people set them by others, such as environment variables.
    public struct OptionNames: Hashable, Sendable {
        public var server = "servers"
        public var port = "servers"
        /// What to do to have the connection encrypted.
        public var encrypt = "set tls"
        /// What to do to have the connection not encrypted.
        public var decrypt = "set tls to nil"
        public var authority = "tls.trust"
        public var fingerprint = "tls.trust"
        public var certificate = "tls.identity"
        public var nick = "profile.nick"
        public var alternateNicks = "profile.alternates"
        public var serverPassword = "profile.serverPassword"
        public var accountName = "profile.account"
        public var accountPassword = "profile.account"
        public var usesSASL = "profile.usesSASL"
        public var sendsPlainPassword = "profile.sendsPlainPassword"
        public var nickServ = "profile.nickServAddress"
        public var channels = "profile.channels"
        public var commands = "profile.commands"
        public var trustsNicks = "trustsNicks"
        public var admins = "the robot's admins"

        /// Names the properties.
        public init() {}
    }
}

extension IRCAdapter.OptionNames {
    /// What to change because of a note; nil if nothing can be changed.
    func fix(_ note: Note) -> String? {
        switch note {
        case .loginFailed(let problems): problems.lazy.compactMap { fix($0) }.first
        case .nickEnforced: "set \(accountPassword), or \(nick) to another"
        case .renamed: "set \(channels) accordingly"
        case .unprovable: "\(nameHostmask), or set \(trustsNicks)=true"
        case .doubtful: nameHostmask
        default: nil
        }
    }

    var nameHostmask: String { "name a hostmask in \(admins), such as irc:ada!*@staff.example.org" }

    private func fix(_ problem: LoginProblem) -> String? {
        switch problem {
        case .inTheClear: "use TLS, or set \(sendsPlainPassword)=true"
        case .untrustedService(let nick, _): "set \(nickServ) to its hostmask, or to \(nick)@ and its server"
        case .other: nil
        }
    }

    var connection: ConnectionOptionNames {
        ConnectionOptionNames(
            server: server, port: port, authority: authority, fingerprint: fingerprint, encrypt: encrypt,
            decrypt: decrypt)
    }
}
