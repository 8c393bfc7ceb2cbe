import FoundationEssentials
import Logging

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// How a log line is written.
enum LogFormat: String, CaseIterable, Sendable {
    /// For eyes: the time of day, the level, where it comes from, what it says.
    case short
    /// For machines that read `key=value`.
    case logfmt
    /// A JSON object a line.
    case json

    /// One line, without its line break: whatever was logged, it holds no other and no control characters.
    func line(
        at date: Date, _ level: Logger.Level, part: String, _ text: String, _ metadata: Logger.Metadata, colors: Bool
    ) -> String {
        let metadata = metadata.map { (key: $0.key, value: "\($0.value)") }.sorted { $0.key < $1.key }
        switch self {
        case .short:
            let about = metadata.map { " \($0.key)=\(Self.quoted($0.value))" }.joined()
            let (time, level) = (Self.timeOfDay(date), level.rawValue)
            guard colors else { return "\(time) \(level) \(part): \(Self.plain(text))\(about)" }
            return "\u{1b}[2m\(time)\u{1b}[0m \(Self.color(level))\(level)\u{1b}[0m \(part): \(Self.plain(text))"
                + "\u{1b}[2m\(about)\u{1b}[0m"
        case .logfmt:
            let fields =
                [("time", Self.stamp(date)), ("level", level.rawValue), ("part", part), ("msg", text)] + metadata
            return fields.map { "\($0)=\(Self.quoted($1))" }.joined(separator: " ")
        case .json:
            let fields =
                [("time", Self.stamp(date)), ("level", level.rawValue), ("part", part), ("msg", text)] + metadata
            return "{" + fields.map { "\(Self.string($0)):\(Self.string($1))" }.joined(separator: ",") + "}"
        }
    }

    private static func color(_ level: String) -> String {
        switch Logger.Level(rawValue: level) {
        case .critical, .error: "\u{1b}[31m"
        case .warning: "\u{1b}[33m"
        case .notice, .info: "\u{1b}[36m"
        default: "\u{1b}[2m"
        }
    }

    private static func stamp(_ date: Date) -> String {
        date.formatted(Date.ISO8601FormatStyle(includingFractionalSeconds: true))
    }

    private static func timeOfDay(_ date: Date) -> String {
        var seconds = time_t(date.timeIntervalSince1970)
        var local = tm()
        localtime_r(&seconds, &local)
        return [local.tm_hour, local.tm_min, local.tm_sec].map { $0 < 10 ? "0\($0)" : "\($0)" }.joined(separator: ":")
    }

    /// As it is where it is one plain word, else as a string.
    private static func quoted(_ text: String) -> String {
        let isPlain = text.unicodeScalars.allSatisfy { $0.value > 0x20 && $0.value < 0x7f && $0 != "\"" && $0 != "=" }
        return isPlain && !text.isEmpty ? text : string(text)
    }

    /// A JSON string.
    private static func string(_ text: String) -> String {
        var string = "\""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"": string += "\\\""
            case "\\": string += "\\\\"
            case "\n": string += "\\n"
            case "\t": string += "\\t"
            case "\r": string += "\\r"
            case _ where isControl(scalar):
                let digits = String(scalar.value, radix: 16)
                string += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
            default: string.unicodeScalars.append(scalar)
            }
        }
        return string + "\""
    }

    /// Without control characters, for a terminal.
    private static func plain(_ text: String) -> String {
        var plain = String.UnicodeScalarView()
        for scalar in text.unicodeScalars { plain.append(isControl(scalar) ? " " : scalar) }
        return String(plain)
    }

    private static func isControl(_ scalar: Unicode.Scalar) -> Bool {
        scalar.value < 0x20 || (0x7f..<0xa0).contains(scalar.value) || scalar.value == 0x2028 || scalar.value == 0x2029
    }
}
