#if AllParts || IRC
    import Heybot
    import HeybotSockets
    import HeybotSupport
    import IRCAdapter

    /// The adapter for IRC.
    struct IRCPart: RobotPart {
        let settings = Setting.irc.grouped("irc").ofOneNetwork([
            "IRC_SERVER", "IRC_ROOMS", "IRC_PASSWORD", "IRC_NICKSERV_PASSWORD", "IRC_NICKSERV_USERNAME",
            "IRC_SASL_KEY", "IRC_FINGERPRINT", "IRC_CERT_FILE", "IRC_KEY_FILE", "IRC_CONNECT_COMMAND"
        ])
        let adapters: [AdapterName] = [.irc]

        func problems(of network: Network, in resolved: ResolvedSettings, isServing: Bool) -> [SettingsProblem] {
            resolved.settings.values(of: network).irc.problems(
                robotName: resolved.settings.name, isServerKnown: resolved.isWrong("\(network.prefix)SERVER")
            ) { resolved.variable($0, of: network) }
        }

        func adapter(_ network: Network, _ settings: SettingValues, _ brain: Brain, _ http: any HTTPClient) -> (
            any Adapter
        )? {
            try? IRCAdapter(settings.ircConfiguration(of: network), name: network.name, brain: brain)
        }
    }

    extension AdapterName {
        static let irc = AdapterName(rawValue: "irc")
    }

    extension SettingValues {
        /// The settings of the adapter, as they are set.
        var irc: IRCAdapter.Configuration {
            get { self[part: IRCAdapter.Configuration()] }
            set { self[part: IRCAdapter.Configuration()] = newValue }
        }

        /// Whether every line is logged.
        var logsLines: Bool {
            get { tracedAdapters.contains(.irc) }
            set { if newValue { tracedAdapters.insert(.irc) } else { tracedAdapters.remove(.irc) } }
        }

        /// The names of the networks, if there are several.
        var ircNetworks: [String] {
            get { networkNames[.irc] ?? [] }
            set { networkNames[.irc] = newValue }
        }

        /// The configuration of a network's adapter.
        func ircConfiguration(of network: Network) -> IRCAdapter.Configuration {
            var configuration = irc
            configuration.nick = irc.nick ?? name
            configuration.realName = irc.realName ?? name
            configuration.alias = alias
            configuration.optionNames = .settings(of: network)
            return configuration
        }
    }

    extension IRCAdapter.Configuration {
        /// Missing settings, and settings that can't be combined.
        ///
        /// - Parameters:
        ///   - isServerKnown: Whether a server was set, even if it is invalid.
        ///   - name: Returns the full name of a setting, such as `NICK`.
        func problems(robotName: String, isServerKnown: Bool, name: (String) -> String) -> [SettingsProblem] {
            let loginFix = "set \(name("NICKSERV_PASSWORD")), \(name("SASL_KEY")) or \(name("CERT_FILE"))"
            let hasKey = certificateFile != nil || saslKeyFile != nil
            var problems: [SettingsProblem] = []
            if servers.isEmpty, !isServerKnown {
                problems.append(
                    .missing(
                        name("SERVER"), separator: "; expected ", "the network's server, such as irc.libera.chat")
                )
            }
            if usesSASL == true, accountPassword == nil, password == nil, !hasKey {
                problems.append(
                    SettingsProblem(
                        "\(name("USESASL")) is set, but there is nothing to log in with", fix: loginFix))
            }
            if mustLogIn, accountPassword == nil, !hasKey, usesSASL != true || password == nil {
                problems.append(
                    SettingsProblem(
                        "\(name("LOGIN_REQUIRED")) is set, but there is nothing to log in with", fix: loginFix))
            }
            if accountName != nil, accountPassword == nil, saslKeyFile == nil, usesSASL != true {
                problems.append(.incomplete(name("NICKSERV_USERNAME"), without: name("NICKSERV_PASSWORD")))
            }
            if let saslKeyFile { problems += keyProblems(saslKeyFile, name: name) }
            if nick == nil, !Self.isNick(robotName) {
                problems.append(
                    SettingsProblem(
                        "the robot's name \"\(robotName)\" isn't a valid nick: a nick has no spaces and doesn't begin with a digit",
                        fix: "set \(name("NICK"))"))
            }
            if usesTLS == nil, Set(servers.map { ($0.port ?? port ?? Self.securePort) == Self.securePort }).count > 1 {
                problems.append(
                    SettingsProblem(
                        "some servers use port 6697 (TLS) and some don't",
                        fix: "set \(name("USESSL")), which applies to all servers"))
            }
            if keyFile != nil, certificateFile == nil {
                problems.append(.incomplete(name("KEY_FILE"), without: name("CERT_FILE")))
            }
            // An invalid fingerprint was reported when it was read.
            if isSecure, let tls = try? tls() {
                do {
                    try tls.check()
                } catch {
                    let file =
                        error.file == authorityFile
                        ? "CA_FILE" : error.file == certificateFile ? "CERT_FILE" : "KEY_FILE"
                    problems.append(.file(name(file), error))
                }
            } else if !isSecure, certificateFile != nil || authorityFile != nil {
                // A fingerprint is of use without TLS too: the server may demand TLS (IRCv3 STS).
                problems.append(
                    SettingsProblem(
                        line:
                            "a certificate is set for IRC, but \(name("USESSL"))=false disables TLS",
                        fix: "unset \(name("USESSL")), or the certificate"))
            }
            return problems
        }

        private func keyProblems(_ file: String, name: (String) -> String) -> [SettingsProblem] {
            if usesSASL == false {
                return [
                    SettingsProblem(
                        "\(name("SASL_KEY")) is set, but \(name("USESASL"))=false disables SASL",
                        fix: "unset one of them")
                ]
            }
            let mechanism = "ECDSA-NIST256P-CHALLENGE"
            if !saslMechanisms.isEmpty, !saslMechanisms.contains(where: { $0.uppercased() == mechanism }) {
                return [
                    SettingsProblem(
                        "\(name("SASL_KEY")) is set, but \(name("SASL_MECHANISMS")) doesn't allow \(mechanism)",
                        fix: "add it there, or unset one of them")
                ]
            }
            do {
                _ = try SigningKey.read(file)
                return []
            } catch {
                return [.file(name("SASL_KEY"), error)]
            }
        }
    }

    extension Setting {
        /// The settings of IRC.
        ///
        /// Those of Hubot's adapter have the same names.
        static let irc: [Setting] =
            [
                Setting(
                    "IRC_SERVER", key: "irc.server", \.irc.servers, .servers,
                    "the server, with an optional port (`irc.libera.chat:6697`), or several servers separated by commas; if one "
                        + "can't be reached, the robot tries the next"),
                Setting(
                    "IRC_NETWORKS", key: "irc.networks", \.ircNetworks, .networks(of: .irc),
                    "names of several networks, such as `libera,oftc`; each has its own settings, such as "
                        + "`HEYBOT_IRC_LIBERA_SERVER`, and the other settings apply to all of them",
                    fallback: "one network, `irc`"),
                Setting(
                    "IRC_PORT", key: "irc.port", \.irc.port, .port,
                    "the port of servers that IRC_SERVER lists without a port",
                    fallback: "6697, or 6667 without TLS"),
                Setting(
                    "IRC_ROOMS", key: "irc.rooms", \.irc.channels, .channels,
                    "the channels to join, separated by commas; write a channel with a key as `#room key`"),
                Setting(
                    "IRC_NICK", key: "irc.nick", \.irc.nick, .nick,
                    "the robot's nick", fallback: "the robot's name"),
                Setting(
                    "IRC_ALTERNATE_NICKS", key: "irc.alternateNicks", \.irc.alternateNicks, .nicks,
                    "nicks to use while the nick is taken", fallback: "the nick followed by `_`"),
                Setting(
                    "IRC_USERNAME", key: "irc.username", \.irc.userName, .word,
                    "the robot's user name on IRC", fallback: "the nick", isAdvanced: true),
                Setting(
                    "IRC_REALNAME", key: "irc.realname", \.irc.realName, .optional(),
                    "the robot's real name on IRC",
                    fallback: "the robot's name", isAdvanced: true),
                Setting(
                    "IRC_PASSWORD", key: "irc.password", \.irc.password, .optional(),
                    "the server's password. If IRC_USESASL is true and IRC_NICKSERV_PASSWORD isn't set, this is the "
                        + "account's password instead, and IRC_USERNAME is the account's name",
                    isSecret: true)
            ] + ircAccount + ircSecurity + ircBehavior + ircTimeouts

        private static let ircAccount: [Setting] = [
            Setting(
                "IRC_NICKSERV_PASSWORD", key: "irc.nickservPassword", \.irc.accountPassword, .optional(),
                "the password of the robot's account, sent with SASL if the server supports it, otherwise to NickServ",
                isSecret: true),
            Setting(
                "IRC_NICKSERV_USERNAME", key: "irc.nickservUsername", \.irc.accountName, .word,
                "the name of the robot's account", fallback: "the nick"),
            Setting(
                "IRC_USESASL", key: "irc.useSasl", \.irc.usesSASL, .optionalFlag,
                "whether to log in with SASL", fallback: "if the server supports it"),
            Setting(
                "IRC_SASL_KEY", key: "irc.saslKey", \.irc.saslKeyFile, .path,
                "a private key (PEM) on the curve P-256 to log in with (SASL ECDSA-NIST256P-CHALLENGE)"),
            Setting(
                "IRC_SASL_MECHANISMS", key: "irc.saslMechanisms", \.irc.saslMechanisms, .saslMechanisms,
                "the SASL mechanisms that may be used, separated by commas: `EXTERNAL`, "
                    + "`ECDSA-NIST256P-CHALLENGE`, `SCRAM-SHA-512`, `SCRAM-SHA-256`, `PLAIN`; of those that the server offers, the robot tries the strongest first",
                fallback: "all of them", isAdvanced: true),
            Setting(
                "IRC_PLAINTEXT_PASSWORD", key: "irc.plaintextPassword", formerly: ("IRC_PLAIN", "irc.plain"),
                \.irc.sendsPlainPassword, .flag,
                "whether the account's password may be sent over an unencrypted connection, where others can read it",
                isAdvanced: true
            ),
            Setting(
                "IRC_NICKSERV", key: "irc.nickserv", \.irc.nickServ, .nickServ,
                "the service that gets the account's password if SASL isn't used: a nick, a nick at a server "
                    + "(`NickServ@services.example.net`), or a hostmask (`NickServ!*@services.example.net`). If this is "
                    + "only a nick, the robot sends the password only if WHOIS shows that nick on a services server",
                fallback: "NickServ", isAdvanced: true),
            Setting(
                "IRC_CHANSERV", key: "irc.chanserv", \.irc.chanServ, .nick,
                "the service that the robot asks to make it an operator when it has to moderate a channel, such as "
                    + "`ChanServ`; if this isn't set, it asks none"),
            Setting(
                "IRC_LOGIN_REQUIRED", key: "irc.loginRequired", \.irc.mustLogIn, .flag,
                "whether to disconnect and retry later if the login fails")
        ]

        private static let ircSecurity: [Setting] = [
            Setting(
                "IRC_TRUST_NICKS", key: "irc.trustNicks", \.irc.trustsNicks, .flag,
                "whether a nick alone identifies a user on a network that doesn't report accounts; unsafe: list hostmasks in "
                    + "AUTH_ADMIN instead", isAdvanced: true),
            Setting(
                "IRC_USESSL", key: "irc.useSsl", \.irc.usesTLS, .optionalFlag,
                "whether to use TLS",
                fallback:
                    "false if a port other than 6697 is set and none of IRC_CA_FILE, IRC_FINGERPRINT and IRC_CERT_FILE is "
                    + "set; otherwise true"
            ),
            Setting(
                "IRC_CA_FILE", key: "irc.caFile", \.irc.authorityFile, .path,
                "the certificate (PEM) of the CA that signed the server's certificate, if the system doesn't trust that CA"
            ),
            Setting(
                "IRC_FINGERPRINT", key: "irc.fingerprint", \.irc.fingerprint, .fingerprint,
                "the SHA-256 fingerprint of the server's certificate; if this is set, only the fingerprint is verified"),
            Setting(
                "IRC_SERVER_FAKE_SSL", key: "irc.serverFakeSsl", \.irc.acceptsAnyCertificate, .flag,
                "whether to accept any server certificate; unsafe: use IRC_FINGERPRINT instead", isAdvanced: true),
            Setting(
                "IRC_SERVER_CERT_EXPIRED", key: "irc.serverCertExpired", \.irc.acceptsExpiredCertificate, .flag,
                "the same as IRC_SERVER_FAKE_SSL", isAdvanced: true),
            Setting(
                "IRC_CERT_FILE", key: "irc.certFile", \.irc.certificateFile, .path,
                "a client certificate (PEM) to log in with (SASL EXTERNAL, CertFP)"),
            Setting(
                "IRC_KEY_FILE", key: "irc.keyFile", \.irc.keyFile, .path,
                "the private key (PEM) of the client certificate", fallback: "the key in IRC_CERT_FILE")
        ]

        private static let ircBehavior: [Setting] = [
            Setting(
                "IRC_CONNECT_COMMAND", key: "irc.connectCommand", \.irc.command, .line,
                "a raw line to send before joining, such as `OPER marvin secret`", isSecret: true, isAdvanced: true),
            Setting(
                "IRC_REJOIN", key: "irc.rejoin", \.irc.roomRejoinPolicy.rejoinsAfterKick, .flag,
                "whether to rejoin a channel after a kick"
            ),
            Setting(
                "IRC_IGNOREINVITE", key: "irc.ignoreInvite", \.irc.roomRejoinPolicy.ignoresInvitations, .flag,
                "whether to ignore invitations to channels"),
            Setting(
                "IRC_PRIVATE", key: "irc.private", \.irc.ignoresPrivateMessages, .flag,
                "whether to ignore private messages"),
            Setting(
                "IRC_IGNORE_BOTS", key: "irc.ignoreBots", \.irc.ignoresBots, .flag,
                "whether to ignore other bots, if the server marks them"),
            Setting(
                "IRC_IGNORE_USERS", key: "irc.ignoreUsers", \.irc.ignored, .masks,
                "users to ignore: nicks, or masks such as `*!*@*.example.org`"),
            Setting(
                "IRC_MISSED_MESSAGE_AGE", key: "irc.missedMessageAge", \.irc.missedMessageAge, .secondsOrNone,
                "how old, in seconds, a message to the robot may be that it answers although it was disconnected when the "
                    + "message was sent; only if the server keeps messages"),
            Setting(
                "IRC_SEND_NOTICE_MODE", key: "irc.sendNoticeMode", \.irc.speaksInNotices, .flag,
                "whether to send messages as NOTICE instead of PRIVMSG, so that other bots don't answer",
                isAdvanced: true),
            Setting(
                "IRC_UNFLOOD", key: "irc.unflood", \.irc.lineInterval, .unflood,
                "milliseconds between two lines once IRC_BURST is used up; 0 disables the limit", isAdvanced: true),
            Setting(
                "IRC_BURST", key: "irc.burst", \.irc.burst, .number(1...1_000),
                "the number of lines that may be sent at once", isAdvanced: true),
            Setting(
                "IRC_QUEUE", key: "irc.queue", \.irc.queueLimit, .number(1...1_000_000),
                "the maximum number of queued messages; further ones are dropped and counted", isAdvanced: true),
            Setting(
                "IRC_PAGE", key: "irc.page", \.irc.page, .number(0...1_000),
                "the number of lines of an answer to send before `more` is required; 0 sends all lines"),
            Setting(
                "IRC_RATE_BURST", key: "irc.rateBurst", formerly: ("IRC_ANSWERS", "irc.answers"),
                \.irc.commandLimit.burst,
                .number(0...100_000),
                "the number of commands a user may send at once; 0 disables the limit", isAdvanced: true),
            Setting(
                "IRC_RATE_INTERVAL", key: "irc.rateInterval", formerly: ("IRC_ANSWER_INTERVAL", "irc.answerInterval"),
                \.irc.commandLimit.interval, .seconds,
                "seconds until a user over the limit may send another command", isAdvanced: true),
            Setting(
                "IRC_DEBUG", key: "irc.debug", \.logsLines, .flag,
                "whether to log every line sent and received, without passwords; the same as LOG_LEVEL `irc=trace`",
                isReloadable: true)
        ]

        private static let ircTimeouts: [Setting] = [
            Setting(
                "IRC_CONNECT_TIMEOUT", key: "irc.connectTimeout", formerly: ("IRC_CONNECT_WITHIN", "irc.connectWithin"),
                \.irc.connection.connectTimeout, .seconds,
                "seconds a connection attempt may take", isAdvanced: true),
            Setting(
                "IRC_PING_INTERVAL", key: "irc.pingInterval", formerly: ("IRC_SILENCE", "irc.silence"),
                \.irc.connection.pingInterval, .seconds,
                "seconds of silence before a PING is sent", isAdvanced: true),
            Setting(
                "IRC_PING_TIMEOUT", key: "irc.pingTimeout", formerly: ("IRC_ANSWER_WITHIN", "irc.answerWithin"),
                \.irc.connection.pingTimeout, .seconds,
                "seconds to wait for the answer to a PING before reconnecting", isAdvanced: true),
            Setting(
                "IRC_LOGIN_TIMEOUT", key: "irc.loginTimeout", formerly: ("IRC_LOGIN_WITHIN", "irc.loginWithin"),
                \.irc.loginTimeout, .seconds,
                "seconds the login to the account may take", isAdvanced: true),
            Setting(
                "IRC_RECONNECT_WAIT", key: "irc.reconnectWait", formerly: ("IRC_RECONNECT_FIRST", "irc.reconnectFirst"),
                \.irc.connection.reconnect.first, .seconds,
                "seconds before the first attempt to reconnect; the delay doubles with each further attempt",
                isAdvanced: true),
            Setting(
                "IRC_RECONNECT_MAX_WAIT", key: "irc.reconnectMaxWait",
                formerly: ("IRC_RECONNECT_LONGEST", "irc.reconnectLongest"), \.irc.connection.reconnect.longest,
                .seconds,
                "the maximum number of seconds between attempts to reconnect", isAdvanced: true),
            Setting(
                "IRC_BACKOFF_RESET", key: "irc.backoffReset", formerly: ("IRC_STABLE", "irc.stable"),
                \.irc.connection.reconnect.stable, .seconds,
                "seconds a connection must last before the reconnect delay is reset", isAdvanced: true),
            Setting(
                "IRC_REFUSED_WAIT", key: "irc.refusedWait", \.irc.connection.refusedRetryDelay, .seconds,
                "seconds before reconnecting after a ban, a wrong password or an untrusted certificate",
                isAdvanced: true),
            Setting(
                "IRC_JOIN_RETRY", key: "irc.joinRetry", \.irc.roomRejoinPolicy.joinRetryDelay, .seconds,
                "seconds between attempts to join a channel that refuses the robot", isAdvanced: true),
            Setting(
                "IRC_REJOIN_WAIT", key: "irc.rejoinWait", \.irc.roomRejoinPolicy.rejoinDelay, .seconds,
                "seconds before rejoining after a kick; the delay doubles with each further kick", isAdvanced: true),
            Setting(
                "IRC_NICK_RETRY", key: "irc.nickRetry", formerly: ("IRC_REGAIN", "irc.regain"),
                \.irc.nickRetryInterval, .seconds,
                "seconds between attempts to regain the nick, if the server doesn't report when the nick is free",
                isAdvanced: true
            )
        ]
    }
#endif
