#if AllParts || IRC
    import IRCAdapter

    /// The settings' names for the adapter's options, for errors that say what to change.
    extension IRCAdapter.OptionNamesInHints {
        static func settings(of network: Network) -> Self {
            let name = network.variable
            var names = Self()
            names.server = name("SERVER")
            names.port = name("PORT")
            names.encrypt = "set \(name("USESSL"))=true"
            names.decrypt = "set \(name("USESSL"))=false"
            names.authority = name("CA_FILE")
            names.fingerprint = name("FINGERPRINT")
            names.certificate = name("CERT_FILE")
            names.saslKey = name("SASL_KEY")
            names.nick = name("NICK")
            names.alternateNicks = name("ALTERNATE_NICKS")
            names.serverPassword = name("PASSWORD")
            names.accountName = name("NICKSERV_USERNAME")
            names.accountPassword = name("NICKSERV_PASSWORD")
            names.usesSASL = name("USESASL")
            names.sendsPlainPassword = name("PLAINTEXT_PASSWORD")
            names.nickServ = name("NICKSERV")
            names.chanServ = name("CHANSERV")
            names.channels = name("ROOMS")
            names.commands = name("CONNECT_COMMAND")
            names.trustsNicks = name("TRUST_NICKS")
            names.admins = "HEYBOT_AUTH_ADMIN"
            return names
        }
    }
#endif
