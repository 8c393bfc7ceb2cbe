/// A problem with the settings, and its fix.
struct SettingsProblem: Hashable, Sendable, CustomStringConvertible {
    /// Reason and fix in one line.
    let description: String
    let reason: String
    let fix: String

    /// A problem whose line is "reason: fix".
    init(_ reason: String, fix: String) {
        self.init(line: "\(reason): \(fix)", reason: reason, fix: fix)
    }

    /// A problem with another line.
    ///
    /// - Parameter reason: If nil, it is the line.
    init(line: String, reason: String? = nil, fix: String? = nil) {
        description = line
        self.reason = reason ?? line
        self.fix =
            fix
            ?? "correct the setting in the environment or in heybot.json; \"heybot settings --all\" lists all settings"
    }

    /// A required setting is missing.
    ///
    /// - Parameter separator: The text between reason and description in the line.
    static func missing(_ name: String, separator: String = ": ", _ what: String) -> SettingsProblem {
        SettingsProblem(
            line: "\(name) is missing\(separator)\(what)", reason: "\(name) is missing", fix: "set \(name): \(what)")
    }

    /// A setting is set that requires another.
    static func incomplete(_ name: String, without other: String) -> SettingsProblem {
        SettingsProblem(
            line: "\(name) requires \(other), which isn't set", fix: "set \(other) too, or unset \(name)")
    }
}

/// All problems with the settings.
enum InvalidSettingsError: Error, CustomStringConvertible {
    case wrong([SettingsProblem])

    var description: String {
        switch self {
        case .wrong(let problems): problems.map(\.description).joined(separator: "\n")
        }
    }
}
