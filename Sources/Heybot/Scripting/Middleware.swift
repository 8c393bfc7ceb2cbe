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
    /// Middleware between a match and its closure, or of what is sent.
    struct Entry<Body: Sendable>: Sendable {
        let script: String
        let run: Body
        /// Whether its code runs in another process, which runs it itself for its own listeners.
        let isRemote: Bool
    }

    var receive: [(script: String, run: ReceiveMiddleware)] = []
    private var listener: [Entry<ListenerMiddleware>] = []
    private var response: [Entry<ResponseMiddleware>] = []

    mutating func add(_ run: @escaping ListenerMiddleware, of script: String, isRemote: Bool = false) {
        listener.append(Entry(script: script, run: run, isRemote: isRemote))
    }

    mutating func add(_ run: @escaping ResponseMiddleware, of script: String, isRemote: Bool = false) {
        response.append(Entry(script: script, run: run, isRemote: isRemote))
    }

    mutating func remove(_ scripts: Set<String>) {
        receive.removeAll { scripts.contains($0.script) }
        listener.removeAll { scripts.contains($0.script) }
        response.removeAll { scripts.contains($0.script) }
    }

    /// The middleware that runs here before a listener.
    func listener(for one: Listener) -> [Entry<ListenerMiddleware>] {
        one.isRemote ? listener.filter { !$0.isRemote } : listener
    }

    /// The middleware that runs here for what a listener sends.
    func response(for one: Listener) -> [Entry<ResponseMiddleware>] {
        one.isRemote ? response.filter { !$0.isRemote } : response
    }
}
