public import Logging

/// Whose code runs: a script, which listener or other part of it, and for which message if there is one.
struct ScriptPart: Hashable, Sendable {
    var script: String
    var part: String
    var message: Message.ID?
}

/// An error of another part than the listener it came through: of middleware, say.
struct BlamedError: Error {
    let part: ScriptPart
    let error: any Error

    /// Runs the body, and blames the part for what it throws.
    static func blaming<Result>(
        _ part: ScriptPart, _ body: () async throws -> Result
    ) async throws -> Result {
        do {
            return try await body()
        } catch let error as CancellationError {
            throw error
        } catch {
            throw BlamedError(part: part, error: error)
        }
    }
}

/// The message behind what is running now: a closure, what it emits, what it sends.
public enum Cause {
    @TaskLocal static var message: Message.ID?

    /// Adds that message's id, as `message`, to whatever is logged on the way.
    public static let metadataProvider = Logger.MetadataProvider {
        message.map { ["message": "\($0)"] } ?? [:]
    }
}
