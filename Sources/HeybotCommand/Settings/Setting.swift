/// A setting: its names, its meaning, and how its value is read and shown.
struct Setting: Sendable {
    /// The name without prefix, such as `LOG_LEVEL`.
    let name: String
    /// The key in `heybot.json`, such as `log.level`; nil if it can't be set there.
    let key: String?
    /// The command-line options, such as `-n` and `--name`.
    let flags: [String]
    /// The name and key that it had earlier.
    ///
    /// They work until 1.0, with a warning.
    let formerly: (name: String, key: String)?
    /// Other variables that set it, such as `PORT`: names used by hosts and by Hubot.
    let others: [String]
    /// Whether the variable `HUBOT_…` of the same name sets it too.
    let isReadFromHubot: Bool
    let meaning: String
    /// A description of the default, if the default value alone doesn't say enough.
    let fallback: String?
    /// Whether the value is a secret, which is never shown.
    let isSecret: Bool
    /// Whether errors may quote an invalid value.
    let isQuotable: Bool
    /// The expected values, for errors.
    let expected: String
    /// Returns why a text is invalid, if that can be said more exactly than with ``expected``.
    let why: @Sendable (String) -> String?
    let shape: ValueShape
    /// The names of the scripts that declare it; empty for the robot's settings.
    var scripts: [String] = []
    /// Parses the text and stores the value; returns false if the text is invalid.
    let set: @Sendable (String, inout Settings) -> Bool
    /// Returns the value as text; nil if there is none.
    let show: @Sendable (Settings) -> String?

    init<Value>(
        _ name: String, key: String?, formerly: (name: String, key: String)? = nil, flags: [String] = [],
        _ path: any WritableKeyPath<Settings, Value> & Sendable, _ parser: ValueParser<Value>, _ meaning: String,
        fallback: String? = nil, isSecret: Bool = false,
        others: [String] = []
    ) {
        self.name = name
        self.key = key
        self.formerly = formerly
        self.flags = flags
        self.others = others
        isReadFromHubot = true
        self.meaning = meaning
        self.fallback = fallback
        self.isSecret = isSecret
        isQuotable = !isSecret && !parser.holdsSecrets
        expected = parser.expected
        why = parser.why
        shape = parser.shape
        set = { text, settings in
            guard let value = parser.read(text) else { return false }
            settings[keyPath: path] = value
            return true
        }
        show = { parser.show($0[keyPath: path]) }
    }

    /// The groups of the listing, in order.
    static let groups = ["robot"] + AdapterName.allCases.map(\.rawValue) + ["web", "brain", "scripts"]

    /// Settings whose defaults suit nearly everyone.
    ///
    /// Listings show them last, or only on request.
    static let advanced: Set<String> = [
        "SHARED_DATA", "CONCURRENCY", "TEXT_LIMIT", "THREADS", "SHELL_USER_ID", "SHELL_HISTSIZE",
        "REDIS_REJECT_UNAUTHORIZED", "REDIS_TIMEOUT", "REDIS_START_TIMEOUT", "HTTPD_LIMIT", "HTTP_CA_FILE",
        "HTTP_SSRF_GUARD", "IRC_USERNAME", "IRC_REALNAME", "IRC_PLAINTEXT_PASSWORD", "IRC_NICKSERV",
        "IRC_TRUST_NICKS", "IRC_SERVER_FAKE_SSL", "IRC_SERVER_CERT_EXPIRED", "IRC_CONNECT_COMMAND",
        "IRC_SEND_NOTICE_MODE", "IRC_UNFLOOD", "IRC_BURST", "IRC_QUEUE", "IRC_RATE_BURST", "IRC_RATE_INTERVAL",
        "IRC_CONNECT_TIMEOUT", "IRC_PING_INTERVAL", "IRC_PING_TIMEOUT", "IRC_LOGIN_TIMEOUT", "IRC_RECONNECT_WAIT",
        "IRC_RECONNECT_MAX_WAIT", "IRC_BACKOFF_RESET", "IRC_REFUSED_WAIT", "IRC_JOIN_RETRY", "IRC_REJOIN_WAIT",
        "IRC_NICK_RETRY", "XMPP_LEGACYSSL", "XMPP_DISALLOW_TLS", "XMPP_PREFERRED_SASL_MECHANISM", "XMPP_UNFLOOD",
        "XMPP_BURST", "XMPP_QUEUE", "XMPP_MAX_STANZA_SIZE", "XMPP_RATE_BURST", "XMPP_RATE_INTERVAL",
        "XMPP_KEEPALIVE_INTERVAL", "XMPP_PING_TIMEOUT", "XMPP_CONNECT_TIMEOUT", "XMPP_RECONNECT_WAIT",
        "XMPP_RECONNECT_MAX_WAIT", "XMPP_BACKOFF_RESET", "XMPP_REFUSED_WAIT", "XMPP_JOIN_RETRY", "XMPP_REJOIN_WAIT",
        "XMPP_NICK_RETRY", "XMPP_ROOM_PING_INTERVAL", "CAMPFIRE_POLL_INTERVAL"
    ]

    /// Whether hardly anyone needs to change it.
    ///
    /// Of the scripts' settings, those are the URLs of public services.
    var isAdvanced: Bool {
        Self.advanced.contains(name) || !scripts.isEmpty && name.hasSuffix("_URL") && fallback != nil
    }

    /// The group in which it is listed.
    var group: String {
        if !scripts.isEmpty { return "scripts" }
        if name.hasPrefix("REDIS_") { return "brain" }
        let isWeb = Self.web.contains { $0.name == name }
        return isWeb
            ? "web" : AdapterName.allCases.first { name.hasPrefix("\($0.rawValue.uppercased())_") }?.rawValue ?? "robot"
    }

    /// The environment variable.
    var variable: String { "HEYBOT_\(name)" }
    /// Hubot's environment variable.
    var hubotVariable: String { "HUBOT_\(name)" }
    /// All environment variables, in order of precedence.
    var variables: [String] { [variable] + (isReadFromHubot ? [hubotVariable] : []) + others }
    /// The environment variables with the former name.
    var formerVariables: [String] {
        guard let formerly else { return [] }
        return ["HEYBOT_\(formerly.name)"] + (isReadFromHubot ? ["HUBOT_\(formerly.name)"] : [])
    }
    /// Every name of it, present and former.
    var allNames: [String] {
        let names = [name, key, formerly?.name, formerly?.key]
        return names.compactMap { $0 } + variables + formerVariables
    }
    /// The default as text.
    var fallbackText: String { fallback ?? show(Settings()) ?? "none" }
}
