import HeybotSupport

/// The ways to log in that a server offers, as the client has received them.
package struct SASLOffer: Hashable, Sendable {
    /// The names of the mechanisms.
    package let mechanisms: [String]
    /// The names of the kinds of channel bindings (XEP-0440); nil if the server announces none.
    package let bindings: [String]?

    /// Creates an offer from the server's words.
    package init(mechanisms: [String], bindings: [String]? = nil) {
        self.mechanisms = mechanisms
        self.bindings = bindings
    }

    /// Returns the hash that a server sends with its SCRAM challenge, so that a changed offer is noticed (XEP-0474 section 6.1).
    func digest(_ hash: CryptographicHash) -> [UInt8] {
        var bytes = Self.joined(mechanisms)
        if let bindings { bytes += [0x1f] + Self.joined(bindings) }
        return hash.hash(bytes)
    }

    private static func joined(_ names: [String]) -> [UInt8] {
        let sorted = names.map { Array($0.utf8) }.sorted { $0.lexicographicallyPrecedes($1) }
        return Array(sorted.joined(separator: [0x1e as UInt8]))
    }
}
