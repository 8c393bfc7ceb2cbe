import HeybotSockets
import Logging

/// The address of a server, and how to connect to it.
struct ServerCandidate: Hashable, Sendable, CustomStringConvertible {
    var endpoint: Endpoint
    /// Whether the server expects TLS from the start of the connection.
    var isDirectTLS: Bool

    var description: String { "\(endpoint)" }
}

/// Finds the servers of a domain (RFC 6120 section 3.2, XEP-0368).
struct ServerLocator: Sendable {
    let domain: String
    let lookup: SRVResolver
    /// Whether servers with direct TLS can be used.
    let allowsDirectTLS: Bool
    let logger: Logger
    /// Called with the reason of each failed lookup.
    let onFailure: @Sendable (SRVLookupError) -> Void

    /// Looks up the servers of the domain, and whether each expects direct TLS.
    ///
    /// - Throws: If the domain declares that it has no XMPP service.
    func lookUp() async throws(ServerLocatorError) -> [SRVRecord: Bool] {
        // An IP address has no SRV records.
        if Self.isAddress(domain) { return [:] }
        async let direct = allowsDirectTLS ? records("_xmpps-client._tcp.") : []
        async let plain = records("_xmpp-client._tcp.")
        let (directs, plains) = await (direct, plain)
        let isNotOffered = plains.contains { $0.target == .notOffered }
        var isDirect: [SRVRecord: Bool] = [:]
        for record in plains where record.target != .notOffered { isDirect[record] = false }
        for record in directs where record.target != .notOffered { isDirect[record] = true }
        if isDirect.isEmpty, isNotOffered { throw ServerLocatorError.notOffered(domain) }
        return isDirect
    }

    /// Returns the servers to try, in order: those found, otherwise the domain itself; never an empty list.
    func ordered(_ found: [SRVRecord: Bool], using generator: inout some RandomNumberGenerator) -> [ServerCandidate] {
        if found.isEmpty {
            let host = domain.first == "[" ? String(domain.dropFirst().dropLast()) : domain
            return [ServerCandidate(endpoint: Endpoint(host: host, port: 5_222), isDirectTLS: false)]
        }
        // Merged, as if they were a single service (XEP-0368 section 3).
        return SRVRecord.inOrder(found.keys.sorted { $0.port < $1.port }, using: &generator).compactMap { record in
            guard case .host(let host) = record.target else { return nil }
            return ServerCandidate(
                endpoint: Endpoint(host: host, port: Int(record.port)), isDirectTLS: found[record] ?? false)
        }
    }

    /// If the lookup fails, the domain itself is tried.
    private func records(_ prefix: String) async -> [SRVRecord] {
        do { return try await lookup.records(for: prefix + domain) } catch {
            logger.debug("\(error)")
            onFailure(error)
            return []
        }
    }

    private static func isAddress(_ domain: String) -> Bool {
        domain.first == "[" || domain.utf8.allSatisfy { $0 == UInt8(ascii: ".") || (48...57).contains($0) }
    }
}

/// The reason why there is no server to connect to.
enum ServerLocatorError: Error, Hashable, CustomStringConvertible {
    /// The domain declares that it has no XMPP service.
    case notOffered(String)

    var description: String { "\(reason): \(fix)" }

    var reason: String {
        switch self {
        case .notOffered(let domain): "\(domain) declares in DNS that it has no XMPP service"
        }
    }

    var fix: String {
        switch self {
        case .notOffered: "check the address"
        }
    }
}
