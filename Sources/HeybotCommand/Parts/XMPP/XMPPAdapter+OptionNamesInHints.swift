#if AllParts || XMPP
    import XMPPAdapter

    extension XMPPAdapter.OptionNamesInHints {
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
#endif
