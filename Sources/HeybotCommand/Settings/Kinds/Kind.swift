import Heybot

/// What a setting is in `heybot.json`.
enum Shape: Sendable {
    case text, number, flag
    /// Texts in an array, or one text with commas.
    case list
    /// A path, from the file's own folder if it is relative.
    case path
}

/// What a setting's text may be, and what it means.
struct Kind<Value: Sendable>: Sendable {
    let shape: Shape
    /// What was expected, as an error says it.
    let expected: String
    let read: @Sendable (String) -> Value?
    /// As it would be set; nil if there is none.
    let show: @Sendable (Value) -> String?
    /// Whether a part of it may be a secret, so that no error may quote what can't be read.
    var holdsSecrets = false
    /// Why a text can't be read, if more can be said than what was expected; it quotes no secret.
    var why: @Sendable (String) -> String? = { _ in nil }
}

extension Kind where Value == String {
    static func text(_ expected: String = "a text") -> Kind {
        Kind(shape: .text, expected: expected, read: { $0 }, show: { $0 })
    }
}

extension Kind where Value == String? {
    static func optional(_ expected: String = "a text") -> Kind {
        Kind(shape: .text, expected: expected, read: { $0 }, show: { $0 })
    }

    static let path = Kind(shape: .path, expected: "a path", read: { $0 }, show: { $0 })
}

extension Kind where Value == Int {
    static func number(_ range: ClosedRange<Int>) -> Kind {
        Kind(
            shape: .number, expected: "a number from \(range.lowerBound) to \(range.upperBound)",
            read: { Int($0).flatMap { range.contains($0) ? $0 : nil } }, show: { "\($0)" })
    }
}

extension Kind where Value == Bool {
    static let flag = Kind(
        shape: .flag, expected: "true or false",
        read: {
            switch $0.lowercased() {
            case "true", "yes", "on", "1": true
            case "false", "no", "off", "0": false
            default: nil
            }
        }, show: { "\($0)" })
}

extension Kind where Value == Duration {
    static let seconds = seconds("a number of seconds, up to 86400") { $0 > 0 }
    static let secondsOrNone = seconds("a number of seconds, from 0 to 86400") { $0 >= 0 }

    private static func seconds(_ expected: String, where isEnough: @escaping @Sendable (Double) -> Bool) -> Kind {
        Kind(
            shape: .number, expected: expected,
            read: { Double($0).flatMap { isEnough($0) && $0 <= 86_400 ? .seconds($0) : nil } },
            show: { duration in
                let (seconds, attoseconds) = duration.components
                return attoseconds == 0 ? "\(seconds)" : "\(Double(seconds) + Double(attoseconds) / 1e18)"
            })
    }
}

extension Kind where Value == Set<String> {
    static func names(_ expected: String) -> Kind {
        Kind(
            shape: .list, expected: expected, read: { Set(parts($0)) },
            show: { $0.isEmpty ? nil : $0.sorted().joined(separator: ",") })
    }
}

extension Kind where Value == [AdapterName] {
    static let adapters = Kind(
        shape: .list, expected: AdapterName.expected,
        read: { text in
            let names = parts(text).map { AdapterName(rawValue: $0.lowercased()) }
            let known = names.compactMap { $0 }
            return known.isEmpty || known.count < names.count
                ? nil : known.enumerated().filter { known.firstIndex(of: $1) == $0 }.map(\.element)
        }, show: { $0.map(\.rawValue).joined(separator: ",") },
        why: { text in
            let known = [
                "slack", "discord", "mattermost", "matrix", "teams", "telegram", "rocketchat", "rocket.chat", "zulip"
            ]
            let missing = parts(text.lowercased()).first { name in known.contains { name.contains($0) } }
            return missing.map { "there is no adapter for \($0) yet" }
        })
}

extension Kind where Value == ScriptSwitches {
    static let switches = Kind(
        shape: .list, expected: "names of scripts, such as Rules or Rules@#room",
        read: { text in
            var switches = ScriptSwitches()
            for part in parts(text) {
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

extension Kind where Value == LogLevels {
    static let levels = Kind(
        shape: .list, expected: "a level such as info, or several such as info,Rules=debug",
        read: LogLevels.init, show: { $0.description })
}

extension Kind where Value == LogFormat? {
    static let format = Kind(
        shape: .text, expected: "short, logfmt or json",
        read: { LogFormat(rawValue: $0.lowercased()).map(Optional.some) },
        show: { $0?.rawValue })
}

/// A text's parts, with commas between them.
func parts(_ text: String) -> [String] {
    text.split(separator: ",").map { part in
        var part = part.drop(while: \.isWhitespace)
        while part.last?.isWhitespace == true { part.removeLast() }
        return String(part)
    }
    .filter { !$0.isEmpty }
}
