public import Logging

/// The message that caused the code that is running: a closure, the events it emits, the messages it sends.
public enum MessageContext {
    /// The message, as code that it caused finds it.
    struct Cause: Sendable {
        let id: Message.ID
        /// The message on its way through the robot; nil in code that runs later.
        let inbound: InFlightMessage?
        /// Whether the code is an observer's.
        let isObserver: Bool

        init(_ id: Message.ID, isObserver: Bool = false) {
            (self.id, inbound, self.isObserver) = (id, nil, isObserver)
        }

        init(_ inbound: InFlightMessage) {
            (id, self.inbound, isObserver) = (inbound.message.id, inbound, false)
        }
    }

    @TaskLocal static var cause: Cause?

    /// The id of the message.
    static var message: Message.ID? { cause?.id }

    /// Whether the code that is running is an observer's, so that what it sends isn't the message's own answer.
    package static var isObserver: Bool { cause?.isObserver ?? false }

    /// Adds the id of that message, as `message`, to the metadata of every log line.
    public static let metadataProvider = Logger.MetadataProvider {
        message.map { ["message": "\($0)"] } ?? [:]
    }
}
