import CampfireAdapter
import IRCAdapter
import XMPPAdapter

// The settings' names for the adapters' options, for errors that say what to change.

extension IRCAdapter.OptionNames {
    static let settings: Self = {
        var names = Self()
        names.server = "HEYBOT_IRC_SERVER"
        names.port = "HEYBOT_IRC_PORT"
        names.encrypt = "set HEYBOT_IRC_USESSL=true"
        names.decrypt = "set HEYBOT_IRC_USESSL=false"
        names.authority = "HEYBOT_IRC_CA_FILE"
        names.fingerprint = "HEYBOT_IRC_FINGERPRINT"
        names.certificate = "HEYBOT_IRC_CERT_FILE"
        names.nick = "HEYBOT_IRC_NICK"
        names.alternateNicks = "HEYBOT_IRC_ALTERNATE_NICKS"
        names.serverPassword = "HEYBOT_IRC_PASSWORD"
        names.accountName = "HEYBOT_IRC_NICKSERV_USERNAME"
        names.accountPassword = "HEYBOT_IRC_NICKSERV_PASSWORD"
        names.usesSASL = "HEYBOT_IRC_USESASL"
        names.sendsPlainPassword = "HEYBOT_IRC_PLAINTEXT_PASSWORD"
        names.nickServ = "HEYBOT_IRC_NICKSERV"
        names.channels = "HEYBOT_IRC_ROOMS"
        names.commands = "HEYBOT_IRC_CONNECT_COMMAND"
        names.trustsNicks = "HEYBOT_IRC_TRUST_NICKS"
        names.admins = "HEYBOT_AUTH_ADMIN"
        return names
    }()
}

extension XMPPAdapter.OptionNames {
    /// - Parameter account: The prefix of the account's settings, such as `HEYBOT_GTALK`.
    static func settings(account: String) -> Self {
        var names = Self()
        names.address = "\(account)_USERNAME"
        names.password = "\(account)_PASSWORD"
        names.server = "HEYBOT_XMPP_HOST"
        names.port = "HEYBOT_XMPP_PORT"
        names.usesDirectTLS = "HEYBOT_XMPP_LEGACYSSL"
        names.encrypt = "unset HEYBOT_XMPP_DISALLOW_TLS"
        names.decrypt = "set HEYBOT_XMPP_DISALLOW_TLS=true"
        names.authority = "HEYBOT_XMPP_CA_FILE"
        names.nick = "HEYBOT_XMPP_NICK"
        names.rooms = "HEYBOT_XMPP_ROOMS"
        names.contacts = "HEYBOT_XMPP_CONTACTS"
        return names
    }
}

extension CampfireAdapter.OptionNames {
    static let settings: Self = {
        var names = Self()
        names.url = "HEYBOT_CAMPFIRE_ACCOUNT"
        names.key = "HEYBOT_CAMPFIRE_TOKEN"
        names.rooms = "HEYBOT_CAMPFIRE_ROOMS"
        return names
    }()
}

extension CampfireAdapter.ConfigurationError {
    /// The error with the setting's name.
    var settingsProblem: SettingsProblem {
        let words =
            switch self {
            case .badURL: "ACCOUNT must be the URL of a Campfire, such as https://chat.example.org"
            case .badKey: "TOKEN must be a bot's key: its number, a hyphen, and letters and digits"
            case .badSecret: "WEBHOOK_SECRET must be at least 16 characters, only letters, digits, - and _"
            case .badRoom: "ROOMS must be room ids separated by commas: the numbers in the rooms' URLs"
            }
        return SettingsProblem(line: "HEYBOT_CAMPFIRE_\(words)")
    }
}
