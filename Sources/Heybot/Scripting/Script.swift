/// A unit of behavior: listeners, middleware, events, routes and timers that belong together.
///
/// To add a script, add a Swift file to `Scripts/` that is named like the script's type:
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
    /// The script's name in logs, help and settings; by default the type's name.
    var name: String { get }

    /// The topic under which help lists the script's commands; by default ``ScriptTopic/other``.
    var topic: ScriptTopic { get }

    /// The script's settings; by default none.
    var settings: [any AnyScriptSetting] { get }

    /// The texts of the regex literals that its listeners are registered with, by place: `Scripts/Ping.swift:12:22` for the
    /// parenthesis in line 12, column 22.
    ///
    /// A literal whose text is here isn't evaluated until a message needs it, which makes the start faster. The build plugin
    /// `ScriptCatalog` provides them; by default there are none.
    var patternTexts: [String: String] { get }

    /// Registers the script's listeners, routes, timers and middleware. It is called once, before any message is received.
    func register(on robot: inout RobotBuilder)
}

extension Script {
    public var name: String { "\(Self.self)" }
    public var topic: ScriptTopic { .other }
    public var settings: [any AnyScriptSetting] { [] }
    public var patternTexts: [String: String] { [:] }
}

/// The topic of a script.
///
/// Help groups commands by topic.
public enum ScriptTopic: String, Codable, CaseIterable, Sendable {
    /// Looking things up and calculating.
    case lookup
    /// People, and what they said and did.
    case people
    /// Chat and games.
    case fun
    /// Tools for a team's work.
    case work
    /// Administration of the robot.
    case administration
    /// Anything else.
    case other
}
