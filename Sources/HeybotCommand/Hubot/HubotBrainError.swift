import Heybot

/// Why a text can't be read as a Hubot's brain.
struct HubotBrainError: Error, Hashable, CustomStringConvertible {
    /// What is wrong.
    enum Problem: Hashable {
        /// Something else should be there, as `expected a colon` says.
        case expected(String)
        /// The value is longer than a brain takes.
        case valueTooLong
        /// The name of a member is.
        case nameTooLong
    }

    /// The byte it is at, from 0.
    let offset: Int
    /// The names of the members it is in, from the outside in, as far as they are told apart: down to an entry.
    let path: [String]
    let problem: Problem

    var description: String {
        let place = path.isEmpty ? "" : ", in " + path.map(HubotBrainNames.shown).joined(separator: ".")
        return "at byte \(offset)\(place): \(reason)"
    }

    private var reason: String {
        switch problem {
        case .expected(let expected): expected
        case .valueTooLong: "the value has more than the \(BrainLimits.valueBytes) bytes a value may have"
        case .nameTooLong: "the name has more than the \(BrainLimits.valueBytes) bytes we read"
        }
    }
}

/// Names from a brain, as they stand in a line about it.
enum HubotBrainNames {
    private static let longest = 60

    /// One word, or a JSON string; the beginning of a long name.
    static func shown(_ name: String) -> String {
        let isLong = name.unicodeScalars.dropFirst(longest).first != nil
        let scalars = name.unicodeScalars.prefix(longest)
        return Plain.word(String(String.UnicodeScalarView(scalars))) + (isLong ? "…" : "")
    }

    /// As `motto` or `scores[swift]`.
    static func shown(_ key: StoreKey) -> String {
        key.collection.map { "\(shown($0))[\(shown(key.name))]" } ?? shown(key.name)
    }
}
