public import Logging

/// The message that caused the code that is running: a closure, the events it emits, the messages it sends.
public enum MessageContext {
    @TaskLocal static var message: Message.ID?

    /// Adds the id of that message, as `message`, to the metadata of every log line.
    public static let metadataProvider = Logger.MetadataProvider {
        message.map { ["message": "\($0)"] } ?? [:]
    }
}
