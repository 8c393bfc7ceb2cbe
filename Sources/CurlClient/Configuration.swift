extension CurlHTTPClient {
    /// How a client asks the web.
    public struct Configuration: Sendable {
        /// Who asks, as the header User-Agent says it if a request has none.
        public var userAgent: String
        /// The path of the certificates of the authorities to trust, in PEM; nil for the system's.
        public var authorities: String?
        /// Whether a request that is to reach public addresses only is kept from others; true unless told otherwise.
        public var guardsChat: Bool
        /// What to go through.
        public var proxies: Proxies
        /// How long a connection may take, the name's look-up and TLS included.
        public var connectDeadline: Duration
        /// How many connections there may be at once, those included that wait to be used again; more requests wait.
        ///
        /// One host gets a quarter of them, but 6 if there are so many, so that a host that doesn't answer leaves room for others.
        public var connections: Int

        /// How many requests to one host run at once.
        var requestsPerHost: Int { max(connections / 4, min(connections, 6), 1) }

        /// What counts as public; tests, which have no public servers, say otherwise.
        var isPublic: @Sendable (IPAddress) -> Bool = \.isPublic

        /// What stands there does for most.
        public init(
            userAgent: String = "Heybot", authorities: String? = nil, guardsChat: Bool = true,
            proxies: Proxies = Proxies(), connectDeadline: Duration = .seconds(10), connections: Int = 128
        ) {
            self.userAgent = userAgent
            self.authorities = authorities
            self.guardsChat = guardsChat
            self.proxies = proxies
            self.connectDeadline = connectDeadline
            self.connections = connections
        }
    }
}
