package import HeybotSockets

/// Where a brain is in Redis, as a URL says it.
///
/// - `redis://user:password@host:6379/0?prefix`, and `rediss://…` with TLS
/// - `redis:///run/redis/redis.sock?prefix`, or `unix:///…`, for a Unix socket, the database as `?prefix&db=2`
/// - `redis+sentinel://user:password@one:26379,two:26379/mymaster/0?prefix`, and `rediss+sentinel://…` with TLS
///
/// User, password, port, database and prefix may be missing. In the path, digits are the database and anything else is the
/// prefix, as in the versions of hubot-redis-brain.
public struct RedisAddress: Hashable, Sendable, CustomStringConvertible, CustomReflectable {
    /// How to get to the server.
    public enum Place: Hashable, Sendable {
        /// By a name or an address.
        case server(Host)
        /// By a Unix socket.
        case socket(path: String)
        /// Through Sentinels, which know where the master of that name is.
        case sentinels([Host], master: String)
    }

    /// A host and a port.
    public struct Host: Hashable, Sendable, CustomStringConvertible {
        /// A name, or an IP address, without brackets.
        public var name: String
        public var port: Int

        /// Makes one of its parts.
        public init(_ name: String, port: Int = 6_379) { (self.name, self.port) = (name, port) }

        public var description: String { "\(endpoint)" }

        package var endpoint: Endpoint { Endpoint(host: name, port: port) }
    }

    /// How to get to the server.
    public var place: Place
    /// Whether to speak TLS, with the Sentinels too.
    public var isEncrypted = false
    /// Who to say we are; nil for the server's default user.
    public var user: String?
    /// The password; nil if there's none.
    public var password: String?
    /// The number of the database.
    public var database = 0
    /// What the names of all keys begin with, before a colon; nil for the usual one.
    public var prefix: String?

    /// The address of a server without a password, and its first database.
    public init(_ place: Place) {
        self.place = place
    }

    /// Without the password, as in the mirror.
    public var description: String {
        let place =
            switch place {
            case .server(let host): "\(host)"
            case .socket(let path): path
            case .sentinels(let hosts, let master):
                "the master of \(master) by \(hosts.map(\.description).joined(separator: ", "))"
            }
        return database == 0 ? place : "\(place), database \(database)"
    }

    public var customMirror: Mirror {
        Mirror(self, children: ["place": place, "database": database, "prefix": prefix as Any])
    }
}

/// Why a text isn't the URL of a brain in Redis; it quotes nothing of the text.
public enum RedisAddressError: Error, Hashable, Sendable, CustomStringConvertible {
    /// It begins with no scheme that we know.
    case scheme
    /// There's no host, or what stands there can't be one.
    case host
    /// The port is no number from 1 to 65535.
    case port
    /// The database is no number from 0 to 65535.
    case database
    /// The master's name is missing behind the Sentinels.
    case master
    /// A prefix is there twice, or has something that isn't printable.
    case prefix
    /// A % isn't followed by two hexadecimal digits, or they aren't UTF-8.
    case encoding
    /// Something behind the question mark isn't known.
    case option
    /// A `#` is in it.
    case fragment

    public var description: String {
        switch self {
        case .scheme:
            "it doesn't begin with redis://, rediss://, unix://, redis+sentinel:// or rediss+sentinel://"
        case .host:
            "its host can't be one; in user and password write / as %2F, ? as %3F, # as %23, @ as %40 and : as %3A"
        case .port:
            "its port isn't a number from 1 to 65535; in user and password write / as %2F, ? as %3F, # as %23, @ as %40 and : as %3A"
        case .database: "its database isn't a number from 0 to 65535"
        case .master: "the name of the master is missing, as in redis+sentinel://host:26379/mymaster"
        case .prefix: "it has two prefixes, or one that isn't printable"
        case .encoding: "a % in it isn't followed by two hexadecimal digits; write a % itself as %25"
        case .option: "what it has behind the ? is neither a prefix nor prefix=… or db=…"
        case .fragment: "it has a #; write that as %23"
        }
    }
}
