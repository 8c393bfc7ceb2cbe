import Foundation
import Synchronization

/// An IRC server that a test plays itself, on a loopback port.
public final class ScriptedServer: Sendable {
    private struct State {
        var listener: Int32 = -1
        /// How often it has begun to listen: numbers of sockets are used again.
        var round = 0
        var waiting: [Accepted] = []
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
    public func accept(within limit: Duration = .seconds(10)) async throws -> Accepted {
        let end = ContinuousClock.now + limit
        while true {
            let first = state.withLock { $0.waiting.isEmpty ? nil : $0.waiting.removeFirst() }
            if let first { return first }
            guard ContinuousClock.now < end else { throw ServersError.timedOut("a connection", got: []) }
            try await Task.sleep(for: .milliseconds(3))
        }
    }

    /// Waits for a while, and throws where somebody connects; they stay waiting.
    public func expectNobody(for time: Duration) async throws {
        let end = ContinuousClock.now + time
        while ContinuousClock.now < end {
            if state.withLock({ !$0.waiting.isEmpty }) { throw ServersError.failed("somebody connected") }
            try await Task.sleep(for: .milliseconds(5))
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
                state.waiting.append(Accepted(socket))
            }
            return true
        }
    }
}

/// A connection that a ``ScriptedServer`` accepted.
public final class Accepted: Conversation, @unchecked Sendable {
    /// Answers every JOIN as servers do: with the JOIN itself, and with who is there.
    ///
    /// - Parameters:
    ///   - prefix: who the client is, as others see it.
    ///   - others: who is in each channel beside the client, with what they are before their names.
    public func answerJoins(of prefix: String = "heybot!heybot@host.test", others: [String] = ["@alice", "bob"]) {
        let nick = prefix.prefix { $0 != "!" }
        answer { line in
            let words = line.split(separator: " ")
            guard words.count > 1, words[0].uppercased() == "JOIN" else { return [] }
            return words[1].split(separator: ",").flatMap { channel in
                [
                    ":\(prefix) JOIN \(channel)",
                    ":irc.test 353 \(nick) = \(channel) :\(([String(nick)] + others).joined(separator: " "))",
                    ":irc.test 366 \(nick) \(channel) :End of /NAMES list."
                ]
            }
        }
    }

    /// Answers every PING.
    public func answerPings() {
        answer { line in
            guard line.uppercased().hasPrefix("PING ") else { return [] }
            return [":irc.test PONG irc.test \(line.dropFirst(5))"]
        }
    }
}
