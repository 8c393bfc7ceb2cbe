import Heybot
import HeybotSockets
import XMPPAdapter

extension Settings {
    /// What Hubot's adapter for Google Talk had besides.
    struct Talk: Sendable {
        var address: String?
        var password: String?
        var domains: [String] = []
        var users: [String] = []
    }

    /// What the adapter of that name has: with `gtalk` its own account, and what is set of XMPP besides.
    func xmppConfiguration(of adapter: AdapterName) -> XMPPAdapter.Configuration {
        var configuration = xmpp
        configuration.nick = xmpp.nick ?? name
        configuration.optionNames = .settings(account: "HEYBOT_\(adapter.rawValue.uppercased())")
        guard adapter == .gtalk else { return configuration }
        (configuration.address, configuration.password) = (talk.address, talk.password)
        let known = talk.domains + talk.users
        if !known.isEmpty { configuration.contacts = .only(known) }
        return configuration
    }
}

extension XMPPAdapter.Configuration {
    /// What is missing, or doesn't go together.
    ///
    /// - Parameters:
    ///   - account: What the names of the account's settings begin with, such as `HEYBOT_GTALK`.
    ///   - isNickSet: Whether a nick was set; else it is the robot's name.
    ///   - isAddressKnown: Whether something was set for the address, right or wrong.
    func problems(account: String, isNickSet: Bool, isAddressKnown: Bool) -> [SettingsProblem] {
        var problems: [SettingsProblem] = []
        if address == nil, !isAddressKnown {
            problems.append(
                .missing(
                    "\(account)_USERNAME", joint: "; expected ", "the account's address, such as marvin@example.org"))
        }
        if password == nil {
            problems.append(.missing("\(account)_PASSWORD", joint: "; expected ", "the account's password"))
        }
        if !isNickSet, !rooms.isEmpty, let nick, !isRoomNick(nick) {
            problems.append(
                SettingsProblem(
                    "the robot's name \"\(nick)\" can't be a nick in a room", cure: "set HEYBOT_XMPP_NICK"))
        }
        if usesNoTLS, isDirectTLS {
            problems.append(
                SettingsProblem(
                    "HEYBOT_XMPP_LEGACYSSL and HEYBOT_XMPP_DISALLOW_TLS don't go together", cure: "unset one of them"))
        }
        if usesNoTLS, authorityFile != nil {
            problems.append(
                SettingsProblem(
                    "HEYBOT_XMPP_CA_FILE and HEYBOT_XMPP_DISALLOW_TLS don't go together", cure: "unset one of them"))
        }
        if port != nil, host == nil { problems.append(.lonely("HEYBOT_XMPP_PORT", without: "HEYBOT_XMPP_HOST")) }
        if isDirectTLS, host == nil {
            problems.append(.lonely("HEYBOT_XMPP_LEGACYSSL", without: "HEYBOT_XMPP_HOST"))
        }
        if authorityFile != nil {
            do { try TLS(trust: trust).check() } catch { problems.append(.file("HEYBOT_XMPP_CA_FILE", error)) }
        }
        return problems
    }
}

extension Setting {
    /// Those of XMPP; the names that Hubot's adapters had are the same.
    static let xmpp: [Setting] = xmppAccount + xmppServer + xmppManners + xmppWaits + talk

    private static let xmppAccount: [Setting] = [
        Setting(
            "XMPP_USERNAME", key: "xmpp.username", \.xmpp.address, .address,
            "the robot's address, such as `marvin@example.org`, with a resource if need be"),
        Setting(
            "XMPP_PASSWORD", key: "xmpp.password", \.xmpp.password, .optional(), "its password", isSecret: true),
        Setting(
            "XMPP_ROOMS", key: "xmpp.rooms", \.xmpp.rooms, .rooms,
            "the rooms to be in, with commas between them; one that has a password as `room@service:password`"),
        Setting(
            "XMPP_NICK", key: "xmpp.nick", \.xmpp.nick, .roomNick, "what it is called in rooms",
            fallback: "the robot's name"),
        Setting(
            "XMPP_STATUS", key: "xmpp.status", \.xmpp.status, .optional(), "what its presence says of it")
    ]

    private static let xmppServer: [Setting] = [
        Setting(
            "XMPP_HOST", key: "xmpp.host", \.xmpp.host, .host,
            "the server's name, or its IP address; its certificate must still be for the address' domain",
            fallback: "as DNS has it for the address' domain"),
        Setting(
            "XMPP_PORT", key: "xmpp.port", \.xmpp.port, .port, "its port",
            fallback: "5222, or 5223 with XMPP_LEGACYSSL"),
        Setting(
            "XMPP_LEGACYSSL", key: "xmpp.legacySsl", \.xmpp.isDirectTLS, .flag,
            "whether that server wants TLS from the first byte on"),
        Setting(
            "XMPP_DISALLOW_TLS", key: "xmpp.disallowTls", \.xmpp.usesNoTLS, .flag,
            "whether to do without TLS, for a server on the same machine; if not, a server without it is told nothing"),
        Setting(
            "XMPP_CA_FILE", key: "xmpp.caFile", \.xmpp.authorityFile, .path,
            "the certificate (PEM) of the authority that signed the server's, where the system doesn't know it"),
        Setting(
            "XMPP_PREFERRED_SASL_MECHANISM", key: "xmpp.preferredSaslMechanism", \.xmpp.mechanism, .mechanism,
            "the way of logging in to try first", fallback: "the strongest")
    ]

    private static let xmppManners: [Setting] = [
        Setting(
            "XMPP_CONTACTS", key: "xmpp.contacts", \.xmpp.contacts, .contacts,
            "who may befriend the robot, talk with it alone and invite it: `all`, `none`, or addresses and domains"),
        Setting(
            "XMPP_REJOIN", key: "xmpp.rejoin", \.xmpp.roomPolicy.rejoinsAfterKick, .flag,
            "whether to go back after a kick"),
        Setting(
            "XMPP_IGNOREINVITE", key: "xmpp.ignoreInvite", \.xmpp.roomPolicy.ignoresInvitations, .flag,
            "whether to stay away from rooms that somebody invites the robot to"),
        Setting(
            "XMPP_UNFLOOD", key: "xmpp.unflood", \.xmpp.messageInterval, .unflood,
            "how many milliseconds are between two messages once XMPP_BURST is used up; 0 where there is no limit"),
        Setting(
            "XMPP_BURST", key: "xmpp.burst", \.xmpp.burst, .number(1...1_000), "how many messages may be sent at once"),
        Setting(
            "XMPP_QUEUE", key: "xmpp.queue", \.xmpp.queueLimit, .number(1...1_000_000),
            "how many messages may wait to be sent; more are lost, and counted"),
        Setting(
            "XMPP_LONGEST_STANZA", key: "xmpp.longestStanza", \.xmpp.longestStanza, .number(10_000...100_000_000),
            "how many bytes a stanza may have, if the server doesn't say it"),
        Setting(
            "XMPP_ANSWERS", key: "xmpp.answers", \.xmpp.commandLimit.burst, .number(0...100_000),
            "how many answers one person gets at once before they have to wait; 0 where there is no limit"),
        Setting(
            "XMPP_ANSWER_INTERVAL", key: "xmpp.answerInterval", \.xmpp.commandLimit.interval, .seconds,
            "how many seconds until they get another"),
        Setting(
            "XMPP_DEBUG", key: "xmpp.debug", \.logsLines.xmpp, .flag,
            "whether to log every stanza, passwords left out; as LOG_LEVEL `xmpp=trace`")
    ]

    private static let xmppWaits: [Setting] = [
        Setting(
            "XMPP_KEEPALIVE_INTERVAL", key: "xmpp.keepaliveInterval", \.xmpp.connection.silence, .milliseconds,
            "after how many milliseconds without a word from the server it is asked whether it is there"),
        Setting(
            "XMPP_ANSWER_WITHIN", key: "xmpp.answerWithin", \.xmpp.connection.answerWithin, .seconds,
            "how many seconds its answer may take before the connection counts as lost"),
        Setting(
            "XMPP_CONNECT_WITHIN", key: "xmpp.connectWithin", \.xmpp.connection.connectWithin, .seconds,
            "how many seconds reaching a server may take"),
        Setting(
            "XMPP_RECONNECT_WAIT", key: "xmpp.reconnectWait", \.xmpp.connection.reconnect.first, .milliseconds,
            "how many milliseconds to wait before connecting again; twice as many each time"),
        Setting(
            "XMPP_RECONNECT_LONGEST", key: "xmpp.reconnectLongest", \.xmpp.connection.reconnect.longest, .seconds,
            "how many seconds to wait at the most"),
        Setting(
            "XMPP_STABLE", key: "xmpp.stable", \.xmpp.connection.reconnect.stable, .seconds,
            "after how many seconds a connection counts as stable, so that waiting begins anew"),
        Setting(
            "XMPP_REFUSED_WAIT", key: "xmpp.refusedWait", \.xmpp.connection.refusedWait, .seconds,
            "how many seconds to wait after a wrong password or a certificate that can't be trusted"),
        Setting(
            "XMPP_JOIN_RETRY", key: "xmpp.joinRetry", \.xmpp.roomPolicy.joinRetry, .seconds,
            "how many seconds to wait before a room is tried again that refuses the robot"),
        Setting(
            "XMPP_REJOIN_WAIT", key: "xmpp.rejoinWait", \.xmpp.roomPolicy.rejoinWait, .seconds,
            "how many seconds to wait after a kick; twice as many after each further one"),
        Setting(
            "XMPP_REGAIN", key: "xmpp.regain", \.xmpp.roomPolicy.regain, .seconds,
            "how many seconds to wait between two attempts to get the nick back"),
        Setting(
            "XMPP_ROOM_SILENCE", key: "xmpp.roomSilence", \.xmpp.roomSilence, .seconds,
            "after how many seconds without a word from a room it is asked whether the robot is still in it")
    ]

    private static let talk: [Setting] = [
        Setting(
            "GTALK_USERNAME", key: "gtalk.username", \.talk.address, .address,
            "the robot's address with the adapter `gtalk`, which is `xmpp` with Hubot's old names"),
        Setting(
            "GTALK_PASSWORD", key: "gtalk.password", \.talk.password, .optional(), "its password", isSecret: true),
        Setting(
            "GTALK_WHITELIST_DOMAINS", key: "gtalk.whitelistDomains", \.talk.domains, .domains,
            "whose people may befriend it and talk with it; with GTALK_WHITELIST_USERS in place of XMPP_CONTACTS",
            fallback: "as XMPP_CONTACTS says"),
        Setting(
            "GTALK_WHITELIST_USERS", key: "gtalk.whitelistUsers", \.talk.users, .people,
            "who may, by their addresses", fallback: "as XMPP_CONTACTS says")
    ]
}
