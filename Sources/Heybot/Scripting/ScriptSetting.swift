/// Something of a script that can be set: in the environment, or in `heybot.json`.
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
    public let name: String
    public let meaning: String
    public let expected: String
    public let form: ScriptSettingForm
    public let isSecret: Bool
    public let fallback: String?
    public let isReadFromHubot: Bool
    public let probe: String?

    let fallbackValue: Value
    let read: @Sendable (String) -> Value?

    private init(
        _ name: String, _ meaning: String, expected: String, form: ScriptSettingForm = .text, isSecret: Bool = false,
        fallback: String? = nil, isReadFromHubot: Bool = true, probe: String? = nil, _ fallbackValue: Value,
        read: @escaping @Sendable (String) -> Value?
    ) {
        self.name = name
        self.meaning = meaning
        self.expected = expected
        self.form = form
        self.isSecret = isSecret
        self.fallback = fallback
        self.isReadFromHubot = isReadFromHubot
        self.probe = probe
        self.fallbackValue = fallbackValue
        self.read = read
    }

    public func takes(_ text: String) -> Bool { read(text) != nil }
}

extension ScriptSetting where Value == String? {
    /// A text, or nothing if it isn't set.
    ///
    /// - Parameters:
    ///   - name: Without the prefix, as `WEATHER_KEY`; in the file that is `weather.key`.
    ///   - meaning: What it is, in a few words.
    ///   - isSecret: Whether its value is never shown.
    ///   - isReadFromHubot: Whether Hubot's setting of the same name is read if ours isn't set; false for a name that
    ///     scripts of a Hubot use for another purpose.
    public init(_ name: String, _ meaning: String, isSecret: Bool = false, isReadFromHubot: Bool = true) {
        self.init(
            name, meaning, expected: "a text", isSecret: isSecret, isReadFromHubot: isReadFromHubot, nil,
            read: { .some($0) })
    }
}

extension ScriptSetting {
    /// A value of a type of the script's own, or nothing if it isn't set.
    ///
    /// - Parameters:
    ///   - name: Without the prefix, as `TIME_ZONE`.
    ///   - meaning: What it is, in a few words.
    ///   - expected: What it may be set to, in a few words.
    ///   - read: The value of a text; nil if it is none.
    public init<Wrapped>(
        _ name: String, _ meaning: String, expected: String, read: @escaping @Sendable (String) -> Wrapped?
    ) where Value == Wrapped? {
        self.init(name, meaning, expected: expected, nil, read: { read($0).map(Optional.some) })
    }
}

extension ScriptSetting where Value == String {
    /// A text.
    public init(_ name: String, _ meaning: String, default value: String) {
        self.init(name, meaning, expected: "a text", fallback: value, value, read: { $0 })
    }
}

extension ScriptSetting where Value == String {
    /// One of several words, whatever their case; the value is written as it is among the choices.
    public init(_ name: String, _ meaning: String, choices: [String], default value: String) {
        self.init(
            name, meaning, expected: "one of \(choices.joined(separator: ", "))", fallback: value, value,
            read: { text in choices.first { $0.lowercased() == text.lowercased() } })
    }
}

extension ScriptSetting where Value == String? {
    /// Where a service is, or nothing if it isn't set: a URL of http or https, without the slash at its end.
    ///
    /// - Parameters:
    ///   - name: Without the prefix, as `SEARCH_URL`.
    ///   - meaning: What it is, in a few words.
    ///   - probe: What `heybot check` adds to the URL to see whether the service works; without it, any answer will do.
    public init(url name: String, _ meaning: String, probe: String? = nil) {
        self.init(
            name, meaning, expected: Self.url, probe: probe ?? "", nil, read: { Self.url(of: $0).map(Optional.some) })
    }
}

extension ScriptSetting where Value == String {
    /// Where a service is: a URL of http or https, without the slash at its end.
    public init(url name: String, _ meaning: String, default value: String) {
        self.init(name, meaning, expected: Self.url, fallback: value, probe: "", value, read: Self.url)
    }
}

extension ScriptSetting {
    fileprivate static var url: String { "a URL of http or https, without a user or a query" }

    fileprivate static func url(of text: String) -> String? {
        var url = text[...]
        while url.last == "/" { url.removeLast() }
        let folded = url.lowercased()
        let isOfTheWeb = folded.hasPrefix("http://") || folded.hasPrefix("https://")
        // Paths are put behind it, and it may be said in a room.
        let isPlain = url.utf8.allSatisfy { 0x21...0x7E ~= $0 && !"@?#".utf8.contains($0) }
        return isOfTheWeb && isPlain ? String(url) : nil
    }
}

extension ScriptSetting where Value == Int {
    /// A number.
    public init(_ name: String, _ meaning: String, in range: ClosedRange<Int>, default value: Int) {
        self.init(
            name, meaning, expected: "a number from \(range.lowerBound) to \(range.upperBound)", form: .number,
            fallback: "\(value)", value, read: { Int($0).flatMap { range.contains($0) ? $0 : nil } })
    }
}

extension ScriptSetting where Value == Bool {
    /// A yes or a no.
    public init(_ name: String, _ meaning: String, default value: Bool) {
        self.init(
            name, meaning, expected: "true or false", form: .flag, fallback: "\(value)", value,
            read: {
                switch $0.lowercased() {
                case "true", "yes", "on", "1": true
                case "false", "no", "off", "0": false
                default: nil
                }
            })
    }
}

/// What a script's setting is in `heybot.json`.
public enum ScriptSettingForm: Hashable, Sendable {
    case text, number, flag
}

/// A ``ScriptSetting``, whatever its value is.
public protocol AnyScriptSetting: Sendable {
    /// Its name without the prefix, as `WEATHER_KEY`.
    var name: String { get }
    /// What it is, in a few words.
    var meaning: String { get }
    /// What its value may be.
    var expected: String { get }
    /// What it is in the settings file.
    var form: ScriptSettingForm { get }
    /// Whether its value is never shown.
    var isSecret: Bool { get }
    /// What holds if it isn't set; nil if nothing does.
    var fallback: String? { get }
    /// Whether Hubot's setting of the same name is read if ours isn't set.
    var isReadFromHubot: Bool { get }
    /// What `heybot check` adds to its value, which is then a URL, to see whether a service is there; empty if any answer
    /// will do, nil for a setting that isn't the place of a service.
    var probe: String? { get }

    /// Whether it can be set to that.
    func takes(_ text: String) -> Bool
}

extension RobotBuilder {
    /// What a setting of this script's is set to, or what holds if it isn't.
    public mutating func value<Value>(of setting: ScriptSetting<Value>) -> Value {
        guard knownSettings.contains(setting.name) else {
            problems.append("\(script) asks for its setting \(setting.name), which isn't among its settings: list it")
            return setting.fallbackValue
        }
        guard let text = values[setting.name], !text.isEmpty else { return setting.fallbackValue }
        guard let value = setting.read(text) else {
            problems.append("\(setting.name) can't be used; expected \(setting.expected)")
            return setting.fallbackValue
        }
        return value
    }
}
