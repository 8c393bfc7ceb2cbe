import Heybot

/// The JSON type of a setting in `heybot.json`.
enum SettingJSONType: Sendable {
    case text, number, flag
    /// An array of strings, or one string with commas.
    case list
    /// A path. A relative one is relative to the file's directory.
    case path
}

/// Converts between a setting's text and its value.
struct ValueParser<Value: Sendable>: Sendable {
    let shape: SettingJSONType
    /// The expected values, for errors.
    let expected: String
    /// Returns the value of a text; nil if the text is invalid.
    let read: @Sendable (String) -> Value?
    /// Returns the text of a value; nil if there is none.
    let show: @Sendable (Value) -> String?
    /// Whether a part of the text may be a secret, so that errors don't quote it.
    var holdsSecrets = false
    /// Returns why a text is invalid, if that can be said more exactly than with ``expected``.
    ///
    /// Quotes no secrets.
    var why: @Sendable (String) -> String? = { _ in nil }
}

extension ValueParser where Value == String {
    static func text(_ expected: String = "a text") -> ValueParser {
        ValueParser(shape: .text, expected: expected, read: { $0 }, show: { $0 })
    }
}

extension ValueParser where Value == String? {
    static func optional(_ expected: String = "a text") -> ValueParser {
        ValueParser(shape: .text, expected: expected, read: { $0 }, show: { $0 })
    }

    static let path = ValueParser(shape: .path, expected: "a path", read: { $0 }, show: { $0 })
}

extension ValueParser where Value == Int {
    static func number(_ range: ClosedRange<Int>) -> ValueParser {
        ValueParser(
            shape: .number, expected: "a number from \(range.lowerBound) to \(range.upperBound)",
            read: { Int($0).flatMap { range.contains($0) ? $0 : nil } }, show: { "\($0)" })
    }
}

extension ValueParser where Value == Bool {
    static let flag = ValueParser(
        shape: .flag, expected: "true or false",
        read: {
            switch $0.lowercased() {
            case "true", "yes", "on", "1": true
            case "false", "no", "off", "0": false
            default: nil
            }
        }, show: { "\($0)" })
}

extension ValueParser where Value == Duration {
    static let seconds = seconds("a number of seconds, up to 86400") { $0 > 0 }
    static let secondsOrNone = seconds("a number of seconds, from 0 to 86400") { $0 >= 0 }

    private static func seconds(_ expected: String, where isEnough: @escaping @Sendable (Double) -> Bool) -> ValueParser
    {
        ValueParser(
            shape: .number, expected: expected,
            read: { Double($0).flatMap { isEnough($0) && $0 <= 86_400 ? .seconds($0) : nil } },
            show: { duration in
                let (seconds, attoseconds) = duration.components
                return attoseconds == 0 ? "\(seconds)" : "\(Double(seconds) + Double(attoseconds) / 1e18)"
            })
    }
}

extension ValueParser where Value == Int {
    /// A size in bytes, such as `100kb`.
    static let bytes = ValueParser(
        shape: .text, expected: "a size from 1kb to 100mb",
        read: { text in
            let units = ["kb": 1 << 10, "mb": 1 << 20, "b": 1]
            guard let match = text.lowercased().wholeMatch(of: /([0-9.]+) ?([km]?b)?/),
                let number = Double(match.1)
            else { return nil }
            let bytes = number * Double(match.2.flatMap { units[String($0)] } ?? 1)
            return 1_024...104_857_600 ~= bytes ? Int(bytes) : nil
        }, show: { $0 % (1 << 20) == 0 ? "\($0 >> 20)mb" : $0 % (1 << 10) == 0 ? "\($0 >> 10)kb" : "\($0)b" })
}

extension ValueParser where Value == Int? {
    static let port = ValueParser(
        shape: .number, expected: "a number from 1 to 65535",
        read: { Int($0).flatMap { (1...65_535).contains($0) ? .some($0) : nil } }, show: { $0.map { "\($0)" } })
}

extension ValueParser where Value == Bool? {
    /// True, false, or unset, which leaves the choice to the adapter.
    static let optionalFlag = ValueParser(
        shape: .flag, expected: ValueParser<Bool>.flag.expected,
        read: { ValueParser<Bool>.flag.read($0).map(Optional.some) },
        show: { $0.map { "\($0)" } })
}

extension ValueParser where Value == Duration {
    /// Milliseconds, or Hubot's values: true for a second, false for none.
    static let unflood = ValueParser(
        shape: .number, expected: "a number of milliseconds, up to 60000",
        read: { text in
            switch text.lowercased() {
            case "true": .milliseconds(1_000)
            case "false": .zero
            default: Int(text).flatMap { (0...60_000).contains($0) ? .milliseconds($0) : nil }
            }
        },
        show: { "\($0.components.seconds * 1_000 + $0.components.attoseconds / 1_000_000_000_000_000)" })
}

extension ValueParser where Value == Duration {
    static let milliseconds = ValueParser(
        shape: .number, expected: "a number of milliseconds, up to 86400000",
        read: { Int($0).flatMap { (1...86_400_000).contains($0) ? .milliseconds($0) : nil } },
        show: { "\($0.components.seconds * 1_000 + $0.components.attoseconds / 1_000_000_000_000_000)" })
}

extension ValueParser where Value == Set<String> {
    static func names(_ expected: String) -> ValueParser {
        ValueParser(
            shape: .list, expected: expected, read: { Set(commaSeparated($0)) },
            show: { $0.isEmpty ? nil : $0.sorted().joined(separator: ",") })
    }
}

extension ValueParser where Value == [AdapterName] {
    static let adapters = ValueParser(
        shape: .list, expected: AdapterName.expected,
        read: { text in
            let names = commaSeparated(text).map { AdapterName(rawValue: $0.lowercased()) }
            let known = names.filter(AdapterName.allCases.contains)
            return known.isEmpty || known.count < names.count
                ? nil : known.enumerated().filter { known.firstIndex(of: $1) == $0 }.map(\.element)
        }, show: { $0.map(\.rawValue).joined(separator: ",") },
        why: { text in
            let known = [
                "slack", "discord", "mattermost", "matrix", "teams", "telegram", "rocketchat", "rocket.chat", "zulip"
            ]
            let missing = commaSeparated(text.lowercased()).first { name in known.contains { name.contains($0) } }
            let leftOut = commaSeparated(text.lowercased()).first {
                ["irc", "xmpp", "gtalk", "campfire"].contains($0) && !AdapterName.allCases.map(\.rawValue).contains($0)
            }
            return missing.map { "there is no adapter for \($0) yet" }
                ?? leftOut.map { "this program was built without the adapter \($0)" }
        })
}

extension ValueParser where Value == DisabledScripts {
    static let switches = ValueParser(
        shape: .list, expected: "names of scripts, such as Rules or Rules@#room",
        read: { text in
            var switches = DisabledScripts()
            for part in commaSeparated(text) {
                let halves = part.split(separator: "@", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
                guard !halves[0].isEmpty, halves.last != "" else { return nil }
                switches.turn(halves[0], on: false, in: halves.count == 1 ? nil : halves[1])
            }
            return switches
        },
        show: { switches in
            let rooms = switches.offInRoom.flatMap { room, scripts in scripts.map { "\($0)@\(room)" } }
            let all = switches.off.sorted() + rooms.sorted()
            return all.isEmpty ? nil : all.joined(separator: ",")
        })
}

extension ValueParser where Value == LogLevels {
    static let levels = ValueParser(
        shape: .list, expected: "a level such as info, or several such as info,Rules=debug",
        read: LogLevels.init, show: { $0.description })
}

extension ValueParser where Value == LogFormat? {
    static let format = ValueParser(
        shape: .text, expected: "short, logfmt or json",
        read: { LogFormat(rawValue: $0.lowercased()).map(Optional.some) },
        show: { $0?.rawValue })
}

/// Returns the parts between commas, without spaces around them and without empty ones.
func commaSeparated(_ text: String) -> [String] {
    text.split(separator: ",").map { part in
        var part = part.drop(while: \.isWhitespace)
        while part.last?.isWhitespace == true { part.removeLast() }
        return String(part)
    }
    .filter { !$0.isEmpty }
}
