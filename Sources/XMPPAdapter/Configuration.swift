public import HeybotPacing
public import HeybotSockets
public import HeybotXMPP

extension XMPPAdapter {
    /// An account on an XMPP server, and how the robot behaves there.
    public struct Configuration: Sendable {
        public var profile: Profile
        /// Where the server is, where that isn't to be asked of DNS.
        public var server: Endpoint?
        /// Whether that server wants TLS from the first byte on, rather than after a word in the clear.
        public var isDirectTLS = false
        /// What makes the server believed; it is asked to be that of the address' domain.
        public var trust = TLS.Trust.system
        /// How DNS is asked.
        public var lookup = ServiceLookup()
        /// How many answers one person gets at once, and how soon another; nil where that has no limit.
        public var perPerson: Pace? = Pace(burst: 10, interval: .seconds(3))
        public var backoff = Backoff()
        /// How long to wait where trying again soon is of no use, as with a wrong password.
        public var refusedWait: Duration = .seconds(900)
        /// How long reaching a server may take, and then as long again the handshake.
        public var connectWithin: Duration = .seconds(20)
        /// What we say when we leave.
        public var farewell = "Bye"
        public var optionNames = OptionNames()

        /// Takes what an account must have; everything else suits most servers.
        public init(profile: Profile) {
            self.profile = profile
        }

        /// How the connection is encrypted.
        func tls(isDirect: Bool) -> TLS {
            var tls = TLS(trust: trust, name: profile.address.domain)
            // So that a server may speak HTTP at the same port (XEP-0368).
            if isDirect { tls.protocols = ["xmpp-client"] }
            return tls
        }
    }
}
