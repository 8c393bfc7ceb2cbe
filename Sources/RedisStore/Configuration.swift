public import HeybotSockets

extension RedisStore {
    /// Where the server is, and how to deal with it.
    public struct Configuration: Sendable {
        /// Where it is.
        public var address: RedisAddress
        /// What makes a server with TLS believed.
        public var trust = TLS.Trust.system
        /// What the Sentinels want to be told, where they have a password of their own.
        public var sentinelPassword: String?
        /// How long a call may take, the waiting for a server that is away included.
        public var deadline: Duration = .seconds(5)
        /// How long ``RedisStore/open()`` waits for a server that can't be reached; nil for as long as it takes.
        public var patience: Duration?
        /// Whether to warn in the log of settings of the server's with which it may forget.
        public var tellsRisks = true
        /// How long to wait before connecting again.
        public var backoff = Backoff(first: .milliseconds(100), longest: .seconds(2), stable: .seconds(10))
        /// After how long without a word from the server it's asked whether it's there.
        public var silence: Duration = .seconds(30)

        /// A configuration with what suits most.
        public init(_ address: RedisAddress) {
            self.address = address
        }
    }
}
