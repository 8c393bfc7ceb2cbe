import Heybot

/// The reason why a text isn't a Hubot's brain.
struct HubotBrainReaderError: Error, Hashable, CustomStringConvertible {
    /// The problem.
    enum Problem: Hashable {
        /// Something else was expected, such as `expected a colon`.
        case expected(String)
        /// The value exceeds the limit of a brain.
        case valueTooLong
        /// A member's name exceeds the limit.
        case nameTooLong
    }

    /// The position in bytes, from 0.
    let offset: Int
    /// The names of the enclosing members from the outside in, down to an entry.
    let path: [String]
    let problem: Problem

    var description: String {
        let place = path.isEmpty ? "" : ", in " + path.map(BrainKeyFormatter.display).joined(separator: ".")
        return "at byte \(offset)\(place): \(reason)"
    }

    private var reason: String {
        switch problem {
        case .expected(let expected): expected
        case .valueTooLong: "the value exceeds the limit of \(BrainLimits.valueBytes) bytes"
        case .nameTooLong: "the name exceeds the limit of \(BrainLimits.valueBytes) bytes"
        }
    }
}

/// Names from a brain, formatted for one line.
enum BrainKeyFormatter {
    private static let maxLength = 60

    /// The name as one word or a JSON string, shortened if it is long.
    static func display(_ name: String) -> String {
        let isLong = name.unicodeScalars.dropFirst(maxLength).first != nil
        let scalars = name.unicodeScalars.prefix(maxLength)
        return JSONQuoting.quotedIfNeeded(String(String.UnicodeScalarView(scalars))) + (isLong ? "…" : "")
    }

    /// The key, such as `motto` or `scores[swift]`.
    static func display(_ key: StoreKey) -> String {
        key.collection.map { "\(display($0))[\(display(key.name))]" } ?? display(key.name)
    }
}
