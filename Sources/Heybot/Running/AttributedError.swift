/// An error together with the code that threw it, if that isn't the listener that it came through: middleware, for example.
struct AttributedError: Error {
    let origin: RunningScriptPart
    let error: any Error

    /// Runs `body`, and attributes its errors to `origin`.
    static func attributing<Result>(
        to origin: RunningScriptPart, _ body: () async throws -> Result
    ) async throws -> Result {
        do {
            return try await body()
        } catch let error as CancellationError {
            throw error
        } catch {
            throw AttributedError(origin: origin, error: error)
        }
    }
}
