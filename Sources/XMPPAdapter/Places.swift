import HeybotSockets
import Logging

/// A place where a server may be, and how it is spoken to there.
struct Place: Hashable, Sendable, CustomStringConvertible {
    var endpoint: Endpoint
    /// TLS from the first byte on.
    var isDirectTLS: Bool

    var description: String { "\(endpoint)" }
}

/// Finds out where the server of a domain is (RFC 6120 section 3.2, XEP-0368).
struct Places: Sendable {
    let domain: String
    let lookup: ServiceLookup
    /// Whether places with TLS from the first byte on are of any use.
    let mayBeDirect: Bool
    let logger: Logger
    /// Told why a look-up can't be had.
    let onFailure: @Sendable (LookupError) -> Void

    /// What DNS says of them, and whether each is one with TLS from the first byte on.
    ///
    /// - Throws: If the domain decidedly has no such service.
    func find() async throws(PlacesError) -> [ServiceRecord: Bool] {
        // An address has no records.
        if Self.isAddress(domain) { return [:] }
        async let direct = mayBeDirect ? records("_xmpps-client._tcp.") : []
        async let plain = records("_xmpp-client._tcp.")
        let (directs, plains) = await (direct, plain)
        let isNotOffered = plains.contains { $0.target == .notOffered }
        var isDirect: [ServiceRecord: Bool] = [:]
        for record in plains where record.target != .notOffered { isDirect[record] = false }
        for record in directs where record.target != .notOffered { isDirect[record] = true }
        if isDirect.isEmpty, isNotOffered { throw PlacesError.notOffered(domain) }
        return isDirect
    }

    /// The places to try, in this order: those that were found, or else the domain itself; never none.
    func inOrder(_ found: [ServiceRecord: Bool], using generator: inout some RandomNumberGenerator) -> [Place] {
        if found.isEmpty {
            let host = domain.first == "[" ? String(domain.dropFirst().dropLast()) : domain
            return [Place(endpoint: Endpoint(host: host, port: 5_222), isDirectTLS: false)]
        }
        // In one row, as if they were one service (XEP-0368 section 3).
        return ServiceRecord.inOrder(found.keys.sorted { $0.port < $1.port }, using: &generator).compactMap { record in
            guard case .host(let host) = record.target else { return nil }
            return Place(endpoint: Endpoint(host: host, port: Int(record.port)), isDirectTLS: found[record] ?? false)
        }
    }

    /// If that can't be told just now, the domain itself is asked.
    private func records(_ prefix: String) async -> [ServiceRecord] {
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

/// Why there is nowhere to go.
enum PlacesError: Error, Hashable, CustomStringConvertible {
    /// The domain says that it has no such service.
    case notOffered(String)

    var description: String { "\(reason): \(cure)" }

    var reason: String {
        switch self {
        case .notOffered(let domain): "\(domain) says that it has no XMPP service"
        }
    }

    var cure: String {
        switch self {
        case .notOffered: "check the address"
        }
    }
}
