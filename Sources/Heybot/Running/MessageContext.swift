public import Logging

/// The message that caused the code that is running: a closure, the events it emits, the messages it sends.
public enum MessageContext {
    /// The message, as code that it caused finds it.
    struct Cause: Sendable {
        let id: Message.ID
        /// The message on its way through the robot; nil in code that runs later.
        let inbound: InFlightMessage?

        init(_ id: Message.ID) { (self.id, inbound) = (id, nil) }

        init(_ inbound: InFlightMessage) { (id, self.inbound) = (inbound.message.id, inbound) }
    }

    @TaskLocal static var cause: Cause?

    /// The id of the message.
    static var message: Message.ID? { cause?.id }

    /// Adds the id of that message, as `message`, to the metadata of every log line.
    public static let metadataProvider = Logger.MetadataProvider {
        message.map { ["message": "\($0)"] } ?? [:]
    }
}
