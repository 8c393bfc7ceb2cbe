public import Logging

/// The message behind what is running now: a closure, what it emits, what it sends.
public enum Cause {
    @TaskLocal static var message: Message.ID?

    /// Adds that message's id, as `message`, to whatever is logged on the way.
    public static let metadataProvider = Logger.MetadataProvider {
        message.map { ["message": "\($0)"] } ?? [:]
    }
}
