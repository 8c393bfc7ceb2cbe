/// One setting: what it is called everywhere, what it means, and where its value goes.
struct Setting: Sendable {
    /// Its name without the prefix, as `LOG_LEVEL`.
    let name: String
    /// Its place in `heybot.json`, as `log.level`; nil if the file can't say it.
    let key: String?
    /// Its flags, as `-n, --name`.
    let flags: [String]
    /// Names in the environment that others have for it, whole.
    let others: [String]
    /// Whether `HUBOT_…` of the same name counts.
    let isReadFromHubot: Bool
    let meaning: String
    /// What holds if it isn't set, if that isn't plain from the value.
    let fallback: String?
    /// Whether its value is never shown.
    let isSecret: Bool
    /// Whether an error may say what was found.
    let isQuotable: Bool
    let expected: String
    /// Why a text can't be read, if more can be said than what was expected.
    let why: @Sendable (String) -> String?
    let shape: Shape
    /// The scripts whose setting it is; none if it is the robot's.
    var scripts: [String] = []
    /// Takes the text for its value; false if that isn't what was expected.
    let set: @Sendable (String, inout Settings) -> Bool
    /// Its value as it would be set; nil if there is none.
    let show: @Sendable (Settings) -> String?

    init<Value>(
        _ name: String, key: String?, flags: [String] = [],
        _ path: any WritableKeyPath<Settings, Value> & Sendable, _ kind: Kind<Value>, _ meaning: String,
        fallback: String? = nil, isSecret: Bool = false,
        others: [String] = []
    ) {
        self.name = name
        self.key = key
        self.flags = flags
        self.others = others
        isReadFromHubot = true
        self.meaning = meaning
        self.fallback = fallback
        self.isSecret = isSecret
        isQuotable = !isSecret && !kind.holdsSecrets
        expected = kind.expected
        why = kind.why
        shape = kind.shape
        set = { text, settings in
            guard let value = kind.read(text) else { return false }
            settings[keyPath: path] = value
            return true
        }
        show = { kind.show($0[keyPath: path]) }
    }

    /// The groups that settings are listed in, in their order.
    static let groups = ["robot"] + AdapterName.allCases.map(\.rawValue) + ["web", "brain", "scripts"]

    /// Settings whose defaults suit nearly everyone. Listings show them last, or only if they are asked for.
    static let advanced: Set<String> = [
        "SHARED", "CONCURRENCY", "TEXT_LIMIT", "THREADS", "SHELL_USER_ID", "SHELL_HISTSIZE", "REDIS_REJECT_UNAUTHORIZED",
        "REDIS_DEADLINE", "REDIS_WAIT", "HTTPD_LIMIT", "HTTP_CA_FILE", "HTTP_GUARD", "IRC_USERNAME", "IRC_REALNAME", "IRC_PLAIN",
        "IRC_NICKSERV", "IRC_TRUST_NICKS", "IRC_SERVER_FAKE_SSL", "IRC_SERVER_CERT_EXPIRED", "IRC_CONNECT_COMMAND",
        "IRC_SEND_NOTICE_MODE", "IRC_UNFLOOD", "IRC_BURST", "IRC_QUEUE", "IRC_ANSWERS", "IRC_ANSWER_INTERVAL", "IRC_CONNECT_WITHIN",
        "IRC_SILENCE", "IRC_ANSWER_WITHIN", "IRC_LOGIN_WITHIN", "IRC_RECONNECT_FIRST", "IRC_RECONNECT_LONGEST", "IRC_STABLE",
        "IRC_REFUSED_WAIT", "IRC_JOIN_RETRY", "IRC_REJOIN_WAIT", "IRC_REGAIN", "XMPP_LEGACYSSL", "XMPP_DISALLOW_TLS",
        "XMPP_PREFERRED_SASL_MECHANISM", "XMPP_UNFLOOD", "XMPP_BURST", "XMPP_QUEUE", "XMPP_LONGEST_STANZA", "XMPP_ANSWERS",
        "XMPP_ANSWER_INTERVAL", "XMPP_KEEPALIVE_INTERVAL", "XMPP_ANSWER_WITHIN", "XMPP_CONNECT_WITHIN", "XMPP_RECONNECT_WAIT",
        "XMPP_RECONNECT_LONGEST", "XMPP_STABLE", "XMPP_REFUSED_WAIT", "XMPP_JOIN_RETRY", "XMPP_REJOIN_WAIT", "XMPP_REGAIN",
        "XMPP_ROOM_SILENCE", "CAMPFIRE_POLL"
    ]

    /// Whether hardly anyone needs to change it; of the scripts' settings, the address of a public service.
    var isAdvanced: Bool {
        Self.advanced.contains(name) || !scripts.isEmpty && name.hasSuffix("_URL") && show(Settings()) != nil
    }

    /// The group it is listed in.
    var group: String {
        if !scripts.isEmpty { return "scripts" }
        if name.hasPrefix("REDIS_") { return "brain" }
        let isWeb = Self.web.contains { $0.name == name }
        return isWeb
            ? "web" : AdapterName.allCases.first { name.hasPrefix("\($0.rawValue.uppercased())_") }?.rawValue ?? "robot"
    }

    /// Its name in the environment.
    var variable: String { "HEYBOT_\(name)" }
    /// Its name in the environment, as Hubot called it.
    var hubotVariable: String { "HUBOT_\(name)" }
    /// All its names in the environment; the first that is set counts.
    var variables: [String] { [variable] + (isReadFromHubot ? [hubotVariable] : []) + others }
    /// What holds if it isn't set, in words.
    var fallbackText: String { fallback ?? show(Settings()) ?? "none" }
}
