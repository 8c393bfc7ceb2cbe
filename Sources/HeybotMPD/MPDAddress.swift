/// The address of a player: a host with a port, or the path of a Unix socket.
package struct MPDAddress: Hashable, Sendable, LosslessStringConvertible {
    /// The port of players by default.
    package static let usualPort = 6600

    /// Where the player listens.
    package enum Location: Hashable, Sendable {
        case host(String, port: Int)
        /// The path of a Unix socket.
        case socket(String)
    }

    package let location: Location

    package init(_ location: Location) {
        self.location = location
    }

    /// Parses `localhost`, `music.example.org:6601`, `[::1]:6600` or `/run/mpd/socket`; nil for anything else.
    package init?(_ text: String) {
        if text.hasPrefix("/") {
            // The length is that of `sockaddr_un.sun_path`.
            guard text.utf8.count < 108, !text.utf8.contains(where: { $0 < 0x20 }) else { return nil }
            self.init(.socket(text))
            return
        }
        let isPlain = text.utf8.allSatisfy { 0x21...0x7e ~= $0 && !"/@?#\"'=,;".utf8.contains($0) }
        guard isPlain, text.utf8.count <= 260 else { return nil }
        var host = text[...]
        var port = Self.usualPort
        let isIPv6WithoutPort = !text.hasPrefix("[") && text.utf8.count(where: { $0 == UInt8(ascii: ":") }) > 1
        if !isIPv6WithoutPort, !text.hasSuffix("]"), let colon = text.lastIndex(of: ":") {
            guard let number = Int(text[text.index(after: colon)...]), 1...65_535 ~= number else { return nil }
            (host, port) = (text[..<colon], number)
        }
        if host.hasPrefix("["), host.hasSuffix("]") { host = host.dropFirst().dropLast() }
        guard !host.isEmpty, !host.contains("["), !host.contains("]") else { return nil }
        self.init(.host(String(host), port: port))
    }

    package var description: String {
        switch location {
        case .host(let host, let port): host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)"
        case .socket(let path): path
        }
    }
}
