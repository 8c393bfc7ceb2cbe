extension HummingbirdServer {
    /// Where a server listens, and whom it answers.
    public struct Configuration: Sendable {
        /// The address it listens at; every one of the machine's by default.
        public var address = "0.0.0.0"
        /// Whether somebody chose that address; otherwise it is warned of at the start that everybody can ask.
        public var isAddressChosen = false
        /// The port it listens at; a free one if it is 0.
        public var port = 8_080
        /// Whether it is to run even if no script has a route of its own.
        public var isWantedAnyway = false
        /// Who may ask anything at all; everybody if nil.
        public var credentials: Credentials?
        /// A folder whose files are answered if no script answers; symbolic links in it are not followed.
        public var files: String?
        /// How many connections there may be.
        ///
        /// With one more, of the client that has the most the one ends that has been idle for longest, or else the one whose
        /// body has been coming for longest.
        public var connections = 1_000
        /// How long a request's body may take to come; its head, a connection that does nothing, and a client that takes
        /// nothing of its answer, twice as long.
        public var patience: Duration = .seconds(20)

        /// What its port and address are called if they are set, as an error says it.
        package var portSetting = "PORT"
        package var addressSetting = "BIND_ADDRESS"

        /// A server for whoever reaches the machine, at port 8080.
        public init() {}
    }

    /// A user's name and password, as basic authentication has them (RFC 7617).
    public struct Credentials: Hashable, Sendable, CustomStringConvertible, CustomReflectable {
        let user: String
        let password: String

        /// The user; the password is shown nowhere.
        public var description: String { user }

        public var customMirror: Mirror { Mirror(self, children: ["user": user]) }

        /// Takes a user and a password.
        public init(user: String, password: String) {
            self.user = user
            self.password = password
        }
    }
}
