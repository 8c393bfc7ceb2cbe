/// Detects a dead connection: sends a ping after a time without data, and times out if nothing comes back.
package struct KeepAlive: Sendable {
    /// What to do.
    package enum Action: Hashable, Sendable {
        /// Nothing.
        case none
        /// Send a ping.
        case ping
        /// The ping wasn't answered in time.
        case timedOut
    }

    private let pingInterval: Duration
    private let timeout: Duration
    private var lastReceived: Duration
    private var pingSent: Duration?
    private var paused: Duration?

    /// - Parameters:
    ///   - pingInterval: The time without data after which a ping is sent.
    ///   - timeout: The time to wait for data after a ping.
    package init(pingInterval: Duration, timeout: Duration, at now: Duration) {
        self.pingInterval = pingInterval
        self.timeout = timeout
        lastReceived = now
    }

    /// When to call ``tick(at:)`` next; nil while paused.
    package var due: Duration? {
        paused == nil ? pingSent.map { $0 + timeout } ?? lastReceived + pingInterval : nil
    }

    /// Records that data was received.
    package mutating func receive(at now: Duration) {
        lastReceived = now
        pingSent = nil
    }

    /// Pauses while the connection isn't read, so that the time doesn't count.
    package mutating func pause(at now: Duration) { paused = paused ?? now }

    /// Resumes after a pause.
    package mutating func resume(at now: Duration) {
        guard let paused else { return }
        lastReceived += now - paused
        pingSent = pingSent.map { $0 + (now - paused) }
        self.paused = nil
    }

    /// What to do now.
    package mutating func tick(at now: Duration) -> Action {
        guard let due, due <= now else { return .none }
        guard pingSent == nil else { return .timedOut }
        pingSent = now
        return .ping
    }
}
