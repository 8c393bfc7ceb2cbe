public import HeybotIRC
public import HeybotPacing
public import HeybotSockets

extension IRCAdapter {
    /// A network, and how the robot behaves there.
    public struct Configuration: Sendable {
        /// Where the network is; the next is tried where one can't be reached.
        public var servers: [Endpoint]
        /// How the connection is encrypted; not at all where it is nil.
        public var tls: TLS?
        public var profile: Profile
        /// Whether somebody's nick alone proves who they are, on a network that tells nobody's account.
        public var trustsNicks = false
        /// How many lines of an answer are said at once, the rest when somebody asks for more; 0 for all.
        public var page = 5
        /// How many commands of one person are heard at once, and how soon another; nil if that has no limit.
        public var perPerson: Pace? = Pace(burst: 10, interval: .seconds(3))
        public var backoff = Backoff()
        /// How long to wait where trying again soon is of no use, as after a ban.
        public var refusedWait: Duration = .seconds(900)
        /// How long reaching a server may take, and then as long again the handshake.
        public var connectWithin: Duration = .seconds(20)
        /// The words of `QUIT`.
        public var farewell = "Bye"
        public var optionNames = OptionNames()

        /// Takes what a network must have; everything else suits most.
        public init(servers: [Endpoint], tls: TLS? = TLS(), profile: Profile) {
            self.servers = servers
            self.tls = tls
            self.profile = profile
        }
    }
}
