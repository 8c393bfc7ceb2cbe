/// Where a server is.
package struct Endpoint: Hashable, Sendable, CustomStringConvertible {
    /// A name, or an IP address, without brackets.
    package var host: String
    /// From 1 to 65535.
    package var port: Int
    /// The path of a Unix socket on this machine, which then counts instead of host and port.
    package let path: String?

    /// An endpoint; nothing is looked up or checked yet.
    package init(host: String, port: Int) {
        self.host = host
        self.port = port
        path = nil
    }

    /// A Unix socket on this machine; nothing is looked up or checked yet.
    package init(path: String) {
        host = ""
        port = 0
        self.path = path
    }

    /// Whether it is sure to be on this machine, so that nobody can read what is said to it on the way.
    package var isOnThisMachine: Bool {
        if path != nil { return true }
        let isLoopback = host.hasPrefix("127.") && host.utf8.allSatisfy { $0 == 46 || (48...57).contains($0) }
        return isLoopback || host == "localhost" || host == "::1"
    }

    /// As one writes it: `irc.libera.chat:6697`, `[::1]:6667`, `/run/redis/redis.sock`.
    package var description: String { path ?? (host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)") }
}
