/// The name and payload type of an event that scripts send each other.
///
/// ```swift
/// static let deployed = ScriptEvent<String>("deploy.finished")
/// ```
public struct ScriptEvent<Payload: Codable & Sendable>: Sendable {
    /// The name, unique in the robot; begin it with the script's name, as in `deploy.finished`.
    public let name: String

    /// Creates an event with a name.
    public init(_ name: String) {
        self.name = name
    }
}

/// A script's closure for an event.
struct EventHandler: Sendable {
    let script: String
    let event: String
    let handle: @Sendable (any Sendable, Robot) async throws -> Void
}

/// An event was emitted with a payload of another type than a handler expects.
struct EventPayloadMismatch: Error, CustomStringConvertible {
    let event: String
    let expected: String
    let found: String

    var description: String { "the event \(event) was emitted with \(found), but this handler expects \(expected)" }
}
