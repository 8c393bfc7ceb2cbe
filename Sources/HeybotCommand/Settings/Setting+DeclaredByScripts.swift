import Heybot

extension Setting {
    /// A setting of scripts.
    ///
    /// - Parameter scripts: The names of the scripts that declare it.
    init(_ setting: any AnyScriptSetting, of scripts: [String]) {
        let name = setting.name
        self.name = name
        key = Self.key(of: name)
        formerly = nil
        flags = []
        others = []
        isReadFromHubot = setting.isReadFromHubot
        meaning = setting.meaning
        fallback = setting.fallback.map { "`\($0)`" }
        isSecret = setting.isSecret
        isQuotable = !setting.isSecret
        expected = setting.expected
        why = { _ in nil }
        // The URLs of public services.
        isAdvanced = name.hasSuffix("_URL") && setting.fallback != nil
        isReloadable = false
        group = "scripts"
        shape =
            switch setting.kind {
            case .text: .text
            case .number: .number
            case .flag: .flag
            }
        set = { text, settings in
            guard setting.accepts(text) else { return false }
            settings.scripts[name] = text
            return true
        }
        show = { $0.scripts[name] }
        self.scripts = scripts
    }

    /// The settings of the scripts, in their order.
    ///
    /// A setting that several scripts share occurs once.
    static func settings(of scripts: [any Script]) -> [Setting] {
        var settings: [any AnyScriptSetting] = []
        var owners: [String: [String]] = [:]
        for script in scripts {
            let name = script.name
            for setting in script.settings {
                let others = owners[setting.name]
                if others == nil { settings.append(setting) }
                if others?.last != name { owners[setting.name, default: []].append(name) }
            }
        }
        return settings.map { Setting($0, of: owners[$0.name] ?? []) }
    }

    /// The problems with the scripts' settings: names and keys that conflict, and invalid names.
    static func problems(of scripts: [any Script]) -> [SettingsProblem] {
        let names = all.map(\.name) + all.compactMap { $0.formerly?.name }
        var owners = Dictionary(names.map { ($0, "the robot") }, uniquingKeysWith: { first, _ in first })
        // With a dot at the end, so that a key that is a section of another one is a prefix of it.
        var keys = (all.compactMap(\.key) + all.compactMap { $0.formerly?.key }).map { "\($0)." }
        var known: [String: any AnyScriptSetting] = [:]
        return scripts.flatMap { script in
            script.settings.compactMap { setting in
                if let other = known.updateValue(setting, forKey: setting.name), isSame(setting, other) { return nil }
                let owner = owners.updateValue("the script \(script.name)", forKey: setting.name)
                if let owner {
                    return SettingsProblem(
                        "\(script.name)'s setting \(setting.name) is already a setting of \(owner)",
                        fix: "give it another name")
                }
                let key = key(of: setting.name)
                let section = "\(key)."
                defer { keys.append(section) }
                if let other = keys.first(where: {
                    $0.utf8.starts(with: section.utf8) || section.utf8.starts(with: $0.utf8)
                }) {
                    return SettingsProblem(
                        "\(script.name)'s setting \(setting.name) would be \(key) in heybot.json, which conflicts with \(other.dropLast())",
                        fix: "give it another name")
                }
                return isValid(setting.name)
                    ? nil
                    : SettingsProblem(
                        line:
                            "\(script.name)'s setting \(setting.name) isn't a valid name; expected one such as WEATHER_KEY",
                        reason: "\(script.name)'s setting \(setting.name) isn't a valid name",
                        fix: "choose a name such as WEATHER_KEY")
            }
        }
    }

    /// Whether a name has at least two words of capital letters and digits, with `_` between them, and begins with a letter.
    private static func isValid(_ name: String) -> Bool {
        let words = name.utf8.split(separator: UInt8(ascii: "_"), omittingEmptySubsequences: false)
        let letters = UInt8(ascii: "A")...UInt8(ascii: "Z")
        let digits = UInt8(ascii: "0")...UInt8(ascii: "9")
        guard words.count > 1, let first = name.utf8.first, letters.contains(first) else { return false }
        return words.allSatisfy { !$0.isEmpty && $0.allSatisfy { letters.contains($0) || digits.contains($0) } }
    }

    private static func isSame(_ one: any AnyScriptSetting, _ other: any AnyScriptSetting) -> Bool {
        one.meaning == other.meaning && one.expected == other.expected && one.kind == other.kind
            && one.isSecret == other.isSecret && one.fallback == other.fallback
    }

    /// `WEATHER_API_KEY` is `weather.apiKey`.
    private static func key(of name: String) -> String {
        let words = name.lowercased().split(separator: "_")
        guard let section = words.first, words.count > 1 else { return name.lowercased() }
        let rest = words.dropFirst(2).map { $0.prefix(1).uppercased() + $0.dropFirst() }
        return "\(section).\(words[1])\(rest.joined())"
    }
}
