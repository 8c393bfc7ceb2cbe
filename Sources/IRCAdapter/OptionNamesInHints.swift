package import HeybotIRC
package import NetworkAdapter

extension IRCAdapter {
    /// The names of the options in errors and warnings that suggest a change: by default the properties' names, but users
    /// may set them otherwise, for example by environment variables.
    package struct OptionNamesInHints: Hashable, Sendable {
        package var server = "servers"
        package var port = "port"
        /// How to enable encryption.
        package var encrypt = "set usesTLS=true"
        /// How to disable encryption.
        package var decrypt = "set usesTLS=false"
        package var authority = "authorityFile"
        package var fingerprint = "fingerprint"
        package var certificate = "certificateFile"
        package var saslKey = "saslKeyFile"
        package var nick = "nick"
        package var alternateNicks = "alternateNicks"
        package var serverPassword = "password"
        package var accountName = "accountName"
        package var accountPassword = "accountPassword"
        package var usesSASL = "usesSASL"
        package var sendsPlainPassword = "sendsPlainPassword"
        package var nickServ = "nickServ"
        package var chanServ = "chanServ"
        package var channels = "channels"
        package var commands = "command"
        package var trustsNicks = "trustsNicks"
        package var admins = "the robot's admins"

        /// Uses the names of the properties.
        package init() {}
    }
}

extension IRCAdapter.OptionNamesInHints: SessionOptionNamesInHints {
    package func fix(_ entry: LogEntry) -> String? {
        switch entry {
        case .loginFailed(let reasons): reasons.lazy.compactMap { fix($0) }.first
        case .nickEnforced: "set \(accountPassword), or set \(nick) to another nick"
        case .renamed: "set \(channels) accordingly"
        case .accountsUnavailable: "\(nameHostmask), or set \(trustsNicks)=true"
        case .accountsUnlikely: nameHostmask
        default: nil
        }
    }

    var nameHostmask: String { "name a hostmask in \(admins), such as irc:ada!*@staff.example.org" }

    /// How to give the account the public half of the robot's key.
    var keyFix: String {
        "check \(accountName), and tell NickServ `SET PUBKEY` with what this command prints: openssl pkey -in FILE -pubout "
            + "-ec_conv_form compressed -outform DER | tail -c 33 | base64, with the path in \(saslKey) as FILE"
    }

    /// What to do on a network that can't verify the robot's key.
    var passwordFix: String { "set \(accountPassword) instead of \(saslKey)" }

    private func fix(_ reason: LoginFailureReason) -> String? {
        switch reason {
        case .inTheClear: "use TLS, or set \(sendsPlainPassword)=true"
        case .untrustedService(let nick, _):
            "set \(nickServ) to \(nick)'s hostmask, or to \(nick)@SERVER with the name of its server"
        case .keyRefused: keyFix
        case .keyUnsupported: passwordFix
        case .other: nil
        }
    }

    package var connection: ConnectionOptionNamesInHints {
        ConnectionOptionNamesInHints(
            server: server, port: port, authority: authority, fingerprint: fingerprint, encrypt: encrypt,
            decrypt: decrypt)
    }
}
