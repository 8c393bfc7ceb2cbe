public import Logging

/// The message that caused the code that is running: a closure, the events it emits, the messages it sends.
public enum MessageContext {
    /// The message, as code that it caused finds it.
    struct Cause: Sendable {
        let id: Message.ID
        /// The message on its way through the robot; nil in code that runs later.
        let inbound: InFlightMessage?
        /// The script whose observer the code is; nil if it isn't an observer's.
        let observer: String?

        init(_ id: Message.ID, observer: String? = nil) {
            (self.id, inbound, self.observer) = (id, nil, observer)
        }

        init(_ inbound: InFlightMessage) {
            (id, self.inbound, observer) = (inbound.message.id, inbound, nil)
        }
    }

    @TaskLocal static var cause: Cause?

    /// Whether the robot itself says something about the message, such as that a closure took too long.
    @TaskLocal package static var isNotice = false

    /// The id of the message.
    package static var message: Message.ID? { cause?.id }

    /// Whether the code that is running is an observer's, so that what it sends isn't the message's own answer.
    package static var isObserver: Bool { observer != nil }

    /// The name of the script whose observer's code is running; nil if other code is.
    package static var observer: String? { cause?.observer }

    /// Runs what code in another process has caused.
    ///
    /// - Parameters:
    ///   - message: The id of the message that has caused it; nil if none has.
    ///   - observer: The script whose observer's code that is; nil if it isn't an observer's.
    package static func withCause<Result: Sendable>(
        _ message: Message.ID?, observer: String?, _ body: @Sendable () async -> Result
    ) async -> Result {
        guard let message else { return await body() }
        return await $cause.withValue(Cause(message, observer: observer)) { await body() }
    }

    /// Adds the id of that message, as `message`, to the metadata of every log line.
    public static let metadataProvider = Logger.MetadataProvider {
        message.map { ["message": "\($0)"] } ?? [:]
    }
}
