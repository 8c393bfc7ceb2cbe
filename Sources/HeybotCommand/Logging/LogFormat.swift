import FoundationEssentials
import HeybotSupport
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
    /// Short lines that are easy to read: the time of day, level, part and text.
    case short
    /// `key=value` pairs.
    case logfmt
    /// One JSON object per line.
    case json

    /// Returns the line, without a line break at its end.
    ///
    /// It contains no line breaks or control characters.
    func line(
        at date: Date, _ level: Logger.Level, part: String, _ text: String, _ metadata: Logger.Metadata, colors: Bool
    ) -> String {
        let metadata = metadata.map { (key: Self.key($0.key), value: "\($0.value)") }.sorted { $0.key < $1.key }
        switch self {
        case .short:
            let about = metadata.map { " \($0.key)=\(JSONQuoting.quotedIfNeeded($0.value))" }.joined()
            let (time, level) = (Self.timeOfDay(date), level.rawValue)
            guard colors else { return "\(time) \(level) \(part): \(SafeText.line(text))\(about)" }
            return "\u{1b}[2m\(time)\u{1b}[0m \(Self.color(level))\(level)\u{1b}[0m \(part): \(SafeText.line(text))"
                + "\u{1b}[2m\(about)\u{1b}[0m"
        case .logfmt:
            let fields =
                [("time", Self.stamp(date)), ("level", level.rawValue), ("part", part), ("msg", text)] + metadata
            return fields.map { "\($0)=\(JSONQuoting.quotedIfNeeded($1))" }.joined(separator: " ")
        case .json:
            let fields =
                [("time", Self.stamp(date)), ("level", level.rawValue), ("part", part), ("msg", text)] + metadata
            return "{" + fields.map { "\(JSONQuoting.quoted($0)):\(JSONQuoting.quoted($1))" }.joined(separator: ",")
                + "}"
        }
    }

    /// A key as one word, different from the fixed keys.
    private static func key(_ key: String) -> String {
        let word = String(key.map { $0.isLetter || $0.isNumber || "_.-".contains($0) ? $0 : "_" })
        return ["time", "level", "part", "msg"].contains(word) ? word + "_" : word
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
}
