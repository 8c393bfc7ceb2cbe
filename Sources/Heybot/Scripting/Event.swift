/// The name and type of something scripts tell each other.
///
/// ```swift
/// static let deployed = Event<String>("deploy.finished")
/// ```
public struct Event<Payload: Codable & Sendable>: Sendable {
    /// Unique in the robot; begin it with the script's name, as in `deploy.finished`.
    public let name: String

    /// Names an event.
    public init(_ name: String) {
        self.name = name
    }
}

/// Script code that waits for an event.
struct EventHandler: Sendable {
    let script: String
    let event: String
    let handle: @Sendable (any Sendable, Robot) async throws -> Void
}

/// An event was emitted with a payload of another type than a handler expects.
struct EventMismatch: Error, CustomStringConvertible {
    let event: String
    let expected: String
    let found: String

    var description: String { "the event \(event) came with \(found), where this handler expects \(expected)" }
}
