import HeybotSockets

/// One thing that is wrong with the settings, and what to do about it.
struct SettingsProblem: Hashable, Sendable, CustomStringConvertible {
    /// Both in one line.
    let description: String
    let reason: String
    let cure: String

    /// What can be said in two parts.
    init(_ reason: String, cure: String) {
        self.init(line: "\(reason): \(cure)", reason: reason, cure: cure)
    }

    /// What reads otherwise in one line.
    ///
    /// - Parameter reason: The line, if it is nil.
    init(line: String, reason: String? = nil, cure: String? = nil) {
        description = line
        self.reason = reason ?? line
        self.cure = cure ?? "correct it in the environment or in heybot.json; heybot settings lists what may be set"
    }

    /// A setting that has to be there.
    ///
    /// - Parameter joint: What joins the two in one line.
    static func missing(_ name: String, joint: String = ": ", _ what: String) -> SettingsProblem {
        SettingsProblem(
            line: "\(name) is missing\(joint)\(what)", reason: "\(name) is missing", cure: "set \(name): \(what)")
    }

    /// One that means nothing without another.
    static func lonely(_ name: String, without other: String) -> SettingsProblem {
        SettingsProblem(
            line: "\(name) goes with \(other), which isn't set", cure: "set \(other) too, or unset \(name)")
    }

    /// A setting whose file doesn't do.
    static func file(_ name: String, _ error: TLSFileError) -> SettingsProblem {
        SettingsProblem(line: "\(name): \(error)", cure: "set \(name) to a file that does")
    }
}

/// What is wrong with the settings, all of it.
enum SettingsError: Error, CustomStringConvertible {
    case wrong([SettingsProblem])

    var description: String {
        switch self {
        case .wrong(let problems): problems.map(\.description).joined(separator: "\n")
        }
    }
}

/// The name that differs least from what was typed, if that may well be what was meant.
func nearest(_ typed: String, of names: some Sequence<String>) -> String? {
    names.map { (distance($0.lowercased(), typed.lowercased()), $0) }.min { $0 < $1 }
        .flatMap { $0.0 <= min(3, typed.count / 2) ? $0.1 : nil }
}

/// How many letters must be put in, left out or changed to make one of the other (Levenshtein).
private func distance(_ one: String, _ other: String) -> Int {
    let other = Array(other)
    var row = Array(0...other.count)
    for (i, letter) in one.enumerated() {
        var diagonal = row[0]
        row[0] = i + 1
        for (j, otherLetter) in other.enumerated() {
            let above = row[j + 1]
            row[j + 1] = min(above + 1, row[j] + 1, diagonal + (letter == otherLetter ? 0 : 1))
            diagonal = above
        }
    }
    return row[other.count]
}
