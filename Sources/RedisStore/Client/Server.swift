import HeybotSockets

/// A server by the name that errors call it by.
struct Server: CustomStringConvertible {
    let endpoint: Endpoint
    let isSentinel: Bool

    init(_ endpoint: Endpoint, isSentinel: Bool = false) {
        self.endpoint = endpoint
        self.isSentinel = isSentinel
    }

    /// What it is, without where.
    var kind: String { isSentinel ? "the Sentinel" : "Redis" }
    /// Where its password stands.
    var login: String { isSentinel ? "the Sentinels' password" : "user and password in the URL" }

    var description: String { "\(kind) at \(endpoint)" }
}
