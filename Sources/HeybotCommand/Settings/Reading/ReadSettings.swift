/// The settings as they were found, and where each came from.
struct ReadSettings: Sendable {
    /// Where a value came from.
    enum Source: Hashable, Sendable, CustomStringConvertible {
        case flag(String)
        case variable(String)
        case file(String, line: Int)
        /// It isn't set.
        case fallback

        var description: String {
            switch self {
            case .flag(let name), .variable(let name): name
            case .file(let path, let line): "\(path):\(line)"
            case .fallback: "default"
            }
        }
    }

    let table: [Setting]
    /// The `HUBOT_` variables that are set and are no setting's, in the order of their names: scripts' own.
    let leftOver: [String]
    private(set) var settings = Settings()
    private var sources: [String: Source] = [:]
    /// Those that are set to what can't be read, or may be.
    private var wrong: Set<String> = []

    /// A flag beats `HEYBOT_…`, which beats `HUBOT_…`, which beats others' names, which beat the file; what is set to nothing is not set.
    ///
    /// - Parameters:
    ///   - flags: What the command line says, by the setting's name.
    ///   - readFile: Reads the file at that path, or the one that is there by itself if it is nil.
    ///   - check: What else is wrong, if each value is right by itself.
    /// - Throws: ``SettingsError`` with everything that is wrong, at once.
    init(
        _ table: [Setting] = Setting.all, flags: [String: String], environment: [String: String],
        readFile: (String?) -> SettingsFile?, check: (ReadSettings) -> [SettingsProblem] = { _ in [] }
    ) throws(SettingsError) {
        self.table = table
        let taken = Set(table.flatMap(\.variables))
        leftOver = environment.keys.filter { $0.hasPrefix("HUBOT_") && !taken.contains($0) }.sorted()
        func find(_ setting: Setting) -> (source: Source, text: String)? {
            if let text = flags[setting.name], !text.isEmpty {
                return (.flag(setting.flags.last ?? setting.name), text)
            }
            for name in setting.variables {
                if let text = environment[name], !text.isEmpty { return (.variable(name), text) }
            }
            return nil
        }
        let config = table.first { $0.name == "CONFIG" }.flatMap(find)?.text
        let file = readFile(config)
        settings.config = file?.path
        settings.data = DataFolder.usual(environment)
        var problems: [SettingsProblem] = []
        for setting in table {
            let entry = setting.key.flatMap { file?.entries[$0] }.flatMap { $0.text.isEmpty ? nil : $0 }
            let inFile = entry.map { (source: Source.file(file?.path ?? "", line: $0.line), text: $0.text) }
            guard let (source, text) = find(setting) ?? inFile else { continue }
            if setting.set(text, &settings) {
                sources[setting.name] = source
            } else {
                let found = setting.isQuotable ? "is \"\(text)\"" : "can't be used"
                let why = setting.why(text).map { ": \($0)" } ?? ""
                let reason = "\(Self.name(of: setting, from: source)) \(found)\(why)"
                problems.append(
                    SettingsProblem(
                        line: "\(reason); expected \(setting.expected)", reason: reason,
                        cure: "set \(Self.place(of: setting, from: source)) to \(setting.expected)"))
                wrong.insert(setting.name)
            }
        }
        if file?.problems.isEmpty == false { wrong.formUnion(table.map(\.name)) }
        problems += check(self)
        problems += file?.problems ?? []
        problems += Self.unknown(environment.keys, table)
        if !problems.isEmpty { throw .wrong(problems) }
    }

    /// Whether something is set for it that can't be read.
    func isWrong(_ name: String) -> Bool { wrong.contains(name) }

    /// Whether it is set at all.
    func isSet(_ name: String) -> Bool { sources[name] != nil }

    func source(of setting: Setting) -> Source { sources[setting.name] ?? .fallback }

    /// What a setting is called where its value came from, as an error says it.
    static func name(of setting: Setting, from source: Source) -> String {
        if case .file = source { "\(source): \(setting.key ?? setting.name)" } else { "\(source)" }
    }

    /// The same, as a cure says it.
    private static func place(of setting: Setting, from source: Source) -> String {
        if case .file = source { "\(setting.key ?? setting.name) in \(source)" } else { "\(source)" }
    }

    /// If a setting is set, as a cure says it; nil if it isn't.
    func place(of name: String) -> String? {
        guard isSet(name), let setting = table.first(where: { $0.name == name }) else { return nil }
        return Self.place(of: setting, from: source(of: setting))
    }

    /// What there is of it to show.
    func value(of setting: Setting) -> String {
        guard let value = setting.show(settings) else { return setting.fallback ?? "none" }
        return setting.isSecret && source(of: setting) != .fallback ? "(secret)" : value
    }

    /// A `HEYBOT_` name that is no setting is wrong; a `HUBOT_` one is some script's.
    private static func unknown(_ names: some Sequence<String>, _ table: [Setting]) -> [SettingsProblem] {
        let known = table.map(\.variable)
        return names.filter { $0.hasPrefix("HEYBOT_") && !known.contains($0) }.sorted().map { name in
            let near = nearest(name, of: known)
            return SettingsProblem(
                line: "\(name) is not a setting\(near.map { "; did you mean \($0)?" } ?? "")",
                reason: "\(name) is not a setting",
                cure: (near.map { "set \($0) if that is meant" } ?? "unset it")
                    + "; heybot settings lists what may be set")
        }
    }
}
