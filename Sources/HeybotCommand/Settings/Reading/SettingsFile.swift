import FoundationEssentials
import HeybotSupport

/// The content of `heybot.json`, by the settings' keys, and its problems.
///
/// It is JSON5: comments, trailing commas and keys without quotes are allowed.
struct SettingsFile: Sendable {
    let path: String
    private(set) var entries: [String: (text: String, line: Int)] = [:]
    private(set) var problems: [SettingsProblem] = []

    /// The file that is read if no other is set and it exists.
    static let defaultPath = "heybot.json"

    /// Reads the file at the path.
    ///
    /// If the path is nil, reads `heybot.json` in the working directory if it exists.
    static func read(_ path: String?, _ table: [Setting] = Setting.all) -> SettingsFile? {
        let name = path ?? defaultPath
        if path == nil, !FileManager.default.fileExists(atPath: name) { return nil }
        guard FileManager.default.fileExists(atPath: name) else {
            return SettingsFile(
                name,
                SettingsProblem(
                    line: "there is no settings file \(name)",
                    fix: "set --config (HEYBOT_CONFIG) to an existing file, or unset it"))
        }
        do {
            return SettingsFile(name, Array(try Data(contentsOf: URL(filePath: name))), table)
        } catch {
            return SettingsFile(
                name, SettingsProblem("\(name) can't be read", fix: "check its permissions, and that it is a file"))
        }
    }

    private init(_ path: String, _ problem: SettingsProblem) {
        self.path = path
        problems = [problem]
    }

    init(_ path: String, _ bytes: [UInt8], _ table: [Setting] = Setting.all) {
        self.path = path
        let decoder = JSONDecoder()
        decoder.allowsJSON5 = true
        do {
            guard case .object(let values) = try decoder.decode(JSONValue.self, from: Data(bytes)) else {
                problems = [
                    SettingsProblem(line: "\(path): expected an object, { … }", fix: "write { … } in \(path)")
                ]
                return
            }
            let outline = JSONSourceMap(bytes)
            problems = outline.repeated.map {
                SettingsProblem(
                    line: "\(path):\($0.line): \($0.key) is set twice",
                    fix: "remove one of them, in \(path), line \($0.line)")
            }
            read(values, in: "", outline, table)
        } catch {
            let place = JSONSourceMap(bytes).problem.map { ("\(path):\($0.line)", ": \($0.reason)") } ?? (path, "")
            problems = [
                SettingsProblem(
                    line: "\(place.0) isn't valid JSON5\(place.1)", fix: "correct it at \(place.0)")
            ]
        }
    }

    private mutating func read(
        _ values: [String: JSONValue], in section: String, _ outline: JSONSourceMap, _ table: [Setting]
    ) {
        let keys = table.compactMap(\.key)
        let lines = Dictionary(outline.members.map { ($0.key, $0.line) }, uniquingKeysWith: { first, _ in first })
        let names = values.keys.map { section + $0 }.sorted { (lines[$0] ?? 1, $0) < (lines[$1] ?? 1, $1) }
        for key in names {
            let line = lines[key] ?? 1
            let name = String(key.dropFirst(section.count))
            guard let value = values[name] else { continue }
            if name.contains(".") {
                problems.append(
                    SettingsProblem(
                        line: "\(path):\(line): \(key) is not a setting; write it as { a: { b: … } }, without the dot",
                        reason: "\(path):\(line): \(key) is not a setting",
                        fix: "write it as { a: { b: … } }, without the dot, at \(path):\(line)"))
            } else if let setting = table.first(where: { $0.key == key || $0.formerly?.key == key }) {
                if case .null = value { continue }
                if let text = text(value, setting.shape) {
                    entries[key] = (text, line)
                } else {
                    let found = setting.isQuotable ? "is \(Self.shown(value))" : "is invalid"
                    problems.append(wrong(key, found, setting.expected, line))
                }
            } else if case .object(let inner) = value, keys.contains(where: { $0.hasPrefix(key + ".") }) {
                read(inner, in: key + ".", outline, table)
            } else if keys.contains(where: { $0.hasPrefix(key + ".") }) {
                problems.append(wrong(key, "is \(Self.shown(value))", "an object, { … }", line))
            } else if case .object = value, let kind = Network.kinds.first(where: { "\($0.rawValue)." == section }),
                let objection = Network.objection(to: name, of: kind)
            {
                problems.append(
                    SettingsProblem(
                        "\(path):\(line): \(objection)",
                        fix: "choose another name, of letters and digits, such as libera"))
            } else {
                let inSection = keys.first { $0.hasSuffix("." + key) }
                let near = inSection ?? closestMatch(key, of: keys)
                let reason = "\(path):\(line): \(key) is not a setting"
                problems.append(
                    SettingsProblem(
                        line: "\(reason)\(near.map { "; did you mean \($0)?" } ?? "")", reason: reason,
                        fix: (near.map { "write \($0) at \(path):\(line) if you mean that" }
                            ?? "remove it from \(path):\(line)") + "; \"heybot settings --all\" lists all settings"))
            }
        }
    }

    private func wrong(_ key: String, _ found: String, _ expected: String, _ line: Int) -> SettingsProblem {
        let reason = "\(path):\(line): \(key) \(found)"
        return SettingsProblem(
            line: "\(reason); expected \(expected)", reason: reason,
            fix: "set \(key) in \(path):\(line) to \(expected)")
    }

    /// The value as text, as in the environment; nil if it has another type.
    private func text(_ value: JSONValue, _ shape: SettingJSONType) -> String? {
        switch (value, shape) {
        case (.string(let text), .text), (.string(let text), .list): return text
        case (.integer, .number), (.number, .number): return Self.shown(value)
        case (.bool(let bool), .flag): return "\(bool)"
        case (.string(let text), .path):
            return text.isEmpty || text.hasPrefix("/") || text.hasPrefix("~") ? text : folder + text
        case (.array(let values), .list):
            let texts = values.compactMap(\.stringValue)
            return texts.count == values.count ? texts.joined(separator: ",") : nil
        default: return nil
        }
    }

    /// The value as in the file; of an array and an object only the kind.
    private static func shown(_ value: JSONValue) -> String {
        switch value {
        case .null: "null"
        case .bool(let bool): "\(bool)"
        case .integer(let number): "\(number)"
        case .number(let number): "\(number)"
        case .string(let text): "\"\(text)\""
        case .array: "an array"
        case .object: "an object"
        }
    }

    /// The file's directory with a slash; empty for the working directory.
    private var folder: String {
        path.lastIndex(of: "/").map { String(path[...$0]) } ?? ""
    }
}
