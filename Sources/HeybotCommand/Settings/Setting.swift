/// A setting: its names, its meaning, and how its value is read and shown.
struct Setting: Sendable {
    /// The name without prefix, such as `LOG_LEVEL`.
    var name: String
    /// The key in `heybot.json`, such as `log.level`; nil if it can't be set there.
    var key: String?
    /// The command-line options, such as `-n` and `--name`.
    var flags: [String]
    /// The name and key that it had earlier.
    ///
    /// They work until 1.0, with a warning.
    var formerly: (name: String, key: String)?
    /// Other variables that set it, such as `PORT`: names used by hosts and by Hubot.
    var others: [String]
    /// Whether the variable `HUBOT_…` of the same name sets it too.
    var isReadFromHubot: Bool
    var meaning: String
    /// A description of the default, if the default value alone doesn't say enough.
    var fallback: String?
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
    var isAdvanced: Bool
    /// Whether a new value in the file is applied on SIGHUP, without a restart.
    let isReloadable: Bool
    /// Whether it applies to a single network, so that with several networks each needs its own: a server, an account, rooms.
    var isOfOneNetwork = false
    /// The group in which it is listed.
    var group = "robot"
    /// The names of the scripts that declare it; empty for the robot's settings.
    var scripts: [String] = []
    /// Parses the text and stores the value; returns false if the text is invalid.
    var set: @Sendable (String, inout SettingValues) -> Bool
    /// Returns the value as text; nil if there is none.
    var show: @Sendable (SettingValues) -> String?

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
    /// Heybot's own environment variables, present and former, whose values may contain secrets.
    ///
    /// `HUBOT_…` and other names aren't among them: Hubot scripts may have settings of the same names.
    var secretVariables: Set<String> {
        let names = filter { !$0.isQuotable }.flatMap { [$0.variable] + $0.formerVariables }
        return Set(names.filter { $0.hasPrefix("HEYBOT_") })
    }

    /// The settings in a group of the listing.
    func grouped(_ group: String) -> [Setting] {
        map { setting in
            var setting = setting
            setting.group = group
            return setting
        }
    }

    /// The settings, with those of these names marked as applying to a single network.
    func ofOneNetwork(_ names: Set<String>) -> [Setting] {
        map { setting in
            var setting = setting
            setting.isOfOneNetwork = names.contains(setting.name)
            return setting
        }
    }
}
