/// A server's address.
package struct Endpoint: Hashable, Sendable, CustomStringConvertible {
    /// A host name or an IP address, without brackets.
    package var host: String
    /// From 1 to 65535.
    package var port: Int
    /// The path of a Unix socket, used instead of host and port; nil for TCP.
    package let path: String?

    /// Creates a TCP endpoint, without checking or resolving it.
    package init(host: String, port: Int) {
        self.host = host
        self.port = port
        path = nil
    }

    /// Creates a Unix socket endpoint, without checking it.
    package init(path: String) {
        host = ""
        port = 0
        self.path = path
    }

    /// Whether it is certainly on this machine, so that nobody can intercept the traffic.
    package var isOnThisMachine: Bool {
        if path != nil { return true }
        let isLoopback = host.hasPrefix("127.") && host.utf8.allSatisfy { $0 == 46 || (48...57).contains($0) }
        return isLoopback || host == "localhost" || host == "::1"
    }

    /// The usual notation: `irc.libera.chat:6697`, `[::1]:6667`, `/run/redis/redis.sock`.
    package var description: String { path ?? (host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)") }
}
