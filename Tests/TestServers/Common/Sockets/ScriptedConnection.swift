import Foundation

/// One side of a scripted connection that exchanges frames, such as lines: sends what the test says, and waits for what it
/// expects.
///
/// Frames are consumed in order: those before the expected one are skipped.
///
/// It can be shared: it has no mutable state, and the socket has a lock.
open class ScriptedConnection: @unchecked Sendable {
    private let socket: FramedSocket
    /// The `openssl` process, for TLS.
    private let tool: ChildProcess?

    /// How received data is split into frames; lines by default.
    open class var framing: any Framing { LineFraming() }

    /// Takes over a connected socket, and the process that it is connected through.
    public required init(_ socket: Int32, through tool: ChildProcess? = nil) {
        self.socket = FramedSocket(socket, Self.framing)
        self.tool = tool
    }

    /// Connects.
    public convenience init(connectingTo port: Int) throws {
        self.init(try Port.connect(to: port))
    }

    /// Connects with TLS, by the `openssl` command, which verifies the server's certificate.
    ///
    /// - Parameters:
    ///   - caFile: The path of the certificate to trust, a PEM file.
    ///   - name: The host name that the certificate must be for.
    ///   - certificate: The client certificate.
    public convenience init(
        connectingTo tlsPort: Int, trusting caFile: String, name: String,
        certificate: CertificateAuthority.Certificate? = nil
    ) throws {
        var ends: [Int32] = [-1, -1]
        guard socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0, &ends) == 0 else {
            throw TestServerError.failed("there are no more sockets")
        }
        defer { Foundation.close(ends[1]) }
        let mine = certificate.map { ["-cert", $0.file, "-key", $0.keyFile] } ?? []
        let words =
            [
                "openssl", "s_client", "-quiet", "-verify_quiet", "-verify_return_error", "-CAfile", caFile,
                "-verify_hostname", name, "-servername", name, "-connect", "127.0.0.1:\(tlsPort)"
            ] + mine
        do {
            let tool = try ChildProcess(words, input: ends[1], output: ends[1], isServer: false)
            self.init(ends[0], through: tool)
        } catch {
            Foundation.close(ends[0])
            throw error
        }
    }

    deinit { socket.close(byReset: false) }

    /// All frames received so far, without their delimiters.
    public var received: [String] { socket.withState { $0.frames } }

    /// Whether either side has closed the connection.
    public var hasEnded: Bool { socket.withState { $0.hasEnded } }

    /// Sends frames with their delimiters.
    public func send(_ frames: String...) {
        socket.send(frames)
    }

    /// Sends frames with their delimiters.
    public func send(_ frames: [String]) {
        socket.send(frames)
    }

    /// Sends bytes as they are.
    public func sendRaw(_ bytes: some Sequence<UInt8>) {
        socket.send(bytes)
    }

    /// Answers frames as they arrive, before any test sees them.
    ///
    /// - Parameter rule: Returns the frames to answer with.
    public func answer(_ rule: @escaping @Sendable (String) -> [String]) {
        socket.answer(rule)
    }

    /// Closes the connection normally.
    public func close() { socket.close(byReset: false) }

    /// Resets the connection, so that the other side gets an error (RST).
    public func reset() { socket.close(byReset: true) }

    /// Stops reading, so that the system's buffer fills up and the other side can't write.
    public func stopReading() { socket.withState { $0.isReading = false } }

    /// The number of bytes in the system's buffer.
    public var unread: Int { socket.unread }

    /// Resumes reading.
    public func resumeReading() { socket.withState { $0.isReading = true } }

    /// The number of frames that were skipped or returned.
    fileprivate var taken: Int { socket.withState { $0.taken } }

    fileprivate func take() -> String? {
        socket.withState { state in
            guard state.taken < state.frames.count else { return nil }
            state.taken += 1
            return state.frames[state.taken - 1]
        }
    }

    fileprivate func frame(_ index: Int) -> String? {
        socket.withState { $0.frames.indices.contains(index) ? $0.frames[index] : nil }
    }
}

extension ScriptedConnection {
    /// Waits for the next frame that contains all these texts, and returns it.
    @discardableResult
    public func expect(_ texts: String..., within limit: Duration = .testLimit) async throws -> String {
        try await next(texts.joined(separator: " and "), limit) { frame in texts.allSatisfy { frame.contains($0) } }
    }

    /// Waits for the next frame that contains a match, and returns it.
    @discardableResult
    public func expect(_ pattern: Regex<some Any>, within limit: Duration = .testLimit) async throws -> String {
        try await next("a match", limit) { $0.firstMatch(of: pattern) != nil }
    }

    /// Waits for the next frame that meets a condition, and returns it.
    @discardableResult
    public func expect(within limit: Duration = .testLimit, where isIt: (String) -> Bool) async throws -> String {
        try await next("what fulfils a condition", limit, isIt)
    }

    /// Waits for the next frame, and returns it.
    public func next(within limit: Duration = .testLimit) async throws -> String {
        try await next("anything", limit) { _ in true }
    }

    /// Waits for a frame that meets a condition, among all since a given count, without consuming any.
    ///
    /// - Parameters:
    ///   - wanted: A description for the error.
    ///   - start: The index of the first frame to check, such as `received.count` before a request.
    public func find(
        _ wanted: String, since start: Int, within limit: Duration = .testLimit, where isIt: (String) -> Bool
    ) async throws -> String {
        var index = start
        return try await wait(for: wanted, limit, since: start, isIt) {
            guard let frame = frame(index) else { return nil }
            index += 1
            return frame
        }
    }

    /// Waits until the other side closes the connection.
    public func expectEnd(within limit: Duration = .testLimit) async throws {
        let end = ContinuousClock.now + limit
        while !hasEnded {
            guard ContinuousClock.now < end else { throw TestServerError.timedOut("the end", got: received) }
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
            // In this order, so that data that arrives with the end counts.
            let hasEnded = hasEnded
            while let frame = take() { if isIt(frame) { return frame } }
            let got = Array(received.dropFirst(start))
            if hasEnded { throw TestServerError.ended(wanted, got: got) }
            if ContinuousClock.now > end { throw TestServerError.timedOut(wanted, got: got) }
            try await Task.sleep(for: .milliseconds(3))
        }
    }
}
