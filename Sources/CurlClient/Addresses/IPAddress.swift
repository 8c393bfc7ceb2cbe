import CCurl

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// An IPv4 or IPv6 address.
struct IPAddress: Hashable, Sendable {
    /// The 4 or 16 bytes in network byte order.
    let bytes: [UInt8]

    /// Parses an address as in a URL: IPv4 also as one to four numbers, decimal, octal or hexadecimal.
    init?(_ text: String) {
        var v4 = in_addr()
        var v6 = in6_addr()
        if inet_pton(AF_INET6, text, &v6) == 1 {
            bytes = withUnsafeBytes(of: v6) { Array($0) }
        } else if inet_aton(text, &v4) != 0 {
            bytes = withUnsafeBytes(of: v4) { Array($0) }
        } else {
            return nil
        }
    }

    /// Reads a socket address; nil if it isn't an IP address.
    init?(_ address: UnsafePointer<sockaddr>) {
        let place = UnsafeRawPointer(address)
        switch Int32(address.pointee.sa_family) {
        case AF_INET:
            let v4 = place.loadUnaligned(as: sockaddr_in.self).sin_addr
            bytes = withUnsafeBytes(of: v4) { Array($0) }
        case AF_INET6:
            let v6 = place.loadUnaligned(as: sockaddr_in6.self).sin6_addr
            bytes = withUnsafeBytes(of: v6) { Array($0) }
        default: return nil
        }
    }

    private init(_ bytes: some Sequence<UInt8>) {
        self.bytes = Array(bytes)
    }

    /// Whether the address is globally reachable, by IANA's registries of special-purpose addresses (RFC 6890).
    ///
    /// Not public are this machine and local networks, multicast, and addresses reserved for documentation or future use.
    var isPublic: Bool {
        guard bytes.count == 16 else { return !Self.special.contains { $0.contains(self) } }
        // An address that embeds an IPv4 address is public if that is.
        if Self.embedding.contains(where: { $0.contains(self) }) { return IPAddress(bytes[12...]).isPublic }
        return Self.unicast.contains(self) && !Self.specialUnicast.contains { $0.contains(self) }
    }

    private static let special = [
        "0.0.0.0/8", "10.0.0.0/8", "100.64.0.0/10", "127.0.0.0/8", "169.254.0.0/16", "172.16.0.0/12", "192.0.0.0/24",
        "192.0.2.0/24", "192.88.99.0/24", "192.168.0.0/16", "198.18.0.0/15", "198.51.100.0/24", "203.0.113.0/24",
        "224.0.0.0/4", "240.0.0.0/4"
    ].compactMap { AddressRange($0) }
    /// IPv4-mapped addresses (RFC 4291 section 2.5.5.2), and NAT64 (RFC 6052).
    private static let embedding = ["::ffff:0:0/96", "64:ff9b::/96"].compactMap { AddressRange($0) }
    /// Global unicast, 2000::/3.
    ///
    /// The rest of IPv6 is special or unassigned.
    private static let unicast = AddressRange(IPAddress([0x20] + [UInt8](repeating: 0, count: 15)), bits: 3)
    /// Protocol assignments, including Teredo and benchmarking; documentation; 6to4, which may lead to any IPv4 address.
    private static let specialUnicast = ["2001::/23", "2001:db8::/32", "2002::/16", "3fff::/20"]
        .compactMap { AddressRange($0) }
}

/// A range of addresses with the same prefix.
struct AddressRange: Hashable, Sendable {
    let first: IPAddress
    let bits: Int

    init(_ first: IPAddress, bits: Int) {
        self.first = first
        self.bits = bits
    }

    /// Parses a range in CIDR notation, such as `192.0.2.0/24`.
    init?(_ text: String) {
        let parts = text.split(separator: "/")
        guard parts.count == 2, let first = IPAddress(String(parts[0])), let bits = Int(parts[1]),
            0...first.bytes.count * 8 ~= bits
        else { return nil }
        self.init(first, bits: bits)
    }

    func contains(_ address: IPAddress) -> Bool {
        guard address.bytes.count == first.bytes.count else { return false }
        return zip(address.bytes, first.bytes).enumerated().allSatisfy { index, pair in
            let counted = min(max(bits - index * 8, 0), 8)
            return (pair.0 ^ pair.1) >> (8 - UInt8(counted)) == 0
        }
    }
}
