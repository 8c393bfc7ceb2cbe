/// An error with a message for the user: if a script throws it, the robot sends its message.
///
/// Unless ``isFailure`` is true, it is logged at debug level only, and not counted as an error.
public protocol UserFacingError: Error {
    /// The message for the user, in one line.
    var userMessage: String { get }

    /// Whether it is logged and counted like any other error; by default false.
    var isFailure: Bool { get }
}

extension UserFacingError {
    /// False: most such errors are ordinary answers.
    public var isFailure: Bool { false }
}

/// An error that tells the user why a command can't be carried out: `throw Refusal("There is no such room.")`.
public struct Refusal: UserFacingError, Hashable {
    /// The sentence for the user.
    public let userMessage: String

    /// Creates a refusal with a sentence for the user.
    public init(_ userMessage: String) {
        self.userMessage = userMessage
    }
}

/// The user didn't answer a question of ``Response/ask(_:within:accepting:)`` in time.
public struct AskTimeoutError: UserFacingError, Hashable {
    /// Creates the error.
    public init() {}

    /// A sentence for the user.
    public var userMessage: String { "You didn't answer in time, so I've canceled your request." }
}

/// The user gave the robot a command instead of answering a question of ``Response/ask(_:within:accepting:)``.
///
/// If a closure throws it, the robot says that it has left what it was asking about.
public struct QuestionAbandonedError: UserFacingError, Hashable {
    /// Creates the error.
    public init() {}

    /// A sentence for the user.
    public var userMessage: String { "You went on to something else, so I've left that." }
}
