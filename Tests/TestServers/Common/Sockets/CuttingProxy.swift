import Foundation
import Synchronization

/// A proxy on a loopback port, whose connections a test cuts.
///
/// It runs until ``stop()``.
public final class CuttingProxy: Sendable {
    /// The sockets of a connection, and the bytes that couldn't be written yet.
    private struct Link {
        let client: Int32
        let server: Int32
        var toServer: [UInt8] = []
        var toClient: [UInt8] = []
    }

    private struct State {
        var listener: Int32
        var links: [Link] = []
        /// The number of bytes until the next cut; nil if none is planned.
        var remaining: Int?
        var cuts = 0
        var isBlocked = false
    }

    /// The port of the proxy.
    public let port: Int
    private let target: Int
    private let state: Mutex<State>

    /// Starts a proxy of a port.
    public init(to target: Int) throws {
        self.target = target
        port = try Port.free()
        state = Mutex(State(listener: try Port.listen(on: port)))
        Thread.detachNewThread { [self] in
            while work() {}
        }
    }

    /// The number of cuts so far.
    public var cuts: Int { state.withLock { $0.cuts } }

    /// Resets all connections, once this many more bytes have passed in both directions together.
    public func cut(after bytes: Int) { state.withLock { $0.remaining = bytes } }

    /// Resets all connections, and closes each new one at once until ``unblock()``.
    public func block() {
        state.withLock { state in
            Self.reset(&state)
            state.isBlocked = true
        }
    }

    /// Passes new connections on again.
    public func unblock() { state.withLock { $0.isBlocked = false } }

    /// Resets all connections, and stops listening.
    public func stop() {
        state.withLock { state in
            Self.reset(&state)
            if state.listener >= 0 { close(state.listener) }
            state.listener = -1
        }
    }

    /// One turn of the thread; false when there will be no other.
    private func work() -> Bool {
        let sockets = state.withLock { state -> [Int32] in
            guard state.listener >= 0 else { return [] }
            // A side isn't read while the other one can't be written.
            let readable = state.links.flatMap {
                [$0.toServer.isEmpty ? $0.client : -1, $0.toClient.isEmpty ? $0.server : -1]
            }
            return [state.listener] + readable
        }
        guard !sockets.isEmpty else { return false }
        // A socket may be closed meanwhile, and its number reused; then this wakes up for nothing.
        var waiting = sockets.map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
        poll(&waiting, nfds_t(waiting.count), 5)
        return state.withLock { state in
            guard state.listener >= 0 else { return false }
            accept(&state)
            pass(&state)
            return true
        }
    }

    private func accept(_ state: inout State) {
        var waiting = pollfd(fd: state.listener, events: Int16(POLLIN), revents: 0)
        guard poll(&waiting, 1, 0) > 0 else { return }
        let client = Foundation.accept(state.listener, nil, nil)
        guard client >= 0 else { return }
        _ = fcntl(client, F_SETFD, FD_CLOEXEC)
        guard !state.isBlocked, let server = try? Port.connect(to: target) else {
            close(client)
            return
        }
        _ = fcntl(server, F_SETFD, FD_CLOEXEC)
        state.links.append(Link(client: client, server: server))
    }

    /// Passes on what has arrived.
    private func pass(_ state: inout State) {
        var index = 0
        while index < state.links.count {
            var link = state.links[index]
            let isOpen =
                Self.move(link.client, link.server, &link.toServer, &state.remaining)
                && Self.move(link.server, link.client, &link.toClient, &state.remaining)
            state.links[index] = link
            if let remaining = state.remaining, remaining <= 0 {
                state.cuts += 1
                state.remaining = nil
                return Self.reset(&state)
            }
            if isOpen {
                index += 1
            } else {
                close(link.client)
                close(link.server)
                state.links.remove(at: index)
            }
        }
    }

    /// Moves bytes from one socket to another; false if either side has closed its connection.
    private static func move(_ from: Int32, _ to: Int32, _ bytes: inout [UInt8], _ remaining: inout Int?) -> Bool {
        if bytes.isEmpty {
            var chunk = [UInt8](repeating: 0, count: 16_384)
            let count = recv(from, &chunk, chunk.count, Int32(MSG_DONTWAIT))
            if count < 0 { return errno == EAGAIN || errno == EINTR }
            guard count > 0 else { return false }
            bytes = Array(chunk[..<count])
        }
        let length = min(bytes.count, remaining ?? Int.max)
        guard length > 0 else { return true }
        let count = send(to, bytes, length, Int32(MSG_DONTWAIT) | Int32(MSG_NOSIGNAL))
        if count < 0 { return errno == EAGAIN || errno == EINTR }
        bytes.removeFirst(count)
        remaining = remaining.map { $0 - count }
        return true
    }

    private static func reset(_ state: inout State) {
        for socket in state.links.flatMap({ [$0.client, $0.server] }) {
            var now = linger(l_onoff: 1, l_linger: 0)
            setsockopt(socket, SOL_SOCKET, SO_LINGER, &now, socklen_t(MemoryLayout<linger>.size))
            close(socket)
        }
        state.links = []
    }
}
