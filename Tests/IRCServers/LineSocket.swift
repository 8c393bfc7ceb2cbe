import Foundation
import Synchronization

/// Lines over a socket, read by a thread of its own as they come.
final class LineSocket: Sendable {
    struct State {
        var lines: [String] = []
        /// How many of the lines were taken.
        var taken = 0
        var isReading = true
        var hasEnded = false
        fileprivate var socket: Int32
        fileprivate var partial: [UInt8] = []
        fileprivate var outbox: [UInt8] = []
        fileprivate var rules: [@Sendable (String) -> [String]] = []
    }

    private let state: Mutex<State>

    init(_ socket: Int32) {
        state = Mutex(State(socket: socket))
        Thread.detachNewThread { [self] in
            while work() {}
        }
    }

    func withState<Result: Sendable>(_ body: (inout State) -> Result) -> Result {
        state.withLock { body(&$0) }
    }

    /// Adds a rule for what is answered to a line before anybody sees it.
    func answer(_ rule: @escaping @Sendable (String) -> [String]) {
        state.withLock { $0.rules.append(rule) }
    }

    /// Sends what fits now, and the rest when it does; nothing where the connection is over.
    func send(_ bytes: some Sequence<UInt8>) {
        state.withLock { state in
            guard state.socket >= 0 else { return }
            state.outbox += bytes
            Self.flush(&state)
        }
    }

    func close(byReset: Bool) {
        state.withLock { state in
            guard state.socket >= 0 else { return }
            if byReset {
                var now = linger(l_onoff: 1, l_linger: 0)
                setsockopt(state.socket, SOL_SOCKET, SO_LINGER, &now, socklen_t(MemoryLayout<linger>.size))
            } else {
                // What was received and not read would make it a reset.
                var chunk = [UInt8](repeating: 0, count: 65_536)
                while recv(state.socket, &chunk, chunk.count, Int32(MSG_DONTWAIT)) > 0 {}
                shutdown(state.socket, Int32(SHUT_RDWR))
            }
            Self.end(&state)
        }
    }

    /// One turn of the thread; false when there will be no other.
    private func work() -> Bool {
        let (socket, events) = state.withLock { state in
            (state.socket, (state.isReading ? POLLIN : 0) | (state.outbox.isEmpty ? 0 : POLLOUT))
        }
        guard socket >= 0 else { return false }
        // The socket may be closed meanwhile, even be another's: then it wakes for nothing.
        var waiting = pollfd(fd: events == 0 ? -1 : socket, events: Int16(events), revents: 0)
        poll(&waiting, 1, 10)
        return state.withLock { state in
            guard state.socket >= 0 else { return false }
            Self.flush(&state)
            if state.isReading { Self.read(&state) }
            return state.socket >= 0
        }
    }

    private static func read(_ state: inout State) {
        var chunk = [UInt8](repeating: 0, count: 65_536)
        let count = recv(state.socket, &chunk, chunk.count, Int32(MSG_DONTWAIT))
        if count < 0, errno == EAGAIN || errno == EINTR { return }
        guard count > 0 else { return end(&state) }
        state.partial += chunk[..<count]
        while let end = state.partial.firstIndex(of: 0x0a) {
            var line = state.partial[..<end]
            if line.last == 0x0d { line.removeLast() }
            let text = String(decoding: line, as: UTF8.self)
            state.partial.removeFirst(end + 1)
            let answers = state.rules.flatMap { $0(text) }
            state.outbox += answers.flatMap { Array("\($0)\r\n".utf8) }
            flush(&state)
            state.lines.append(text)
        }
    }

    private static func flush(_ state: inout State) {
        while state.socket >= 0, !state.outbox.isEmpty {
            let flags = Int32(MSG_DONTWAIT) | Int32(MSG_NOSIGNAL)
            let count = Foundation.send(state.socket, state.outbox, state.outbox.count, flags)
            guard count > 0 else { return }
            state.outbox.removeFirst(count)
        }
    }

    private static func end(_ state: inout State) {
        Foundation.close(state.socket)
        state.socket = -1
        state.hasEnded = true
    }
}
