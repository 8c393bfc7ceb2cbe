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
