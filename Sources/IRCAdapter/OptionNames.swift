package import HeybotIRC
package import NetworkAdapter

extension IRCAdapter {
    /// What the options of a configuration are called when an error or a warning says which one to change: the properties'
    /// names, unless people set them by others, such as environment variables.
    package struct OptionNames: Hashable, Sendable {
        package var server = "servers"
        package var port = "port"
        /// What to do to have the connection encrypted.
        package var encrypt = "set usesTLS=true"
        /// What to do to have the connection not encrypted.
        package var decrypt = "set usesTLS=false"
        package var authority = "authorityFile"
        package var fingerprint = "fingerprint"
        package var certificate = "certificateFile"
        package var nick = "nick"
        package var alternateNicks = "alternateNicks"
        package var serverPassword = "password"
        package var accountName = "accountName"
        package var accountPassword = "accountPassword"
        package var usesSASL = "usesSASL"
        package var sendsPlainPassword = "sendsPlainPassword"
        package var nickServ = "nickServ"
        package var channels = "channels"
        package var commands = "command"
        package var trustsNicks = "trustsNicks"
        package var admins = "the robot's admins"

        /// Names the properties.
        package init() {}
    }
}

extension IRCAdapter.OptionNames: SessionOptionNames {
    package func fix(_ note: Note) -> String? {
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

    package var connection: ConnectionOptionNames {
        ConnectionOptionNames(
            server: server, port: port, authority: authority, fingerprint: fingerprint, encrypt: encrypt,
            decrypt: decrypt)
    }
}
