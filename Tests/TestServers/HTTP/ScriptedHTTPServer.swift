import Foundation
import Synchronization

/// A server that a test plays itself, on a loopback port: what it does with a connection runs on a thread of that one's
/// own.
///
/// It ends when it's stopped or nobody holds it.
public final class ScriptedHTTPServer: Sendable {
    private struct State {
        var listener: Int32?
        var clients: [ScriptedHTTPClient] = []
    }

    /// The port it listens on.
    public let port: Int
    private let state = Mutex(State())

    /// A server that listens.
    ///
    /// - Parameter serve: What it does with a connection, which is closed when that returns.
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

    /// The URL of a path.
    public func url(_ path: String = "/", host: String = "127.0.0.1") -> String { "http://\(host):\(port)\(path)" }

    /// All who connected, from the first.
    public var clients: [ScriptedHTTPClient] { state.withLock { $0.clients } }

    /// Refuses connections, and ends those there are.
    public func stop() {
        let (listener, clients) = state.withLock { state in
            defer { state = State() }
            return (state.listener, state.clients)
        }
        if let listener {
            // Else the thread that accepts would go on waiting.
            shutdown(listener, Int32(SHUT_RDWR))
            close(listener)
        }
        for client in clients { client.close() }
    }

    /// Listens, on another port if somebody else took it in between.
    private static func listen() throws -> (port: Int, listener: Int32) {
        func once() throws -> (Int, Int32) {
            let port = try Port.free()
            return (port, try Port.listen(on: port))
        }
        do { return try once() } catch ServersError.failed {}
        return try once()
    }

    /// False if the server has ended.
    private func keep(_ client: ScriptedHTTPClient) -> Bool {
        state.withLock { state in
            if state.listener != nil { state.clients.append(client) }
            return state.listener != nil
        }
    }
}

/// Who connected to a ``ScriptedHTTPServer``.
public final class ScriptedHTTPClient: Sendable {
    private struct State {
        var socket: Int32
        var received: [UInt8] = []
        /// How many of those bytes were taken.
        var taken = 0
        /// When the other side ended it.
        var end: ContinuousClock.Instant?
    }

    private let state: Mutex<State>

    fileprivate init(_ socket: Int32) {
        _ = fcntl(socket, F_SETFD, FD_CLOEXEC)
        // No thread stays for longer than a test may take.
        var limit = timeval(tv_sec: 30, tv_usec: 0)
        for option in [SO_RCVTIMEO, SO_SNDTIMEO] {
            setsockopt(socket, SOL_SOCKET, option, &limit, socklen_t(MemoryLayout<timeval>.size))
        }
        state = Mutex(State(socket: socket))
    }

    deinit { close() }

    /// All that came.
    public var received: String { state.withLock { String(decoding: $0.received, as: UTF8.self) } }

    /// When the other side ended the connection, if it was seen to.
    public var end: ContinuousClock.Instant? { state.withLock { $0.end } }

    /// Waits for a request, or what comes before an empty line, and returns it; nil if the other side ends it before.
    @discardableResult
    public func head() -> String? {
        take { bytes in bytes.firstRange(of: Array("\r\n\r\n".utf8)).map { $0.upperBound - bytes.startIndex } }
    }

    /// Waits for so many bytes, and returns them; nil if the other side ends it before.
    @discardableResult
    public func body(_ count: Int) -> String? {
        take { $0.count >= count ? count : nil }
    }

    /// Waits until the other side ends it.
    public func waitForEnd() { _ = take { _ in nil } }

    /// Sends a text; false if the other side has ended it.
    @discardableResult
    public func send(_ text: String) -> Bool { send(Array(text.utf8)) }

    /// Sends bytes; false if the other side has ended it.
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

    /// Answers with a status, fields and a body.
    @discardableResult
    public func answer(_ status: String = "200 OK", _ fields: [String] = [], _ body: String = "") -> Bool {
        let lines = ["HTTP/1.1 \(status)", "Content-Length: \(body.utf8.count)"] + fields
        return send(lines.map { "\($0)\r\n" }.joined() + "\r\n" + body)
    }

    /// Ends it as a crash of the machine's does: the other side gets an error (RST); for the thread that serves it.
    public func reset() {
        var now = linger(l_onoff: 1, l_linger: 0)
        setsockopt(state.withLock { $0.socket }, SOL_SOCKET, SO_LINGER, &now, socklen_t(MemoryLayout<linger>.size))
        finish()
    }

    /// Ends it as programs usually do.
    public func close() {
        // Its number may be another's as soon as it's closed, so that is left to the thread that serves it.
        state.withLock { _ = shutdown($0.socket, Int32(SHUT_RDWR)) }
    }

    /// Gives the socket back.
    fileprivate func finish() {
        state.withLock { state in
            if state.socket >= 0 { Foundation.close(state.socket) }
            state.socket = -1
        }
    }

    /// Takes as many bytes as a measure says, as soon as it says so.
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
