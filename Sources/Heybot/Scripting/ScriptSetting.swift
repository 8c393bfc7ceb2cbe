/// A setting of a script, read from the environment or from `heybot.json`.
///
/// ```swift
/// public struct Weather: Script {
///     static let key = ScriptSetting("WEATHER_KEY", "the key of your account at example.org", isSecret: true)
///
///     public var settings: [any AnyScriptSetting] { [Self.key] }
///
///     public func register(on robot: inout RobotBuilder) {
///         guard let key = robot.value(of: Self.key) else { return }
///         …
///     }
/// }
/// ```
public struct ScriptSetting<Value: Sendable>: AnyScriptSetting {
    /// The name without its prefix, such as `WEATHER_KEY`.
    public let name: String
    /// A short description.
    public let meaning: String
    /// A short description of valid values.
    public let expected: String
    /// The kind of value that the setting has in the settings file.
    public let kind: ScriptSettingKind
    /// Whether the value is a secret, which is never shown.
    public let isSecret: Bool
    /// The default value as text; nil if there is none.
    public let fallback: String?
    /// Whether Hubot's setting of the same name is read if this one isn't set.
    public let isReadFromHubot: Bool
    /// The path that `heybot check` appends to the value, a URL; nil if the setting isn't a service's URL.
    public let probe: String?

    let fallbackValue: Value
    let read: @Sendable (String) -> Value?

    private init(
        _ name: String, _ meaning: String, expected: String, kind: ScriptSettingKind = .text, isSecret: Bool = false,
        fallback: String? = nil, isReadFromHubot: Bool = true, probe: String? = nil, _ fallbackValue: Value,
        read: @escaping @Sendable (String) -> Value?
    ) {
        self.name = name
        self.meaning = meaning
        self.expected = expected
        self.kind = kind
        self.isSecret = isSecret
        self.fallback = fallback
        self.isReadFromHubot = isReadFromHubot
        self.probe = probe
        self.fallbackValue = fallbackValue
        self.read = read
    }

    /// Whether a text is a valid value.
    public func accepts(_ text: String) -> Bool { read(text) != nil }
}

extension ScriptSetting where Value == String? {
    /// Creates an optional text setting.
    ///
    /// - Parameters:
    ///   - name: The name without its prefix, such as `WEATHER_KEY`; in the settings file that is `weather.key`.
    ///   - meaning: A short description.
    ///   - isSecret: Whether the value is a secret, which is never shown.
    ///   - isReadFromHubot: Whether Hubot's variable is read if the robot's own isn't set; false if Hubot's scripts use that
    ///     name for another purpose.
    public init(_ name: String, _ meaning: String, isSecret: Bool = false, isReadFromHubot: Bool = true) {
        self.init(
            name, meaning, expected: "a text", isSecret: isSecret, isReadFromHubot: isReadFromHubot, nil,
            read: { .some($0) })
    }
}

extension ScriptSetting {
    /// Creates an optional setting of a custom type.
    ///
    /// - Parameters:
    ///   - name: The name without its prefix, such as `TIME_ZONE`.
    ///   - meaning: A short description.
    ///   - expected: A short description of valid values.
    ///   - read: Parses a value; nil if the text is invalid.
    public init<Wrapped>(
        _ name: String, _ meaning: String, expected: String, read: @escaping @Sendable (String) -> Wrapped?
    ) where Value == Wrapped? {
        self.init(name, meaning, expected: expected, nil, read: { read($0).map(Optional.some) })
    }
}

extension ScriptSetting where Value == String {
    /// Creates a text setting.
    public init(_ name: String, _ meaning: String, default value: String) {
        self.init(name, meaning, expected: "a text", fallback: value, value, read: { $0 })
    }
}

extension ScriptSetting where Value == String {
    /// Creates a setting with a list of choices.
    ///
    /// Case is ignored; the value is spelled as in the list.
    public init(_ name: String, _ meaning: String, choices: [String], default value: String) {
        self.init(
            name, meaning, expected: "one of \(choices.joined(separator: ", "))", fallback: value, value,
            read: { text in choices.first { $0.lowercased() == text.lowercased() } })
    }
}

extension ScriptSetting where Value == String? {
    /// Creates an optional setting for a service's base URL.
    ///
    /// A trailing slash is removed.
    ///
    /// - Parameters:
    ///   - name: The name without its prefix, such as `SEARCH_URL`.
    ///   - meaning: A short description.
    ///   - probe: The path that `heybot check` requests to see whether the service works; by default any response will do.
    public init(url name: String, _ meaning: String, probe: String? = nil) {
        self.init(
            name, meaning, expected: Self.url, probe: probe ?? "", nil, read: { Self.url(of: $0).map(Optional.some) })
    }
}

extension ScriptSetting where Value == String {
    /// Creates a setting for a service's base URL.
    ///
    /// A trailing slash is removed.
    public init(url name: String, _ meaning: String, default value: String) {
        self.init(name, meaning, expected: Self.url, fallback: value, probe: "", value, read: Self.url)
    }
}

extension ScriptSetting {
    fileprivate static var url: String { "an http or https URL without a user or a query" }

    fileprivate static func url(of text: String) -> String? {
        var url = text[...]
        while url.last == "/" { url.removeLast() }
        let folded = url.lowercased()
        let isOfTheWeb = folded.hasPrefix("http://") || folded.hasPrefix("https://")
        // Paths are appended to it, and it may be shown in a room.
        let isPlain = url.utf8.allSatisfy { 0x21...0x7E ~= $0 && !"@?#".utf8.contains($0) }
        return isOfTheWeb && isPlain ? String(url) : nil
    }
}

extension ScriptSetting where Value == Int {
    /// Creates a number setting.
    public init(_ name: String, _ meaning: String, in range: ClosedRange<Int>, default value: Int) {
        self.init(
            name, meaning, expected: "a number from \(range.lowerBound) to \(range.upperBound)", kind: .number,
            fallback: "\(value)", value, read: { Int($0).flatMap { range.contains($0) ? $0 : nil } })
    }
}

extension ScriptSetting where Value == Bool {
    /// Creates a Boolean setting.
    public init(_ name: String, _ meaning: String, default value: Bool) {
        self.init(
            name, meaning, expected: "true or false", kind: .flag, fallback: "\(value)", value,
            read: {
                switch $0.lowercased() {
                case "true", "yes", "on", "1": true
                case "false", "no", "off", "0": false
                default: nil
                }
            })
    }
}

/// The kind of value that a script's setting has in `heybot.json`.
public enum ScriptSettingKind: Hashable, Sendable {
    case text, number, flag
}

/// A ``ScriptSetting`` with any type of value.
public protocol AnyScriptSetting: Sendable {
    /// The name without its prefix, such as `WEATHER_KEY`.
    var name: String { get }
    /// A short description.
    var meaning: String { get }
    /// A short description of valid values.
    var expected: String { get }
    /// The kind of value that the setting has in the settings file.
    var kind: ScriptSettingKind { get }
    /// Whether the value is a secret, which is never shown.
    var isSecret: Bool { get }
    /// The default value as text; nil if there is none.
    var fallback: String? { get }
    /// Whether Hubot's setting of the same name is read if this one isn't set.
    var isReadFromHubot: Bool { get }
    /// The path that `heybot check` appends to the value, a URL, to see whether the service works; empty if any response will
    /// do, nil if the setting isn't a service's URL.
    var probe: String? { get }

    /// Whether a text is a valid value.
    func accepts(_ text: String) -> Bool
}

extension RobotBuilder {
    /// Returns the value of one of the script's settings, or its default.
    public mutating func value<Value>(of setting: ScriptSetting<Value>) -> Value {
        guard knownSettings.contains(setting.name) else {
            problems.append(
                "\(script) reads the setting \(setting.name), but doesn't list it in `settings`: add it to that list")
            return setting.fallbackValue
        }
        guard let text = values[setting.name], !text.isEmpty else { return setting.fallbackValue }
        guard let value = setting.read(text) else {
            problems.append("\(setting.name) is invalid; expected \(setting.expected)")
            return setting.fallbackValue
        }
        return value
    }
}
