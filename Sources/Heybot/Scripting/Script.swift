import Synchronization

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
    /// A literal whose text is here isn't evaluated until a message needs it, which makes the start faster. The default is what the
    /// build plugin `ScriptCatalog` has found; see ``PatternTexts``.
    var patternTexts: [String: String] { get }

    /// Registers the script's listeners, routes, timers and middleware. It is called once, before any message is received.
    func register(on robot: inout RobotBuilder)
}

extension Script {
    public var name: String { "\(Self.self)" }
    public var topic: ScriptTopic { .other }
    public var settings: [any AnyScriptSetting] { [] }
    public var patternTexts: [String: String] { PatternTexts.all }
}

/// The texts of regex literals, which the build plugin `ScriptCatalog` has found in the modules whose lists of scripts are used.
///
/// They belong to the program, not to a robot. If they were members of the scripts, a new script would have the compiler compile
/// all files of its module again.
public enum PatternTexts {
    private static let texts = Mutex<[String: String]>([:])

    /// All of them, by place: `Scripts/Ping.swift:12:22`.
    static var all: [String: String] { texts.withLock { $0 } }

    /// Adds texts by place, as generated code does.
    public static func add(_ added: [String: String]) { texts.withLock { $0.merge(added) { $1 } } }
}

/// A script that also runs in a gateway, whose other scripts run in workers that are linked by a Redis: it shows the state of its
/// process.
package protocol GatewayScript: Script {}

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
