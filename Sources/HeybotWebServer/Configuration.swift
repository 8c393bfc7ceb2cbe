extension NIOHTTPServer {
    /// The configuration of a web server.
    public struct Configuration: Sendable {
        /// The address that the server listens on; by default all of the machine's addresses.
        public var address = "0.0.0.0"
        /// Whether the address was set explicitly.
        ///
        /// If not, a warning says that the server is reachable by everyone.
        public var isAddressChosen = false
        /// The port that the server listens on; 0 for any free port.
        public var port = 8_080
        /// Whether the server runs even if no script's route needs it.
        public var startsWithoutRoutes = false
        /// The credentials that every request needs; nil if none are needed.
        public var credentials: Credentials?
        /// A folder of static files, served if no route matches.
        ///
        /// Symbolic links in it aren't followed.
        public var files: String?
        /// The maximum number of connections.
        ///
        /// If there is one more, a connection of the client with the most connections is closed: the one that has been idle
        /// longest, or else the one that has been sending a body longest.
        public var connections = 1_000
        /// The timeout for receiving a request's body.
        ///
        /// The timeouts for its head, for an idle connection, and for a client that doesn't read its response are twice as
        /// long.
        public var bodyTimeout: Duration = .seconds(20)

        /// Whether other processes of this user may listen on the same port, so that one takes over from another.
        package var sharesPort = false
        /// Whether nobody may listen on the port when the server starts, although it shares the port from then on.
        package var requiresFreePort = false

        /// The names of the settings for port and address, for errors.
        package var portSetting = "PORT"
        package var addressSetting = "BIND_ADDRESS"

        /// Creates a configuration for a server on all addresses, port 8080.
        public init() {}
    }

    /// A user name and a password for basic authentication (RFC 7617).
    public struct Credentials: Hashable, Sendable, CustomStringConvertible, CustomReflectable {
        let user: String
        let password: String

        /// The user, without the password.
        public var description: String { user }

        /// A mirror without the password.
        public var customMirror: Mirror { Mirror(self, children: ["user": user]) }

        /// Creates credentials.
        public init(user: String, password: String) {
            self.user = user
            self.password = password
        }
    }
}
