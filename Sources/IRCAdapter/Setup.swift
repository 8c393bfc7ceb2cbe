package import Heybot
package import HeybotIRC
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
        package var commandLimit: CommandLimit? = CommandLimit()
        package var connection = ConnectionPolicy()
        package var farewell = "Bye"
        package var optionNames = OptionNames()

        package init(servers: [Endpoint], tls: TLS? = TLS(), profile: Profile) {
            self.servers = servers
            self.tls = tls
            self.profile = profile
        }
    }
}
