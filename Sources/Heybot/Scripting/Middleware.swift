/// Middleware that runs before the listeners.
///
/// It returns the message, changed or not, or nil to drop it.
///
/// If it throws, the message is dropped too.
public typealias ReceiveMiddleware = @Sendable (Message, Robot) async throws -> Message?

/// Middleware that runs between a listener's match and its closure.
///
/// If it returns false, the closure doesn't run.
public typealias ListenerMiddleware = @Sendable (Listener, Response<Void>) async throws -> Bool

/// Middleware for everything that scripts send in answer to a message.
///
/// It returns the utterance, changed or not, or nil to drop it.
public typealias ResponseMiddleware = @Sendable (Utterance, Envelope, Robot) async throws -> Utterance?

/// The robot's middleware, each kind in registration order.
struct MiddlewareStack: Sendable {
    var receive: [(script: String, run: ReceiveMiddleware)] = []
    var listener: [(script: String, run: ListenerMiddleware)] = []
    var response: [(script: String, run: ResponseMiddleware)] = []
}
