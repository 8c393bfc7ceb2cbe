extension CurlHTTPClient {
    /// The configuration of an HTTP client.
    public struct Configuration: Sendable {
        /// The value of the header User-Agent, for requests that don't set it.
        public var userAgent: String
        /// The path of a PEM file with the trusted certificate authorities; nil for the system's.
        public var authorities: String?
        /// Whether requests with ``HTTPRequest/AddressPolicy/publicOnly`` are kept from connecting to other addresses.
        public var blocksPrivateAddresses: Bool
        /// The proxies.
        public var proxies: ProxySettings
        /// The timeout for making a connection, including DNS and TLS.
        public var connectDeadline: Duration
        /// The maximum number of connections, including idle ones.
        ///
        /// Further requests wait.
        ///
        /// One host gets at most a quarter of them, but 6 if possible, so that a host that doesn't respond doesn't block others.
        public var connections: Int

        /// The maximum number of concurrent requests to one host.
        var requestsPerHost: Int { max(connections / 4, min(connections, 6), 1) }

        /// Whether an address is public.
        ///
        /// Tests replace this, because they have no public servers.
        var isPublic: @Sendable (IPAddress) -> Bool = \.isPublic

        /// Creates a configuration.
        ///
        /// The defaults suit most robots.
        public init(
            userAgent: String = "Heybot", authorities: String? = nil, blocksPrivateAddresses: Bool = true,
            proxies: ProxySettings = ProxySettings(), connectDeadline: Duration = .seconds(10), connections: Int = 128
        ) {
            self.userAgent = userAgent
            self.authorities = authorities
            self.blocksPrivateAddresses = blocksPrivateAddresses
            self.proxies = proxies
            self.connectDeadline = connectDeadline
            self.connections = connections
        }
    }
}
