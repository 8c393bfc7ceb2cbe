/// What a script is for: help groups commands by it.
public enum Topic: String, Codable, CaseIterable, Sendable {
    /// Looks things up, or calculates them.
    case lookup
    /// Knows people, and what they said and did.
    case people
    /// Chats and plays.
    case fun
    /// Helps a team with its work.
    case work
    /// Looks after the robot.
    case administration
    /// None of these.
    case other
}

extension Robot {
    /// What a script is for; ``Topic/other`` for a script that it doesn't have.
    public func topic(of script: String) -> Topic { topics[script] ?? .other }

    /// What has to be set before a script's commands can work, by the name that people set it by; nil if nothing is missing.
    public func missingSettings(of script: String) -> String? { missingSettings[script] }
}
