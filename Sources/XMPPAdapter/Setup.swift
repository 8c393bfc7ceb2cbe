package import Heybot
package import HeybotSockets
package import HeybotXMPP

extension XMPPAdapter {
    /// What a ``Configuration`` comes to.
    package struct Setup: Sendable {
        package var profile: Profile
        /// Nil to ask DNS.
        package var server: Endpoint?
        package var isDirectTLS = false
        /// What makes the server believed; it is asked to be that of the address' domain.
        package var trust = TLS.Trust.system
        /// How DNS is asked.
        package var lookup = ServiceLookup()
        package var commandLimit: CommandLimit? = CommandLimit()
        package var connection = ConnectionPolicy()
        package var farewell = "Bye"
        package var optionNames = OptionNames()

        package init(profile: Profile) { self.profile = profile }

        /// How the connection is encrypted.
        func tls(isDirect: Bool) -> TLS {
            var tls = TLS(trust: trust, name: profile.address.domain)
            // So that a server may speak HTTP at the same port (XEP-0368).
            if isDirect { tls.protocols = ["xmpp-client"] }
            return tls
        }
    }
}
