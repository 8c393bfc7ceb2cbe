package import HeybotSupport

/// An adapter's timeouts, pings and delays for connecting to a server and reconnecting.
public struct ConnectionTimings: Hashable, Sendable {
    /// The delays before reconnecting: exponential backoff, which is reset once a connection has been up for a while.
    public struct Reconnect: Hashable, Sendable {
        /// The delay before the first attempt to reconnect.
        public var first: Duration
        /// The longest delay.
        public var longest: Duration
        /// The time after which a connection counts as stable, so that the backoff is reset.
        public var stable: Duration

        /// Creates a backoff, by default from 2 s to 5 min.
        public init(
            first: Duration = .seconds(2), longest: Duration = .seconds(300), stable: Duration = .seconds(60)
        ) {
            (self.first, self.longest, self.stable) = (first, longest, stable)
        }

        package var backoff: Backoff { Backoff(first: first, longest: longest, stable: stable) }
    }

    /// The timeout for connecting to a server, and again for the TLS handshake.
    public var connectTimeout: Duration = .seconds(20)
    /// The time without data from the server after which the adapter sends a ping.
    public var pingInterval: Duration = .seconds(60)
    /// The time that the server has to answer a ping before the adapter reconnects.
    public var pingTimeout: Duration = .seconds(30)
    /// The delays before reconnecting.
    public var reconnect = Reconnect()
    /// The delay before reconnecting if an early retry is pointless, such as after a ban or with a wrong password.
    public var refusedRetryDelay: Duration = .seconds(900)

    /// Creates timings that suit most networks.
    public init() {}
}
