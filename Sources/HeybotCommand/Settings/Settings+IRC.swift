import Heybot
import HeybotSockets
import IRCAdapter

extension Settings {
    /// What the adapter has.
    var ircConfiguration: IRCAdapter.Configuration {
        var configuration = irc
        configuration.nick = irc.nick ?? name
        configuration.realName = irc.realName ?? name
        configuration.optionNames = .settings
        return configuration
    }
}

extension IRCAdapter.Configuration {
    /// What is missing, or doesn't go together.
    ///
    /// - Parameter isServerKnown: Whether something was set for the server, right or wrong.
    func problems(robotName: String, isServerKnown: Bool) -> [SettingsProblem] {
        var problems: [SettingsProblem] = []
        if servers.isEmpty, !isServerKnown {
            problems.append(
                .missing("HEYBOT_IRC_SERVER", joint: "; expected ", "the network's server, such as irc.libera.chat"))
        }
        if usesSASL == true, accountPassword == nil, password == nil, certificateFile == nil {
            problems.append(
                SettingsProblem("HEYBOT_IRC_USESASL is set, but not what to log in with", cure: Self.loginCure))
        }
        if mustLogIn, accountPassword == nil, certificateFile == nil, usesSASL != true || password == nil {
            problems.append(
                SettingsProblem(
                    "HEYBOT_IRC_LOGIN_REQUIRED is set, but not what to log in with", cure: Self.loginCure))
        }
        if accountName != nil, accountPassword == nil, usesSASL != true {
            problems.append(.lonely("HEYBOT_IRC_NICKSERV_USERNAME", without: "HEYBOT_IRC_NICKSERV_PASSWORD"))
        }
        if nick == nil, !Self.isNick(robotName) {
            problems.append(
                SettingsProblem(
                    "the robot's name \"\(robotName)\" can't be a nick, which has no spaces and begins with a letter",
                    cure: "set HEYBOT_IRC_NICK"))
        }
        if usesTLS == nil, Set(servers.map { ($0.port ?? port ?? Self.securePort) == Self.securePort }).count > 1 {
            problems.append(
                SettingsProblem(
                    "some of the servers' ports are 6697 and some not",
                    cure: "set HEYBOT_IRC_USESSL, which holds for all"))
        }
        if keyFile != nil, certificateFile == nil {
            problems.append(.lonely("HEYBOT_IRC_KEY_FILE", without: "HEYBOT_IRC_CERT_FILE"))
        }
        // What isn't a fingerprint was told when it was read.
        if isSecure, let tls = try? tls() {
            do {
                try tls.check()
            } catch {
                let name =
                    error.file == authorityFile ? "CA_FILE" : error.file == certificateFile ? "CERT_FILE" : "KEY_FILE"
                problems.append(.file("HEYBOT_IRC_\(name)", error))
            }
        } else if !isSecure, certificateFile != nil || fingerprint != nil || authorityFile != nil {
            problems.append(
                SettingsProblem(
                    line:
                        "a certificate is set for IRC, but HEYBOT_IRC_USESSL=false says that the connection isn't encrypted",
                    cure: "unset HEYBOT_IRC_USESSL, or the certificate"))
        }
        return problems
    }

    private static let loginCure = "set HEYBOT_IRC_NICKSERV_PASSWORD or HEYBOT_IRC_CERT_FILE"
}

extension Setting {
    /// Those of IRC; the names that Hubot's adapter had are the same.
    static let irc: [Setting] =
        [
            Setting(
                "IRC_SERVER", key: "irc.server", \.irc.servers, .servers,
                "the IRC network's server, with its port if need be, `irc.libera.chat:6697`; of several, the next is tried "
                    + "where one can't be reached"),
            Setting(
                "IRC_PORT", key: "irc.port", \.irc.port, .port, "the port of servers set without one",
                fallback: "6697, or 6667 without TLS"),
            Setting(
                "IRC_ROOMS", key: "irc.rooms", \.irc.channels, .channels,
                "the channels to be in, with commas between them; one that has a key as `#room key`"),
            Setting("IRC_NICK", key: "irc.nick", \.irc.nick, .nick, "the nick", fallback: "the robot's name"),
            Setting(
                "IRC_ALTERNATE_NICKS", key: "irc.alternateNicks", \.irc.alternateNicks, .nicks,
                "nicks to take while somebody else has ours", fallback: "the nick with `_` behind it"),
            Setting("IRC_USERNAME", key: "irc.username", \.irc.userName, .word, "the user name", fallback: "the nick"),
            Setting(
                "IRC_REALNAME", key: "irc.realname", \.irc.realName, .optional(), "the real name",
                fallback: "the robot's name"),
            Setting(
                "IRC_PASSWORD", key: "irc.password", \.irc.password, .optional(),
                "the password the server itself asks for; with IRC_USESASL, and no IRC_NICKSERV_PASSWORD, that of the "
                    + "account IRC_USERNAME", isSecret: true)
        ] + ircAccount + ircSecurity + ircManners + ircWaits

    private static let ircAccount: [Setting] = [
        Setting(
            "IRC_NICKSERV_PASSWORD", key: "irc.nickservPassword", \.irc.accountPassword, .optional(),
            "the password of the robot's account: by SASL where the server has it, else told to NickServ",
            isSecret: true),
        Setting(
            "IRC_NICKSERV_USERNAME", key: "irc.nickservUsername", \.irc.accountName, .word,
            "the robot's account", fallback: "the nick"),
        Setting(
            "IRC_USESASL", key: "irc.useSasl", \.irc.usesSASL, .optionalFlag,
            "whether to log in by SASL", fallback: "where the server has it"),
        Setting(
            "IRC_PLAIN", key: "irc.plain", \.irc.sendsPlainPassword, .flag,
            "whether the account's password may be sent as it is over a connection that isn't encrypted: others can read it"
        ),
        Setting(
            "IRC_NICKSERV", key: "irc.nickserv", \.irc.nickServ, .nickServ,
            "the service that is told the account's password if there is no SASL: its nick, `NickServ@services.example.net`, "
                + "or its hostmask",
            fallback: "NickServ, if it is on a server for services"),
        Setting(
            "IRC_LOGIN_REQUIRED", key: "irc.loginRequired", \.irc.mustLogIn, .flag,
            "whether to leave, and try again later, where logging in fails")
    ]

    private static let ircSecurity: [Setting] = [
        Setting(
            "IRC_TRUST_NICKS", key: "irc.trustNicks", \.irc.trustsNicks, .flag,
            "whether a nick alone proves who somebody is on a network that tells no accounts: unsafe, name hostmasks in "
                + "AUTH_ADMIN"),
        Setting(
            "IRC_USESSL", key: "irc.useSsl", \.irc.usesTLS, .optionalFlag,
            "whether the connection is encrypted (TLS)",
            fallback: "true, unless a port other than 6697 is set, and no certificate"),
        Setting(
            "IRC_CA_FILE", key: "irc.caFile", \.irc.authorityFile, .path,
            "the certificate (PEM) of the authority that signed the server's, where the system doesn't know it"),
        Setting(
            "IRC_FINGERPRINT", key: "irc.fingerprint", \.irc.fingerprint, .fingerprint,
            "the SHA-256 fingerprint of the server's certificate, which then is all that is checked"),
        Setting(
            "IRC_SERVER_FAKE_SSL", key: "irc.serverFakeSsl", \.irc.takesAnyCertificate, .flag,
            "whether to take any certificate: unsafe, use IRC_FINGERPRINT"),
        Setting(
            "IRC_SERVER_CERT_EXPIRED", key: "irc.serverCertExpired", \.irc.takesExpiredCertificate, .flag,
            "as IRC_SERVER_FAKE_SSL: what has expired proves nothing"),
        Setting(
            "IRC_CERT_FILE", key: "irc.certFile", \.irc.certificateFile, .path,
            "a certificate (PEM) of the robot's own, to log in with (SASL EXTERNAL, CertFP)"),
        Setting("IRC_KEY_FILE", key: "irc.keyFile", \.irc.keyFile, .path, "its key (PEM)", fallback: "in IRC_CERT_FILE")
    ]

    private static let ircManners: [Setting] = [
        Setting(
            "IRC_CONNECT_COMMAND", key: "irc.connectCommand", \.irc.command, .line,
            "a line to send as it is before joining, such as `OPER marvin secret`", isSecret: true),
        Setting(
            "IRC_REJOIN", key: "irc.rejoin", \.irc.roomPolicy.rejoinsAfterKick, .flag, "whether to go back after a kick"
        ),
        Setting(
            "IRC_IGNOREINVITE", key: "irc.ignoreInvite", \.irc.roomPolicy.ignoresInvitations, .flag,
            "whether to stay away from channels that somebody invites the robot to"),
        Setting(
            "IRC_PRIVATE", key: "irc.private", \.irc.ignoresPrivateMessages, .flag,
            "whether to leave private messages unheard"),
        Setting(
            "IRC_IGNORE_BOTS", key: "irc.ignoreBots", \.irc.ignoresBots, .flag,
            "whether to leave other bots unheard, where the server marks them"),
        Setting(
            "IRC_IGNORE_USERS", key: "irc.ignoreUsers", \.irc.ignored, .masks,
            "whom not to hear: nicks, or masks such as `*!*@*.example.org`"),
        Setting(
            "IRC_SEND_NOTICE_MODE", key: "irc.sendNoticeMode", \.irc.speaksInNotices, .flag,
            "whether to speak in notices, which other bots don't answer"),
        Setting(
            "IRC_UNFLOOD", key: "irc.unflood", \.irc.lineInterval, .unflood,
            "how many milliseconds are between two lines once IRC_BURST is used up; 0 where there is no limit"),
        Setting("IRC_BURST", key: "irc.burst", \.irc.burst, .number(1...1_000), "how many lines may be sent at once"),
        Setting(
            "IRC_QUEUE", key: "irc.queue", \.irc.queueLimit, .number(1...1_000_000),
            "how many messages may wait to be sent; more are lost, and counted"),
        Setting(
            "IRC_PAGE", key: "irc.page", \.irc.page, .number(0...1_000),
            "how many lines of an answer are said before somebody has to ask for `more`; 0 for all"),
        Setting(
            "IRC_ANSWERS", key: "irc.answers", \.irc.commandLimit.burst, .number(0...100_000),
            "how many commands one person may give at once before they have to wait; 0 where there is no limit"),
        Setting(
            "IRC_ANSWER_INTERVAL", key: "irc.answerInterval", \.irc.commandLimit.interval, .seconds,
            "how many seconds until they may give another"),
        Setting(
            "IRC_DEBUG", key: "irc.debug", \.logsLines.irc, .flag,
            "whether to log every line, passwords left out; as LOG_LEVEL `irc=trace`")
    ]

    private static let ircWaits: [Setting] = [
        Setting(
            "IRC_CONNECT_WITHIN", key: "irc.connectWithin", \.irc.connection.connectWithin, .seconds,
            "how many seconds reaching a server may take"),
        Setting(
            "IRC_SILENCE", key: "irc.silence", \.irc.connection.silence, .seconds,
            "after how many seconds without a word from the server it is asked whether it is there"),
        Setting(
            "IRC_ANSWER_WITHIN", key: "irc.answerWithin", \.irc.connection.answerWithin, .seconds,
            "how many seconds it has to answer that, before the connection counts as dead"),
        Setting(
            "IRC_LOGIN_WITHIN", key: "irc.loginWithin", \.irc.loginWithin, .seconds,
            "how many seconds the network has to look at the robot's password"),
        Setting(
            "IRC_RECONNECT_FIRST", key: "irc.reconnectFirst", \.irc.connection.reconnect.first, .seconds,
            "how many seconds to wait before connecting again; twice as many each time"),
        Setting(
            "IRC_RECONNECT_LONGEST", key: "irc.reconnectLongest", \.irc.connection.reconnect.longest, .seconds,
            "how many seconds to wait at the most"),
        Setting(
            "IRC_STABLE", key: "irc.stable", \.irc.connection.reconnect.stable, .seconds,
            "after how many seconds a connection counts as stable, so that waiting begins anew"),
        Setting(
            "IRC_REFUSED_WAIT", key: "irc.refusedWait", \.irc.connection.refusedWait, .seconds,
            "how many seconds to wait after a ban, a wrong password or a certificate that can't be trusted"),
        Setting(
            "IRC_JOIN_RETRY", key: "irc.joinRetry", \.irc.roomPolicy.joinRetry, .seconds,
            "how many seconds to wait before a channel is tried again that refuses the robot"),
        Setting(
            "IRC_REJOIN_WAIT", key: "irc.rejoinWait", \.irc.roomPolicy.rejoinWait, .seconds,
            "how many seconds to wait after a kick; twice as many after each further one"),
        Setting(
            "IRC_REGAIN", key: "irc.regain", \.irc.roomPolicy.regain, .seconds,
            "how many seconds to wait between two attempts to get the nick back, where the server doesn't tell when it is free"
        )
    ]
}
