import Foundation
import Synchronization

/// A socket that is read by its own thread, and split into frames.
final class FramedSocket: Sendable {
    struct State {
        var frames: [String] = []
        /// The number of frames that were taken.
        var taken = 0
        var isReading = true
        var hasEnded = false
        fileprivate var socket: Int32
        fileprivate var framing: any Framing
        fileprivate var outbox: [UInt8] = []
        fileprivate var rules: [@Sendable (String) -> [String]] = []
    }

    private let state: Mutex<State>

    init(_ socket: Int32, _ framing: any Framing) {
        state = Mutex(State(socket: socket, framing: framing))
        Thread.detachNewThread { [self] in
            while work() {}
        }
    }

    func withState<Result: Sendable>(_ body: (inout State) -> Result) -> Result {
        state.withLock { body(&$0) }
    }

    /// The number of bytes that have arrived and aren't read yet.
    var unread: Int {
        state.withLock { state in
            var count: Int32 = 0
            return ioctl(state.socket, UInt(FIONREAD), &count) == 0 ? Int(count) : 0
        }
    }

    /// Adds a rule that answers a frame before a test sees it.
    func answer(_ rule: @escaping @Sendable (String) -> [String]) {
        state.withLock { $0.rules.append(rule) }
    }

    /// Sends frames with their delimiters.
    func send(_ frames: [String]) {
        let ending = withState { $0.framing.ending }
        send(frames.flatMap { Array("\($0)\(ending)".utf8) })
    }

    /// Sends what fits now, and the rest when it fits; nothing if the connection has ended.
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
        // The socket may be closed meanwhile, and its number reused; then this wakes up for nothing.
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
        for frame in state.framing.split(chunk[..<count]) {
            let answers = state.rules.flatMap { $0(frame) }
            state.outbox += answers.flatMap { Array("\($0)\(state.framing.ending)".utf8) }
            flush(&state)
            state.frames.append(frame)
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
