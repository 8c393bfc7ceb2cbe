/// The flow control of sent messages: how much may be sent before the server has acknowledged it.
///
/// A server that limits the rate of its clients reads slowly, and what was sent waits in network buffers, where urgent
/// messages can't pass it. So the session sends a little at a time, and then pings the server (XEP-0199): the response shows
/// that the server has read everything before it. Meanwhile messages wait in the queue, where they take turns.
struct PingFlowControl: Sendable {
    /// The number of bytes of message text that may be sent before the server responds.
    private static let size = 8_192
    /// Each message counts as at least this many bytes, so that their number is limited too.
    private static let minimum = 8

    private var sent = 0
    /// Whether a ping is unanswered.
    private(set) var isPingPending = false

    /// Whether nothing more may be sent for now.
    var isFull: Bool { sent >= Self.size }

    /// Counts a sent message by its number of bytes.
    mutating func recordSent(_ bytes: Int) {
        sent += max(bytes, Self.minimum)
    }

    /// Whether the server has to be pinged now; if so, the ping counts as sent.
    mutating func startPing() -> Bool {
        guard isFull, !isPingPending else { return false }
        isPingPending = true
        return true
    }

    /// Opens the window after the server has responded to the ping, or the ping has timed out.
    mutating func reopen() {
        (sent, isPingPending) = (0, false)
    }
}
