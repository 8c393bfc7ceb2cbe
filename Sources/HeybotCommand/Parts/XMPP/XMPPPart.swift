#if AllParts || XMPP
    import Heybot
    import HeybotSockets
    import XMPPAdapter

    /// The adapter for XMPP, also with the names of Hubot's adapter for Google Talk.
    struct XMPPPart: RobotPart {
        let settings =
            Setting.xmpp.grouped("xmpp").ofOneNetwork(["XMPP_USERNAME", "XMPP_PASSWORD", "XMPP_ROOMS", "XMPP_HOST"])
            + Setting.googleTalk.grouped("gtalk")
        let adapters: [AdapterName] = [.xmpp, .gtalk]

        func problems(of network: Network, in resolved: ResolvedSettings, isServing: Bool) -> [SettingsProblem] {
            let settings = resolved.settings.values(of: network)
            let other = network.kind == .gtalk ? Network(.xmpp) : network
            return settings.xmppConfiguration(of: network).problems(
                of: network, isNickSet: settings.xmpp.nick != nil,
                isAddressKnown: resolved.isWrong("\(network.prefix)USERNAME")
            ) { resolved.variable($0, of: other) }
        }

        func problems(in settings: SettingValues) -> [SettingsProblem] {
            guard settings.adapters.contains(.gtalk), !settings.xmppNetworks.isEmpty else { return [] }
            return [
                SettingsProblem(
                    "the adapter gtalk can't be combined with several XMPP accounts",
                    fix: "name its account in HEYBOT_XMPP_NETWORKS too, and leave out gtalk")
            ]
        }

        func adapter(_ network: Network, _ settings: SettingValues, _ brain: Brain, _ http: any HTTPClient) -> (
            any Adapter
        )? {
            try? XMPPAdapter(settings.xmppConfiguration(of: network), name: network.name, brain: brain, http: http)
        }
    }

    extension AdapterName {
        static let xmpp = AdapterName(rawValue: "xmpp")
        static let gtalk = AdapterName(rawValue: "gtalk")
    }

    extension SettingValues {
        /// The settings of the adapter, as they are set.
        var xmpp: XMPPAdapter.Configuration {
            get { self[part: XMPPAdapter.Configuration()] }
            set { self[part: XMPPAdapter.Configuration()] = newValue }
        }

        var googleTalk: GoogleTalk {
            get { self[part: GoogleTalk()] }
            set { self[part: GoogleTalk()] = newValue }
        }

        /// Whether every stanza is logged.
        var logsStanzas: Bool {
            get { tracedAdapters.contains(.xmpp) }
            set {
                let names: Set = [AdapterName.xmpp, .gtalk]
                if newValue { tracedAdapters.formUnion(names) } else { tracedAdapters.subtract(names) }
            }
        }

        /// The names of the networks, if there are several.
        var xmppNetworks: [String] {
            get { networkNames[.xmpp] ?? [] }
            set { networkNames[.xmpp] = newValue }
        }

        /// The additional settings of Hubot's adapter for Google Talk.
        struct GoogleTalk: Sendable {
            var address: String?
            var password: String?
            var domains: [String] = []
            var users: [String] = []
        }

        /// The configuration of a network's adapter: Google Talk has its own account, and the other settings of XMPP.
        func xmppConfiguration(of network: Network) -> XMPPAdapter.Configuration {
            var configuration = xmpp
            configuration.nick = xmpp.nick ?? name
            configuration.optionNames = .settings(of: network)
            guard network.kind == .gtalk else { return configuration }
            (configuration.address, configuration.password) = (googleTalk.address, googleTalk.password)
            let known = googleTalk.domains + googleTalk.users
            if !known.isEmpty { configuration.contacts = .only(known) }
            return configuration
        }
    }

    extension XMPPAdapter.Configuration {
        /// Missing settings, and settings that can't be combined.
        ///
        /// - Parameters:
        ///   - network: The network, for the settings' names.
        ///   - isNickSet: Whether a nick was set. Otherwise it is the robot's name.
        ///   - isAddressKnown: Whether an address was set, even if it is invalid.
        ///   - name: Returns the full name of a setting that Google Talk doesn't have, such as `NICK`.
        func problems(
            of network: Network, isNickSet: Bool, isAddressKnown: Bool, name: (String) -> String
        ) -> [SettingsProblem] {
            var problems: [SettingsProblem] = []
            if address == nil, !isAddressKnown {
                problems.append(
                    .missing(
                        network.variable("USERNAME"), separator: "; expected ",
                        "the account's address, such as marvin@example.org"
                    ))
            }
            if password == nil {
                problems.append(
                    .missing(network.variable("PASSWORD"), separator: "; expected ", "the account's password"))
            }
            if !isNickSet, !rooms.isEmpty, let nick, !isRoomNick(nick) {
                problems.append(
                    SettingsProblem(
                        "the robot's name \"\(nick)\" isn't a valid nick in a room", fix: "set \(name("NICK"))"))
            }
            if usesNoTLS, isDirectTLS {
                problems.append(
                    SettingsProblem(
                        "\(name("LEGACYSSL")) and \(name("DISALLOW_TLS")) can't be combined", fix: "unset one of them"
                    ))
            }
            if usesNoTLS, authorityFile != nil {
                problems.append(
                    SettingsProblem(
                        "\(name("CA_FILE")) and \(name("DISALLOW_TLS")) can't be combined", fix: "unset one of them"))
            }
            if port != nil, host == nil {
                problems.append(.incomplete(name("PORT"), without: name("HOST")))
            }
            if isDirectTLS, host == nil {
                problems.append(.incomplete(name("LEGACYSSL"), without: name("HOST")))
            }
            if authorityFile != nil {
                do { try TLSOptions(trust: trust).check() } catch {
                    problems.append(.file(name("CA_FILE"), error))
                }
            }
            return problems
        }
    }

    extension Setting {
        /// The settings of XMPP.
        ///
        /// Those of Hubot's adapters have the same names.
        static let xmpp: [Setting] = xmppAccount + xmppServer + xmppBehavior + xmppTimeouts

        private static let xmppAccount: [Setting] = [
            Setting(
                "XMPP_USERNAME", key: "xmpp.username", \.xmpp.address, .address,
                "the robot's address, such as `marvin@example.org`, with an optional resource"),
            Setting(
                "XMPP_NETWORKS", key: "xmpp.networks", \.xmppNetworks, .networks(of: .xmpp),
                "names of several accounts, such as `work,family`; each has its own settings, such as "
                    + "`HEYBOT_XMPP_WORK_USERNAME`, and the other settings apply to all of them",
                fallback: "one account, `xmpp`"),
            Setting(
                "XMPP_PASSWORD", key: "xmpp.password", \.xmpp.password, .optional(),
                "the password of the robot's account", isSecret: true),
            Setting(
                "XMPP_ROOMS", key: "xmpp.rooms", \.xmpp.rooms, .rooms,
                "the rooms to join, separated by commas; write a room with a password as `room@service:password`"),
            Setting(
                "XMPP_NICK", key: "xmpp.nick", \.xmpp.nick, .roomNick,
                "the robot's nick in rooms",
                fallback: "the robot's name"),
            Setting(
                "XMPP_STATUS", key: "xmpp.status", \.xmpp.status, .optional(),
                "the status text of the robot's presence")
        ]

        private static let xmppServer: [Setting] = [
            Setting(
                "XMPP_HOST", key: "xmpp.host", \.xmpp.host, .host,
                "the server's host name or IP address; its certificate must still be valid for the domain of the robot's "
                    + "address",
                fallback: "from DNS, by the domain of the robot's address"),
            Setting(
                "XMPP_PORT", key: "xmpp.port", \.xmpp.port, .port,
                "the port of XMPP_HOST",
                fallback: "5222, or 5223 with XMPP_LEGACYSSL"),
            Setting(
                "XMPP_LEGACYSSL", key: "xmpp.legacySsl", \.xmpp.isDirectTLS, .flag,
                "whether XMPP_HOST expects TLS from the first byte (direct TLS)", isAdvanced: true),
            Setting(
                "XMPP_DISALLOW_TLS", key: "xmpp.disallowTls", \.xmpp.usesNoTLS, .flag,
                "whether to connect without TLS; meant for a server on the same machine. If false, the robot doesn't log in "
                    + "to a server that offers no TLS",
                isAdvanced: true),
            Setting(
                "XMPP_CA_FILE", key: "xmpp.caFile", \.xmpp.authorityFile, .path,
                "the certificate (PEM) of the CA that signed the server's certificate, if the system doesn't trust that CA"
            ),
            Setting(
                "XMPP_PREFERRED_SASL_MECHANISM", key: "xmpp.preferredSaslMechanism", \.xmpp.mechanism, .mechanism,
                "the SASL mechanism to try first", fallback: "the strongest", isAdvanced: true)
        ]

        private static let xmppBehavior: [Setting] = [
            Setting(
                "XMPP_CONTACTS", key: "xmpp.contacts", \.xmpp.contacts, .contacts,
                "users who may add the robot as a contact, send it direct messages and invite it: `all`, `none`, or addresses "
                    + "and domains"),
            Setting(
                "XMPP_REJOIN", key: "xmpp.rejoin", \.xmpp.roomRejoinPolicy.rejoinsAfterKick, .flag,
                "whether to rejoin a configured room after a kick, a ban or the room's destruction"),
            Setting(
                "XMPP_IGNOREINVITE", key: "xmpp.ignoreInvite", \.xmpp.roomRejoinPolicy.ignoresInvitations, .flag,
                "whether to ignore invitations to rooms"),
            Setting(
                "XMPP_BOOKMARKS", key: "xmpp.bookmarks", \.xmpp.usesBookmarks, .flag,
                "whether the robot stores the rooms that it joins by invitation or by the command `join` as bookmarks of its "
                    + "account, and at the start joins the rooms in the bookmarks; for an account that only the robot uses"
            ),
            Setting(
                "XMPP_MISSED_MESSAGE_AGE", key: "xmpp.missedMessageAge", \.xmpp.missedMessageAge, .secondsOrNone,
                "how old, in seconds, a command may be that the robot answers although it was disconnected when the command "
                    + "was sent; a command of the last minute is answered in any case if the server has kept it"),
            Setting(
                "XMPP_STAY_DURING_RESTART", key: "xmpp.stayDuringRestart", \.xmpp.staysDuringRestart, .flag,
                "whether a stopped robot stays in its rooms until the server ends its session, so that nobody sees a "
                    + "restart; if false, the robot leaves its rooms when it is stopped"),
            Setting(
                "XMPP_SHOW_ACTIVITY", key: "xmpp.showActivity", \.xmpp.showsActivity, .flag,
                "whether others see that the robot is writing, and that it has received and read their direct "
                    + "messages"),
            Setting(
                "XMPP_UNFLOOD", key: "xmpp.unflood", \.xmpp.messageInterval, .unflood,
                "milliseconds between two messages once XMPP_BURST is used up; 0 disables the limit", isAdvanced: true),
            Setting(
                "XMPP_BURST", key: "xmpp.burst", \.xmpp.burst, .number(1...1_000),
                "the number of messages that may be sent at once", isAdvanced: true),
            Setting(
                "XMPP_QUEUE", key: "xmpp.queue", \.xmpp.queueLimit, .number(1...1_000_000),
                "the maximum number of queued messages; further ones are dropped and counted", isAdvanced: true),
            Setting(
                "XMPP_MAX_STANZA_SIZE", key: "xmpp.maxStanzaSize",
                formerly: ("XMPP_LONGEST_STANZA", "xmpp.longestStanza"),
                \.xmpp.longestStanza, .number(10_000...100_000_000),
                "the maximum size of a stanza in bytes, if the server doesn't announce it", isAdvanced: true),
            Setting(
                "XMPP_RATE_BURST", key: "xmpp.rateBurst", formerly: ("XMPP_ANSWERS", "xmpp.answers"),
                \.xmpp.commandLimit.burst, .number(0...100_000),
                "the number of commands a user may send at once; 0 disables the limit", isAdvanced: true),
            Setting(
                "XMPP_RATE_INTERVAL", key: "xmpp.rateInterval",
                formerly: ("XMPP_ANSWER_INTERVAL", "xmpp.answerInterval"),
                \.xmpp.commandLimit.interval, .seconds,
                "seconds until a user over the limit may send another command", isAdvanced: true),
            Setting(
                "XMPP_DEBUG", key: "xmpp.debug", \.logsStanzas, .flag,
                "whether to log every stanza, without passwords; the same as LOG_LEVEL `xmpp=trace`", isReloadable: true
            )
        ]

        private static let xmppTimeouts: [Setting] = [
            Setting(
                "XMPP_KEEPALIVE_INTERVAL", key: "xmpp.keepaliveInterval", \.xmpp.connection.pingInterval, .milliseconds,
                "milliseconds of silence before a ping is sent to the server", isAdvanced: true),
            Setting(
                "XMPP_PING_TIMEOUT", key: "xmpp.pingTimeout", formerly: ("XMPP_ANSWER_WITHIN", "xmpp.answerWithin"),
                \.xmpp.connection.pingTimeout, .seconds,
                "seconds to wait for the answer to a ping before reconnecting", isAdvanced: true),
            Setting(
                "XMPP_CONNECT_TIMEOUT", key: "xmpp.connectTimeout",
                formerly: ("XMPP_CONNECT_WITHIN", "xmpp.connectWithin"),
                \.xmpp.connection.connectTimeout, .seconds,
                "seconds a connection attempt may take", isAdvanced: true),
            Setting(
                "XMPP_RECONNECT_WAIT", key: "xmpp.reconnectWait", \.xmpp.connection.reconnect.first, .milliseconds,
                "milliseconds before the first attempt to reconnect; the delay doubles with each further attempt",
                isAdvanced: true),
            Setting(
                "XMPP_RECONNECT_MAX_WAIT", key: "xmpp.reconnectMaxWait",
                formerly: ("XMPP_RECONNECT_LONGEST", "xmpp.reconnectLongest"), \.xmpp.connection.reconnect.longest,
                .seconds,
                "the maximum number of seconds between attempts to reconnect", isAdvanced: true),
            Setting(
                "XMPP_BACKOFF_RESET", key: "xmpp.backoffReset", formerly: ("XMPP_STABLE", "xmpp.stable"),
                \.xmpp.connection.reconnect.stable, .seconds,
                "seconds a connection must last before the reconnect delay is reset", isAdvanced: true),
            Setting(
                "XMPP_REFUSED_WAIT", key: "xmpp.refusedWait", \.xmpp.connection.refusedRetryDelay, .seconds,
                "seconds before reconnecting after a wrong password or an untrusted certificate", isAdvanced: true),
            Setting(
                "XMPP_JOIN_RETRY", key: "xmpp.joinRetry", \.xmpp.roomRejoinPolicy.joinRetryDelay, .seconds,
                "seconds between attempts to join a room that refuses the robot", isAdvanced: true),
            Setting(
                "XMPP_REJOIN_WAIT", key: "xmpp.rejoinWait", \.xmpp.roomRejoinPolicy.rejoinDelay, .seconds,
                "seconds before rejoining after a kick; the delay doubles with each further kick", isAdvanced: true),
            Setting(
                "XMPP_NICK_RETRY", key: "xmpp.nickRetry", formerly: ("XMPP_REGAIN", "xmpp.regain"),
                \.xmpp.nickRetryInterval, .seconds,
                "seconds between attempts to regain the nick", isAdvanced: true),
            Setting(
                "XMPP_ROOM_PING_INTERVAL", key: "xmpp.roomPingInterval",
                formerly: ("XMPP_ROOM_SILENCE", "xmpp.roomSilence"), \.xmpp.roomPingInterval, .seconds,
                "seconds of silence in a room before the robot checks whether it is still an occupant",
                isAdvanced: true)
        ]

        static let googleTalk: [Setting] = [
            Setting(
                "GTALK_USERNAME", key: "gtalk.username", \.googleTalk.address, .address,
                "the robot's address for the adapter `gtalk`, which is `xmpp` with Hubot's old setting names"),
            Setting(
                "GTALK_PASSWORD", key: "gtalk.password", \.googleTalk.password, .optional(),
                "the password of the robot's account for the adapter `gtalk`", isSecret: true),
            Setting(
                "GTALK_WHITELIST_DOMAINS", key: "gtalk.whitelistDomains", \.googleTalk.domains, .domains,
                "domains whose users may add the robot as a contact and send it direct messages; replaces XMPP_CONTACTS",
                fallback: "XMPP_CONTACTS applies"),
            Setting(
                "GTALK_WHITELIST_USERS", key: "gtalk.whitelistUsers", \.googleTalk.users, .people,
                "addresses of users who may add the robot as a contact and send it direct messages; replaces XMPP_CONTACTS",
                fallback: "XMPP_CONTACTS applies")
        ]
    }
#endif
