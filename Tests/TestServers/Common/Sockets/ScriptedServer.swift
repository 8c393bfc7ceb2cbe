import Foundation
import Synchronization

/// A scripted server on a loopback port.
public final class ScriptedServer<Connection: ScriptedConnection>: Sendable {
    private struct State {
        var listener: Int32 = -1
        /// How often it has begun to listen, because socket numbers are reused.
        var round = 0
        var waiting: [Connection] = []
        var count = 0
    }

    /// The host that it listens on.
    public let host = "127.0.0.1"
    /// The port, which stays the same when it stops and listens again.
    public let port: Int

    private let state = Mutex(State())
    private let prepare: @Sendable (Connection) -> Void

    /// Starts a server.
    ///
    /// - Parameters:
    ///   - port: The port; nil for a free one.
    ///   - prepare: Called with each connection, in the server's thread: what it sends doesn't depend on when the test
    ///     gets the processor.
    public init(on port: Int? = nil, prepare: @escaping @Sendable (Connection) -> Void = { _ in }) throws {
        self.port = try port ?? Port.free()
        self.prepare = prepare
        try listen()
    }

    deinit { stopListening() }

    /// The number of accepted connections.
    public var connections: Int { state.withLock { $0.count } }

    /// Listens again after ``stopListening()``.
    public func listen() throws {
        let listener = try Port.listen(on: port)
        let round = state.withLock { state in
            state.listener = listener
            state.round += 1
            return state.round
        }
        Thread.detachNewThread { [weak self] in
            while let self, self.acceptOne(listener, round) {}
        }
    }

    /// Stops listening; open connections stay.
    public func stopListening() {
        state.withLock { state in
            guard state.listener >= 0 else { return }
            // Otherwise the polling thread would keep it open for a moment.
            shutdown(state.listener, Int32(SHUT_RDWR))
            close(state.listener)
            state.listener = -1
        }
    }

    /// Waits for the next connection.
    public func accept(within limit: Duration = .testLimit) async throws -> Connection {
        let end = ContinuousClock.now + limit
        while true {
            let first = state.withLock { $0.waiting.isEmpty ? nil : $0.waiting.removeFirst() }
            if let first { return first }
            guard ContinuousClock.now < end else { throw TestServerError.timedOut("a connection", got: []) }
            try await Task.sleep(for: .milliseconds(3))
        }
    }

    /// Accepts one connection.
    ///
    /// - Returns: False if the server has stopped listening.
    private func acceptOne(_ listener: Int32, _ round: Int) -> Bool {
        var waiting = pollfd(fd: listener, events: Int16(POLLIN), revents: 0)
        poll(&waiting, 1, 10)
        return state.withLock { state in
            guard state.listener == listener, state.round == round else { return false }
            // Polled again, because accepting must not block here.
            guard poll(&waiting, 1, 0) > 0 else { return true }
            let socket = Foundation.accept(listener, nil, nil)
            if socket >= 0 {
                _ = fcntl(socket, F_SETFD, FD_CLOEXEC)
                let connection = Connection(socket)
                prepare(connection)
                state.waiting.append(connection)
                state.count += 1
            }
            return true
        }
    }
}
