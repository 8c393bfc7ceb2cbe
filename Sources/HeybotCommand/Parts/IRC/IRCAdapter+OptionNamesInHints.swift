#if AllParts || IRC
    import IRCAdapter

    /// The settings' names for the adapter's options, for errors that say what to change.
    extension IRCAdapter.OptionNamesInHints {
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
#endif
