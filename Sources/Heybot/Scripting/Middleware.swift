/// Sees every message before any listener does: returns it, changed or not, or nil to stop it there.
///
/// One that throws stops the message too.
public typealias ReceiveMiddleware = @Sendable (Message, Robot) async throws -> Message?

/// Runs when a listener has matched, before its closure does; false keeps the closure from running.
public typealias ListenerMiddleware = @Sendable (Listener, Response<Void>) async throws -> Bool

/// Sees everything scripts say in answer to a message: returns it, changed or not, or nil to keep it unsaid.
public typealias ResponseMiddleware = @Sendable (Utterance, Envelope, Robot) async throws -> Utterance?

/// The robot's middleware, each kind in registration order.
struct Middleware: Sendable {
    var receive: [(script: String, run: ReceiveMiddleware)] = []
    var listener: [(script: String, run: ListenerMiddleware)] = []
    var response: [(script: String, run: ResponseMiddleware)] = []
}
