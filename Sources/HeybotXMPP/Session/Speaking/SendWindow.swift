/// How much of what we say a server takes: in one stanza, and before it has shown that it has read what came before.
///
/// A server that limits the rate of its clients reads slowly, and what we have sent waits in buffers of the network, where
/// nothing can pass it. So only a little is sent at once; then we ping the server (XEP-0199), whose answer comes when it
/// has read all of that, and the turns are taken here.
struct SendWindow: Sendable {
    /// How many bytes of chats are sent before the server has answered.
    private static let size = 8_192
    /// What XMPP lets no server refuse (RFC 6120 section 13.12).
    static let least = 10_000

    private let standard: Int
    private var advertised: Int?
    private var sent = 0
    /// How many chats were sent since the server answered last: whether it has read them isn't known.
    private(set) var unconfirmed = 0
    /// Whether the server is asked whether it has read what was sent.
    private(set) var isAsked = false

    /// - Parameter longestStanza: The most bytes of a stanza if the server doesn't say.
    init(longestStanza: Int) {
        standard = max(longestStanza, Self.least)
    }

    /// The most bytes that a stanza of ours may have.
    var longestStanza: Int { advertised ?? standard }

    /// Reads what the features of a stream say of that (XEP-0478); each set of features replaces the one before.
    mutating func readLimits(_ features: Element) {
        let limits = features.first("limits", Namespace.streamLimits)
        let bytes = limits?.first("max-bytes", Namespace.streamLimits)?.text
        advertised = bytes.flatMap(Int.init).map { max($0, Self.least) }
    }

    /// Whether nothing more may be sent for now.
    var isFull: Bool { sent >= Self.size }

    /// A chat of so many bytes is sent.
    mutating func count(_ bytes: Int) {
        sent += bytes
        unconfirmed += 1
    }

    /// Whether the server is to be asked now; then it is.
    mutating func mustAsk() -> Bool {
        guard isFull, !isAsked else { return false }
        isAsked = true
        return true
    }

    /// The server has answered what it was asked after all that was sent.
    mutating func confirm() {
        reopen()
        unconfirmed = 0
    }

    /// The server hasn't answered in time.
    mutating func reopen() {
        (sent, isAsked) = (0, false)
    }
}
