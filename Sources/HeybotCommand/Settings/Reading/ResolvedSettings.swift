/// The settings read from all sources, and the source of each.
struct ResolvedSettings: Sendable {
    /// The source of a value.
    enum Source: Hashable, Sendable, CustomStringConvertible {
        case flag(String)
        case variable(String)
        case file(String, line: Int, key: String)
        /// It isn't set, so the default applies.
        case fallback

        var description: String {
            switch self {
            case .flag(let name), .variable(let name): name
            case .file(let path, let line, _): "\(path):\(line)"
            case .fallback: "default"
            }
        }

        /// The setting's name there, as an error begins with it.
        var name: String {
            if case .file(_, _, let key) = self { "\(self): \(key)" } else { description }
        }

        /// The setting's name there, within a sentence.
        var location: String {
            if case .file(_, _, let key) = self { "\(key) in \(self)" } else { description }
        }
    }

    let table: [Setting]
    /// The `HUBOT_` variables that belong to no setting but to Hubot's scripts, sorted.
    let unknownHubotVariables: [String]
    private(set) var settings: SettingValues
    /// Warnings about settings that were set by their former names.
    private(set) var deprecations: [String] = []
    private var sources: [String: Source] = [:]
    /// The names of settings with invalid values.
    ///
    /// All, if the file is invalid.
    private var wrong: Set<String> = []

    /// Reads the settings.
    ///
    /// The first source that sets one counts: command-line option, `HEYBOT_…`, `HUBOT_…`, other variables, file. Empty
    /// values count as unset.
    ///
    /// - Parameters:
    ///   - flags: The values of command-line options, by the settings' names.
    ///   - initial: The values before.
    ///   - readFile: Reads the file at the path, or the default file if the path is nil.
    ///   - check: Returns further problems, after each value was checked alone.
    /// - Throws: ``InvalidSettingsError`` with all problems.
    init(
        _ table: [Setting] = Setting.all, _ initial: SettingValues = SettingValues(), flags: [String: String],
        environment: [String: String],
        readFile: (String?) -> SettingsFile?, check: (ResolvedSettings) -> [SettingsProblem] = { _ in [] }
    ) throws(InvalidSettingsError) {
        self.table = table
        settings = initial
        let taken = Set(table.flatMap { $0.variables + $0.formerVariables })
        unknownHubotVariables = environment.keys.filter { $0.hasPrefix("HUBOT_") && !taken.contains($0) }.sorted()
        typealias Found = (source: Source, text: String)
        func findVariable(_ names: [String]) -> Found? {
            for name in names {
                if let text = environment[name], !text.isEmpty { return (.variable(name), text) }
            }
            return nil
        }
        func find(_ setting: Setting) -> Found? {
            if let text = flags[setting.name], !text.isEmpty {
                return (.flag(setting.flags.last ?? setting.name), text)
            }
            return findVariable(setting.variables)
        }
        let config = table.first { $0.name == "CONFIG" }.flatMap(find)?.text
        let file = readFile(config)
        func findInFile(_ key: String?) -> Found? {
            guard let file, let key, let entry = file.entries[key], !entry.text.isEmpty else { return nil }
            return (.file(file.path, line: entry.line, key: key), entry.text)
        }
        settings.config = file?.path
        settings.data = DataFolder.defaultPath(environment)
        var problems: [SettingsProblem] = []
        for setting in table {
            let current = find(setting) ?? findInFile(setting.key)
            let former = findVariable(setting.formerVariables) ?? findInFile(setting.formerly?.key)
            if let current, let former {
                problems.append(
                    SettingsProblem(
                        "\(former.source.name) and \(current.source.location) are the same setting",
                        fix: "remove \(former.source.location), the old name"))
                wrong.insert(setting.name)
                continue
            }
            guard let (source, text) = current ?? former else { continue }
            if former != nil { deprecations.append(Self.deprecation(of: setting, at: source)) }
            if setting.set(text, &settings) {
                sources[setting.name] = source
            } else {
                let found = setting.isQuotable ? "is \"\(text)\"" : "is invalid"
                let why = setting.why(text).map { ": \($0)" } ?? ""
                let reason = "\(source.name) \(found)\(why)"
                problems.append(
                    SettingsProblem(
                        line: "\(reason); expected \(setting.expected)", reason: reason,
                        fix: "set \(source.location) to \(setting.expected)"))
                wrong.insert(setting.name)
            }
        }
        if file?.problems.isEmpty == false { wrong.formUnion(table.map(\.name)) }
        problems += check(self)
        problems += file?.problems ?? []
        problems += Self.unknown(environment.keys, table, settings)
        if !problems.isEmpty { throw .wrong(problems) }
    }

    /// Whether its value is invalid.
    func isWrong(_ name: String) -> Bool { wrong.contains(name) }

    /// Whether it has a valid value other than the default.
    func isSet(_ name: String) -> Bool { sources[name] != nil }

    func source(of setting: Setting) -> Source { sources[setting.name] ?? .fallback }

    /// The place of a setting's value, within a sentence; nil if the setting isn't set.
    func location(of name: String) -> String? { sources[name]?.location }

    private static func deprecation(of setting: Setting, at source: Source) -> String {
        let current = if case .file = source { setting.key ?? setting.variable } else { setting.variable }
        return "\(source.name) is now \(current); the old name works until 1.0"
    }

    /// The value as text.
    ///
    /// Secrets are hidden.
    func value(of setting: Setting) -> String {
        guard let value = setting.show(settings) else { return setting.fallback ?? "none" }
        return setting.isSecret && source(of: setting) != .fallback ? "(secret)" : value
    }

    /// Unknown `HEYBOT_` variables are errors; unknown `HUBOT_` variables belong to scripts.
    private static func unknown(
        _ names: some Sequence<String>, _ table: [Setting], _ settings: SettingValues
    ) -> [SettingsProblem] {
        let known = table.map(\.variable)
        let all = Set(known + table.flatMap(\.formerVariables))
        return names.filter { $0.hasPrefix("HEYBOT_") && !all.contains($0) }.sorted().map { name in
            let near = closestMatch(name, of: known)
            // With one network, it is rather a wrong name.
            if let network = Network(ofVariable: name, in: table), settings.networks(of: network.kind).count > 1 {
                let list = "HEYBOT_\(Network(network.kind).prefix)NETWORKS"
                return SettingsProblem(
                    "\(name) is for a network \(network.name), which \(list) doesn't list",
                    fix: near.map { "set \($0) if you mean that, or add the network" } ?? "add it, or unset \(name)")
            }
            return SettingsProblem(
                line: "\(name) is not a setting\(near.map { "; did you mean \($0)?" } ?? "")",
                reason: "\(name) is not a setting",
                fix: (near.map { "set \($0) if you mean that" } ?? "unset it")
                    + "; \"heybot settings --all\" lists all settings")
        }
    }
}
