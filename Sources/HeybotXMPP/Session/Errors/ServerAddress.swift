/// A host with an optional port, as a server names another one (RFC 6120 section 4.9.3.19, XEP-0198 section 3).
package struct ServerAddress: Hashable, Sendable {
    /// The name of the host, or its IP address without brackets.
    package let host: String
    /// The port; nil if none is named.
    package let port: Int?

    /// Reads a host with an optional port; IPv6 addresses are in brackets.
    ///
    /// - Returns: Nil if the text is anything else.
    init?(_ text: String) {
        var host = text[...]
        var port: Int?
        if let colon = host.lastIndex(of: ":"), !host[host.index(after: colon)...].contains("]"),
            host.first == "[" || host.firstIndex(of: ":") == colon
        {
            guard let number = Int(host[host.index(after: colon)...]), (1...65_535).contains(number) else { return nil }
            port = number
            host = host[..<colon]
        }
        if host.first == "[", host.last == "]" { host = host.dropFirst().dropLast() }
        guard (1...253).contains(host.utf8.count), host.utf8.allSatisfy(Self.isOfHost) else { return nil }
        self.host = String(host)
        self.port = port
    }

    /// Whether a byte may be part of a host name or an IP address.
    private static func isOfHost(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"),
            UInt8(ascii: ":"):
            true
        default: false
        }
    }
}
