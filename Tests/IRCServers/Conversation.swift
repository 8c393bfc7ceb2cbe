import Foundation

/// One side of a conversation in lines: what a test says, and what it waits for.
///
/// It goes through what comes from beginning to end: whatever is before what it waited for is passed over.
public class Conversation: @unchecked Sendable {
    let socket: LineSocket

    init(_ socket: Int32) { self.socket = LineSocket(socket) }

    deinit { socket.close(byReset: false) }

    /// All lines that came, from the first, without what ends them.
    public var lines: [String] { socket.withState { $0.lines } }

    /// Whether the other side, or the test, ended it.
    public var hasEnded: Bool { socket.withState { $0.hasEnded } }

    /// Sends lines, with what ends them.
    public func send(_ lines: String...) {
        send(lines)
    }

    /// Sends lines, with what ends them.
    public func send(_ lines: [String]) {
        socket.send(lines.flatMap { Array("\($0)\r\n".utf8) })
    }

    /// Sends bytes as they are.
    public func sendRaw(_ bytes: some Sequence<UInt8>) {
        socket.send(bytes)
    }

    /// Answers lines as they come, for as long as it lasts, before anybody waits for them.
    ///
    /// - Parameter rule: the lines to answer with; none where it has nothing to say.
    public func answer(_ rule: @escaping @Sendable (String) -> [String]) {
        socket.answer(rule)
    }

    /// Waits for the next line that has all these texts in it, and returns it.
    @discardableResult
    public func expect(_ texts: String..., within limit: Duration = .seconds(10)) async throws -> String {
        try await next(texts.joined(separator: " and "), limit) { line in texts.allSatisfy { line.contains($0) } }
    }

    /// Waits for the next line that has a match in it, and returns it.
    @discardableResult
    public func expect(_ pattern: Regex<some Any>, within limit: Duration = .seconds(10)) async throws -> String {
        try await next("a match", limit) { $0.firstMatch(of: pattern) != nil }
    }

    /// Waits for the next line that fulfils a condition, and returns it.
    @discardableResult
    public func expect(within limit: Duration = .seconds(10), where isIt: (String) -> Bool) async throws -> String {
        try await next("such a line", limit, isIt)
    }

    /// Waits for the next line, whatever it is, and returns it.
    public func next(within limit: Duration = .seconds(10)) async throws -> String {
        try await next("a line", limit) { _ in true }
    }

    /// Waits for a while, and throws where a line comes that has this text in it; passes over nothing.
    public func expectNone(_ text: String, for time: Duration) async throws {
        let end = ContinuousClock.now + time
        while true {
            let found = socket.withState { state in state.lines[state.taken...].first { $0.contains(text) } }
            if let found { throw ServersError.failed("this wasn't to come: \(found)") }
            guard ContinuousClock.now < end else { return }
            try await Task.sleep(for: .milliseconds(5))
        }
    }

    /// Waits until the other side ends it.
    public func expectEnd(within limit: Duration = .seconds(10)) async throws {
        let end = ContinuousClock.now + limit
        while !hasEnded {
            guard ContinuousClock.now < end else { throw ServersError.timedOut("the end", got: lines) }
            try await Task.sleep(for: .milliseconds(5))
        }
    }

    /// Ends it as programs usually do.
    public func close() { socket.close(byReset: false) }

    /// Ends it as a crash of the machine's does: the other side gets an error (RST).
    public func reset() { socket.close(byReset: true) }

    /// Leaves what comes in the system's buffer, until that is full and the other side can't write any more.
    public func stopReading() { socket.withState { $0.isReading = false } }

    /// Reads again.
    public func goOnReading() { socket.withState { $0.isReading = true } }

    private func next(_ wanted: String, _ limit: Duration, _ isIt: (String) -> Bool) async throws -> String {
        let end = ContinuousClock.now + limit
        let start = socket.withState { $0.taken }
        while true {
            // In this order: what comes with the end still counts.
            let hasEnded = hasEnded
            while let line = take() { if isIt(line) { return line } }
            let got = Array(lines[min(start, lines.count)...])
            if hasEnded { throw ServersError.ended(wanted, got: got) }
            if ContinuousClock.now > end { throw ServersError.timedOut(wanted, got: got) }
            try await Task.sleep(for: .milliseconds(3))
        }
    }

    private func take() -> String? {
        socket.withState { state in
            guard state.taken < state.lines.count else { return nil }
            state.taken += 1
            return state.lines[state.taken - 1]
        }
    }
}
