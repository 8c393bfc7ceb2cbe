import Foundation

/// One side of a conversation in pieces, such as lines: what a test says, and what it waits for.
///
/// It goes through what comes from beginning to end: whatever is before what it waited for is passed over.
///
/// It may be shared: it has nothing of its own that changes, and the socket has a lock.
open class Conversation: @unchecked Sendable {
    private let socket: PieceSocket
    /// What stands between, for TLS.
    private let tool: Child?

    /// How what comes is cut into pieces; lines if a subclass doesn't say otherwise.
    open class var framing: any Framing { Lines() }

    /// Takes over a socket that is connected, and what it's connected through.
    public required init(_ socket: Int32, through tool: Child? = nil) {
        self.socket = PieceSocket(socket, Self.framing)
        self.tool = tool
    }

    /// Connects.
    public convenience init(connectingTo port: Int) throws {
        self.init(try Port.connect(to: port))
    }

    /// Connects with TLS, by the `openssl` command, which checks the server's certificate.
    ///
    /// - Parameters:
    ///   - caFile: the path of the certificate to trust, in PEM.
    ///   - name: the host name that the certificate has to be for.
    ///   - certificate: what the client shows of itself.
    public convenience init(
        connectingTo tlsPort: Int, trusting caFile: String, name: String,
        certificate: CertificateAuthority.Certificate? = nil
    ) throws {
        var ends: [Int32] = [-1, -1]
        guard socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0, &ends) == 0 else {
            throw ServersError.failed("there are no more sockets")
        }
        defer { Foundation.close(ends[1]) }
        let mine = certificate.map { ["-cert", $0.file, "-key", $0.keyFile] } ?? []
        let words =
            [
                "openssl", "s_client", "-quiet", "-verify_quiet", "-verify_return_error", "-CAfile", caFile,
                "-verify_hostname", name, "-servername", name, "-connect", "127.0.0.1:\(tlsPort)"
            ] + mine
        do {
            let tool = try Child(words, input: ends[1], output: ends[1], isServer: false)
            self.init(ends[0], through: tool)
        } catch {
            Foundation.close(ends[0])
            throw error
        }
    }

    deinit { socket.close(byReset: false) }

    /// All pieces that came, from the first, without what ends them.
    public var received: [String] { socket.withState { $0.pieces } }

    /// Whether the other side, or the test, ended it.
    public var hasEnded: Bool { socket.withState { $0.hasEnded } }

    /// Sends pieces, with what ends them.
    public func send(_ pieces: String...) {
        socket.send(pieces)
    }

    /// Sends pieces, with what ends them.
    public func send(_ pieces: [String]) {
        socket.send(pieces)
    }

    /// Sends bytes as they are.
    public func sendRaw(_ bytes: some Sequence<UInt8>) {
        socket.send(bytes)
    }

    /// Answers pieces as they come, for as long as it lasts, before anybody waits for them.
    ///
    /// - Parameter rule: the pieces to answer with; none if it has nothing to say.
    public func answer(_ rule: @escaping @Sendable (String) -> [String]) {
        socket.answer(rule)
    }

    /// Ends it as programs usually do.
    public func close() { socket.close(byReset: false) }

    /// Ends it as a crash of the machine's does: the other side gets an error (RST).
    public func reset() { socket.close(byReset: true) }

    /// Leaves what comes in the system's buffer, until that is full and the other side can't write any more.
    public func stopReading() { socket.withState { $0.isReading = false } }

    /// How many bytes are in the system's buffer.
    public var unread: Int { socket.unread }

    /// Reads again.
    public func goOnReading() { socket.withState { $0.isReading = true } }

    /// How many pieces were passed over and waited for.
    fileprivate var taken: Int { socket.withState { $0.taken } }

    fileprivate func take() -> String? {
        socket.withState { state in
            guard state.taken < state.pieces.count else { return nil }
            state.taken += 1
            return state.pieces[state.taken - 1]
        }
    }

    fileprivate func piece(_ index: Int) -> String? {
        socket.withState { $0.pieces.indices.contains(index) ? $0.pieces[index] : nil }
    }
}

extension Conversation {
    /// Waits for the next piece that has all these texts in it, and returns it.
    @discardableResult
    public func expect(_ texts: String..., within limit: Duration = .testLimit) async throws -> String {
        try await next(texts.joined(separator: " and "), limit) { piece in texts.allSatisfy { piece.contains($0) } }
    }

    /// Waits for the next piece that has a match in it, and returns it.
    @discardableResult
    public func expect(_ pattern: Regex<some Any>, within limit: Duration = .testLimit) async throws -> String {
        try await next("a match", limit) { $0.firstMatch(of: pattern) != nil }
    }

    /// Waits for the next piece that fulfils a condition, and returns it.
    @discardableResult
    public func expect(within limit: Duration = .testLimit, where isIt: (String) -> Bool) async throws -> String {
        try await next("what fulfils a condition", limit, isIt)
    }

    /// Waits for the next piece, whatever it is, and returns it.
    public func next(within limit: Duration = .testLimit) async throws -> String {
        try await next("anything", limit) { _ in true }
    }

    /// Waits for a piece that fulfils a condition, among all that came since a count of them; passes over nothing.
    ///
    /// - Parameters:
    ///   - wanted: what it is, for the error.
    ///   - start: how many came before the first it may be, such as `received.count` was before something was asked.
    public func find(
        _ wanted: String, since start: Int, within limit: Duration = .testLimit, where isIt: (String) -> Bool
    ) async throws -> String {
        var index = start
        return try await wait(for: wanted, limit, since: start, isIt) {
            guard let piece = piece(index) else { return nil }
            index += 1
            return piece
        }
    }

    /// Waits until the other side ends it.
    public func expectEnd(within limit: Duration = .testLimit) async throws {
        let end = ContinuousClock.now + limit
        while !hasEnded {
            guard ContinuousClock.now < end else { throw ServersError.timedOut("the end", got: received) }
            try await Task.sleep(for: .milliseconds(5))
        }
    }

    private func next(_ wanted: String, _ limit: Duration, _ isIt: (String) -> Bool) async throws -> String {
        try await wait(for: wanted, limit, since: taken, isIt) { take() }
    }

    private func wait(
        for wanted: String, _ limit: Duration, since start: Int, _ isIt: (String) -> Bool, _ take: () -> String?
    ) async throws -> String {
        let end = ContinuousClock.now + limit
        while true {
            // In this order: what comes with the end still counts.
            let hasEnded = hasEnded
            while let piece = take() { if isIt(piece) { return piece } }
            let got = Array(received.dropFirst(start))
            if hasEnded { throw ServersError.ended(wanted, got: got) }
            if ContinuousClock.now > end { throw ServersError.timedOut(wanted, got: got) }
            try await Task.sleep(for: .milliseconds(3))
        }
    }
}
