import Foundation
import Synchronization

/// A scripted HTTP server on a loopback port.
///
/// Each connection is served on a thread of its own.
///
/// It ends when it is stopped or deallocated.
public final class ScriptedHTTPServer: Sendable {
    private struct State {
        var listener: Int32?
        var clients: [ScriptedHTTPClient] = []
    }

    /// The port it listens on.
    public let port: Int
    private let state = Mutex(State())

    /// Starts a server.
    ///
    /// - Parameter serve: Serves a connection, which is closed when it returns.
    public init(_ serve: @escaping @Sendable (ScriptedHTTPClient) -> Void) throws {
        let (port, listener) = try Self.listen()
        self.port = port
        state.withLock { $0.listener = listener }
        Thread.detachNewThread { [weak self] in
            while true {
                let socket = accept(listener, nil, nil)
                guard socket >= 0 else { return }
                let client = ScriptedHTTPClient(socket)
                guard let self, self.keep(client) else { return client.finish() }
                Thread.detachNewThread {
                    serve(client)
                    client.finish()
                }
            }
        }
    }

    deinit { stop() }

    /// Returns the URL of a path.
    public func url(_ path: String = "/", host: String = "127.0.0.1") -> String { "http://\(host):\(port)\(path)" }

    /// All clients so far, in order.
    public var clients: [ScriptedHTTPClient] { state.withLock { $0.clients } }

    /// Stops listening, and closes all connections.
    public func stop() {
        let (listener, clients) = state.withLock { state in
            defer { state = State() }
            return (state.listener, state.clients)
        }
        if let listener {
            // Otherwise the accepting thread would go on waiting.
            shutdown(listener, Int32(SHUT_RDWR))
            close(listener)
        }
        for client in clients { client.close() }
    }

    /// Listens, on another port if it was taken meanwhile.
    private static func listen() throws -> (port: Int, listener: Int32) {
        func once() throws -> (Int, Int32) {
            let port = try Port.free()
            return (port, try Port.listen(on: port))
        }
        do { return try once() } catch TestServerError.failed {}
        return try once()
    }

    /// Keeps a client.
    ///
    /// - Returns: False if the server has ended.
    private func keep(_ client: ScriptedHTTPClient) -> Bool {
        state.withLock { state in
            if state.listener != nil { state.clients.append(client) }
            return state.listener != nil
        }
    }
}

/// A client of a ``ScriptedHTTPServer``.
public final class ScriptedHTTPClient: Sendable {
    private struct State {
        var socket: Int32
        var received: [UInt8] = []
        /// The number of bytes that were taken.
        var taken = 0
        /// When the other side closed the connection.
        var end: ContinuousClock.Instant?
    }

    private let state: Mutex<State>

    fileprivate init(_ socket: Int32) {
        _ = fcntl(socket, F_SETFD, FD_CLOEXEC)
        // No thread outlives the tests.
        var limit = timeval(tv_sec: 600, tv_usec: 0)
        for option in [SO_RCVTIMEO, SO_SNDTIMEO] {
            setsockopt(socket, SOL_SOCKET, option, &limit, socklen_t(MemoryLayout<timeval>.size))
        }
        state = Mutex(State(socket: socket))
    }

    deinit { close() }

    /// Everything received so far.
    public var received: String { state.withLock { String(decoding: $0.received, as: UTF8.self) } }

    /// When the other side closed the connection, if that was noticed.
    public var end: ContinuousClock.Instant? { state.withLock { $0.end } }

    /// Waits for a request, up to an empty line, and returns it; nil if the connection ends before.
    @discardableResult
    public func head() -> String? {
        take { bytes in bytes.firstRange(of: Array("\r\n\r\n".utf8)).map { $0.upperBound - bytes.startIndex } }
    }

    /// Waits for a number of bytes, and returns them; nil if the connection ends before.
    @discardableResult
    public func body(_ count: Int) -> String? {
        take { $0.count >= count ? count : nil }
    }

    /// Waits until the other side closes the connection.
    public func waitForEnd() { _ = take { _ in nil } }

    /// Sends a text.
    ///
    /// - Returns: False if the other side has closed the connection.
    @discardableResult
    public func send(_ text: String) -> Bool { send(Array(text.utf8)) }

    /// Sends bytes.
    ///
    /// - Returns: False if the other side has closed the connection.
    @discardableResult
    public func send(_ bytes: [UInt8]) -> Bool {
        let socket = state.withLock { $0.socket }
        var sent = 0
        while sent < bytes.count {
            let count = bytes[sent...].withUnsafeBytes {
                Foundation.send(socket, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
            }
            guard count > 0 else { return false }
            sent += count
        }
        return true
    }

    /// Responds with a status, header fields and a body.
    @discardableResult
    public func answer(_ status: String = "200 OK", _ fields: [String] = [], _ body: String = "") -> Bool {
        let lines = ["HTTP/1.1 \(status)", "Content-Length: \(body.utf8.count)"] + fields
        return send(lines.map { "\($0)\r\n" }.joined() + "\r\n" + body)
    }

    /// Resets the connection, so that the other side gets an error (RST); for the serving thread.
    public func reset() {
        var now = linger(l_onoff: 1, l_linger: 0)
        setsockopt(state.withLock { $0.socket }, SOL_SOCKET, SO_LINGER, &now, socklen_t(MemoryLayout<linger>.size))
        finish()
    }

    /// Closes the connection normally.
    public func close() {
        // Only the serving thread closes the socket, because its number can be reused at once.
        state.withLock { _ = shutdown($0.socket, Int32(SHUT_RDWR)) }
    }

    /// Closes the socket.
    fileprivate func finish() {
        state.withLock { state in
            if state.socket >= 0 { Foundation.close(state.socket) }
            state.socket = -1
        }
    }

    /// Takes as many bytes as a measure returns, as soon as it returns a number.
    private func take(_ measure: (ArraySlice<UInt8>) -> Int?) -> String? {
        var chunk = [UInt8](repeating: 0, count: 65_536)
        while true {
            let taken: String? = state.withLock { state in
                let rest = state.received[state.taken...]
                guard let count = measure(rest) else { return nil }
                state.taken += count
                return String(decoding: rest.prefix(count), as: UTF8.self)
            }
            if let taken { return taken }
            let count = recv(state.withLock { $0.socket }, &chunk, chunk.count, 0)
            guard count > 0 else {
                state.withLock { $0.end = .now }
                return nil
            }
            state.withLock { $0.received += chunk[..<count] }
        }
    }
}
