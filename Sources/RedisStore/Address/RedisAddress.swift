package import HeybotSockets

/// The location of a brain in Redis, as written in a URL.
///
/// - `redis://user:password@host:6379/0?prefix`, and `rediss://…` with TLS
/// - `redis:///run/redis/redis.sock?prefix`, or `unix:///…`, for a Unix socket, with the database in `?prefix&db=2`
/// - `redis+sentinel://user:password@one:26379,two:26379/mymaster/0?prefix`, and `rediss+sentinel://…` with TLS
///
/// User, password, port, database and prefix are optional. In the path, digits are the database and anything else is the
/// prefix, as in hubot-redis-brain.
public struct RedisAddress: Hashable, Sendable, CustomStringConvertible, CustomReflectable {
    /// How to reach the server.
    public enum Location: Hashable, Sendable {
        /// By host name or IP address.
        case server(HostAndPort)
        /// By Unix socket.
        case socket(path: String)
        /// Through Sentinels, which know the address of the named master.
        case sentinels([HostAndPort], master: String)
    }

    /// A host and a port.
    public struct HostAndPort: Hashable, Sendable, CustomStringConvertible {
        /// A host name, or an IP address without brackets.
        public var name: String
        /// The port.
        public var port: Int

        /// Creates a host from its parts.
        public init(_ name: String, port: Int = 6_379) { (self.name, self.port) = (name, port) }

        public var description: String { "\(endpoint)" }

        package var endpoint: Endpoint { Endpoint(host: name, port: port) }
    }

    /// How to reach the server.
    public var location: Location
    /// Whether to use TLS, also for the Sentinels.
    public var isEncrypted = false
    /// The user name; nil for the server's default user.
    public var user: String?
    /// The password; nil if there is none.
    public var password: String?
    /// The number of the database.
    public var database = 0
    /// The prefix of all keys, before a colon; nil for the default.
    public var prefix: String?

    /// Creates an address without a password, in the first database.
    public init(_ location: Location) {
        self.location = location
    }

    /// The address without the password.
    public var description: String {
        let location =
            switch location {
            case .server(let host): "\(host)"
            case .socket(let path): path
            case .sentinels(let hosts, let master):
                "the master \(master) via \(hosts.map(\.description).joined(separator: ", "))"
            }
        return database == 0 ? location : "\(location), database \(database)"
    }

    public var customMirror: Mirror {
        Mirror(self, children: ["place": location, "database": database, "prefix": prefix as Any])
    }
}

/// The reason why a text isn't the URL of a brain in Redis; it quotes nothing of the text.
public enum RedisAddressError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The scheme is unknown.
    case scheme
    /// The host is missing or invalid.
    case host
    /// The port isn't a number from 1 to 65535.
    case port
    /// The database isn't a number from 0 to 65535.
    case database
    /// The name of the master after the Sentinels is missing.
    case master
    /// There are two prefixes, or the prefix has unprintable characters.
    case prefix
    /// A % isn't followed by two hexadecimal digits, or the bytes aren't UTF-8.
    case encoding
    /// The query has an unknown parameter.
    case option
    /// The URL contains a `#`.
    case fragment

    public var description: String {
        switch self {
        case .scheme:
            "it doesn't begin with redis://, rediss://, unix://, redis+sentinel:// or rediss+sentinel://"
        case .host:
            "its host isn't valid; in the user and the password, write / as %2F, ? as %3F, # as %23, @ as %40 and : as %3A"
        case .port:
            "its port isn't a number from 1 to 65535; in the user and the password, write / as %2F, ? as %3F, # as %23, @ as %40 and : as %3A"
        case .database: "its database isn't a number from 0 to 65535"
        case .master: "the name of the master is missing, as in redis+sentinel://host:26379/mymaster"
        case .prefix: "it has two prefixes, or one that isn't printable"
        case .encoding: "a % in it isn't followed by two hexadecimal digits; write a % itself as %25"
        case .option: "the part after the ? must be a prefix, prefix=… or db=…"
        case .fragment: "it has a #; write that as %23"
        }
    }
}
