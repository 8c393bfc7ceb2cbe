package import HeybotIRC
package import HeybotPacing
package import HeybotSockets

extension IRCAdapter {
    /// What a ``Configuration`` comes to.
    package struct Setup: Sendable {
        package var servers: [Endpoint]
        /// Nil if the connection isn't encrypted.
        package var tls: TLS?
        package var profile: Profile
        package var trustsNicks = false
        /// How many lines of an answer are said at once; 0 for all.
        package var page = 5
        /// How many commands of one person are heard at once, and how soon another; nil for no limit.
        package var perPerson: Pace? = Pace(burst: 10, interval: .seconds(3))
        package var backoff = Backoff()
        package var refusedWait: Duration = .seconds(900)
        package var connectWithin: Duration = .seconds(20)
        package var farewell = "Bye"
        package var optionNames = OptionNames()

        package init(servers: [Endpoint], tls: TLS? = TLS(), profile: Profile) {
            self.servers = servers
            self.tls = tls
            self.profile = profile
        }
    }
}
