/// An error whose words are for the person who asked: a script throws it, and the robot says it.
///
/// Unless it is a failure all the same, it is logged at debug level only and not counted.
public protocol SpokenError: Error {
    /// What to tell them, in one line.
    var spoken: String { get }

    /// Whether it is trouble all the same, to be logged and counted like any other error; false unless told otherwise.
    var isFailure: Bool { get }
}

extension SpokenError {
    public var isFailure: Bool { false }
}

/// Says why something can't be done: `throw Refusal("There is no such room.")`.
public struct Refusal: SpokenError, Hashable {
    public let spoken: String

    /// Says why not, in a sentence for the person who asked.
    public init(_ spoken: String) {
        self.spoken = spoken
    }
}

/// Nobody answered what ``Response/ask(_:within:)`` asked.
public struct NoAnswer: SpokenError, Hashable {
    public init() {}

    public var spoken: String { "No answer, so I'll leave it at that." }
}

extension StoreError: SpokenError {
    public var spoken: String {
        switch code {
        case .unavailable, .untrusted, .busy, .refused, .closed: "My memory is away just now."
        case .full, .readOnly: "I can't remember anything new just now."
        case .tooLong: "That's more than I can remember at once."
        case .tooNew, .damaged, .failed: "My memory fails me just now."
        }
    }

    public var isFailure: Bool { true }
}

/// Thrown by a listener's closure that finds that the message isn't meant for it: routing goes on as if the listener hadn't
/// matched, so that later listeners and, if nothing else matches, the catch-alls get the message.
///
/// ```swift
/// robot.respond(/(\w+) is (.+)/) { res in
///     guard let person = await person(named: res.match.1) else { throw Pass() }
/// ```
///
/// A closure that has said something should not throw it: the message would be answered twice.
public struct Pass: Error, Hashable, Sendable {
    public init() {}
}
