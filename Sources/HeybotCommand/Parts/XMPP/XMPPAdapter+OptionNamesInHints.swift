#if AllParts || XMPP
    import XMPPAdapter

    extension XMPPAdapter.OptionNamesInHints {
        /// The settings' names for the adapter's options, for errors that say what to change.
        ///
        /// The adapter for Google Talk has its own account, and the other settings of XMPP.
        static func settings(of network: Network) -> Self {
            let name = (network.kind == .gtalk ? Network(.xmpp) : network).variable
            var names = Self()
            names.address = network.variable("USERNAME")
            names.password = network.variable("PASSWORD")
            names.server = name("HOST")
            names.port = name("PORT")
            names.usesDirectTLS = name("LEGACYSSL")
            names.encrypt = "unset \(name("DISALLOW_TLS"))"
            names.decrypt = "set \(name("DISALLOW_TLS"))=true"
            names.authority = name("CA_FILE")
            names.nick = name("NICK")
            names.rooms = name("ROOMS")
            names.contacts = name("CONTACTS")
            return names
        }
    }
#endif
