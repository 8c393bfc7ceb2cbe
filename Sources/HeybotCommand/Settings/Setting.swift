/// One setting: what it is called everywhere, what it means, and where its value goes.
struct Setting: Sendable {
    /// Its name without the prefix, as `LOG_LEVEL`.
    let name: String
    /// Its place in `heybot.json`, as `log.level`; nil where the file can't say it.
    let key: String?
    /// Its flags, as `-n, --name`.
    let flags: [String]
    /// Names in the environment that others have for it, whole.
    let others: [String]
    let meaning: String
    /// What holds where it isn't set, where that isn't plain from the value.
    let fallback: String?
    /// Whether its value is never shown.
    let isSecret: Bool
    /// Whether an error may say what was found.
    let isQuotable: Bool
    let expected: String
    /// Why a text can't be read, where more can be said than what was expected.
    let why: @Sendable (String) -> String?
    let shape: Shape
    /// Takes the text for its value; false where that isn't what was expected.
    let set: @Sendable (String, inout Settings) -> Bool
    /// Its value as it would be set; nil where there is none.
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

    /// Its name in the environment.
    var variable: String { "HEYBOT_\(name)" }
    /// Its name in the environment, as Hubot called it.
    var hubotVariable: String { "HUBOT_\(name)" }
    /// All its names in the environment; the first that is set counts.
    var variables: [String] { (Self.notHubots.contains(name) ? [variable] : [variable, hubotVariable]) + others }

    /// What a Hubot's scripts used for something else: a token that deploys isn't one that everybody may search with.
    static let notHubots: Set<String> = ["GITHUB_TOKEN"]
    /// What holds where it isn't set, in words.
    var fallbackText: String { fallback ?? show(Settings()) ?? "none" }
}
