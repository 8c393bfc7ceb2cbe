/// Something a robot can do: listeners, middleware, events and repeated work that belong together.
///
/// A Swift file in `Scripts/` named like the script's type is all it takes to add one:
///
/// ```swift
/// public struct Hello: Script {
///     public init() {}
///
///     public func register(on robot: inout RobotBuilder) {
///         robot.respond(/hello/, help: "hello - Say hello", example: "hello") { res in
///             try await res.reply("Hello!")
///         }
///     }
/// }
/// ```
public protocol Script: Sendable {
    /// What logs, help and settings call it: the type's name unless told otherwise.
    var name: String { get }

    /// What it is for, by which help groups commands: ``Topic/other`` unless it says otherwise.
    var topic: Topic { get }

    /// What of it can be set; nothing unless told otherwise.
    var settings: [any AnyScriptSetting] { get }

    /// Registers everything the script does. Called once, before anything is received.
    func register(on robot: inout RobotBuilder)
}

extension Script {
    public var name: String { "\(Self.self)" }
    public var topic: Topic { .other }
    public var settings: [any AnyScriptSetting] { [] }
}

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
