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
    let shape: SettingJSONType
    /// Whether its default suits nearly everyone.
    ///
    /// Listings show it last, or only on request.
    let isAdvanced: Bool
    /// Whether a new value in the file is applied on SIGHUP, without a restart.
    let isReloadable: Bool
    /// The group in which it is listed.
    var group = "robot"
    /// The names of the scripts that declare it; empty for the robot's settings.
    var scripts: [String] = []
    /// Parses the text and stores the value; returns false if the text is invalid.
    let set: @Sendable (String, inout SettingValues) -> Bool
    /// Returns the value as text; nil if there is none.
    let show: @Sendable (SettingValues) -> String?

    init<Value>(
        _ name: String, key: String?, formerly: (name: String, key: String)? = nil, flags: [String] = [],
        _ path: any WritableKeyPath<SettingValues, Value> & Sendable, _ parser: ValueParser<Value>, _ meaning: String,
        fallback: String? = nil, isSecret: Bool = false,
        others: [String] = [], isAdvanced: Bool = false, isReloadable: Bool = false
    ) {
        self.name = name
        self.key = key
        self.formerly = formerly
        self.flags = flags
        self.others = others
        isReadFromHubot = true
        self.isAdvanced = isAdvanced
        self.isReloadable = isReloadable
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
    var fallbackText: String { fallback ?? show(SettingValues()) ?? "none" }
}

extension [Setting] {
    /// The settings in a group of the listing.
    func grouped(_ group: String) -> [Setting] {
        map { setting in
            var setting = setting
            setting.group = group
            return setting
        }
    }
}
