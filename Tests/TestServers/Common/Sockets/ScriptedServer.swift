import Foundation
import Synchronization

/// A server that a test plays itself, on a loopback port.
public final class ScriptedServer<Connection: Conversation>: Sendable {
    private struct State {
        var listener: Int32 = -1
        /// How often it has begun to listen: numbers of sockets are used again.
        var round = 0
        var waiting: [Connection] = []
        var count = 0
    }

    /// Where it listens.
    public let host = "127.0.0.1"
    /// The port it listens on, the same however often it stops.
    public let port: Int

    private let state = Mutex(State())

    /// A server that listens.
    public init() throws {
        port = try Port.free()
        try listen()
    }

    deinit { stopListening() }

    /// How often somebody connected.
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

    /// Refuses connections; those that were accepted stay.
    public func stopListening() {
        state.withLock { state in
            guard state.listener >= 0 else { return }
            // The thread that polls it would keep it open for a moment.
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
            guard ContinuousClock.now < end else { throw ServersError.timedOut("a connection", got: []) }
            try await Task.sleep(for: .milliseconds(3))
        }
    }

    /// One turn of the thread; false when there will be no other.
    private func acceptOne(_ listener: Int32, _ round: Int) -> Bool {
        var waiting = pollfd(fd: listener, events: Int16(POLLIN), revents: 0)
        poll(&waiting, 1, 10)
        return state.withLock { state in
            guard state.listener == listener, state.round == round else { return false }
            // Asked again: it mustn't wait here.
            guard poll(&waiting, 1, 0) > 0 else { return true }
            let socket = Foundation.accept(listener, nil, nil)
            if socket >= 0 {
                _ = fcntl(socket, F_SETFD, FD_CLOEXEC)
                state.waiting.append(Connection(socket))
                state.count += 1
            }
            return true
        }
    }
}
