/// The server's limit on the size of stanzas (XEP-0478: Stream Limits Advertisement).
struct StanzaSizeLimit: Sendable {
    /// The minimum stanza size that every server has to accept (RFC 6120 section 13.12).
    static let minimum = 10_000

    private let standard: Int
    private var advertised: Int?

    /// - Parameter longestStanza: The maximum stanza size in bytes if the server doesn't announce one.
    init(longestStanza: Int) {
        standard = max(longestStanza, Self.minimum)
    }

    /// The maximum size of an outgoing stanza, in bytes.
    var longestStanza: Int { advertised ?? standard }

    /// Reads the limits that stream features announce; each set of features replaces the previous one.
    mutating func read(_ features: Element) {
        let limits = features.first("limits", Namespace.streamLimits)
        let bytes = limits?.first("max-bytes", Namespace.streamLimits)?.text
        advertised = bytes.flatMap(Int.init).map { max($0, Self.minimum) }
    }
}
