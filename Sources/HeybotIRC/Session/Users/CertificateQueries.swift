/// Queries for users' client certificates (`WHOIS`, answered with 276 RPL_WHOISCERTFP).
///
/// They are numbered, so that an answer can be matched to the user who had the nick when the query was sent.
struct CertificateQueries: Sendable {
    private struct Query {
        /// When the last query was sent; nil if a different user has had the nick since.
        var asked: Duration?
        /// The numbers of the unanswered queries.
        var unanswered: [Int] = []
        var user: String?
        var host: String?
        var fingerprints: [String] = []
    }

    /// The result of a `WHOIS` query.
    struct Answer: Hashable, Sendable {
        let number: Int
        let user: String
        let host: String
        let fingerprints: [String]
    }

    /// The least time between two queries about the same nick.
    private static let interval: Duration = .seconds(60)
    private static let maxRemembered = 500
    /// A server may report one certificate's fingerprint by several hash functions.
    private static let maxFingerprints = 8

    /// By the folded nick.
    private var queries: [String: Query] = [:]

    /// Whether a user may be queried now; false if they were a moment ago.
    mutating func mayAsk(_ key: String, at now: Duration) -> Bool {
        if let last = queries[key]?.asked, now - last < Self.interval { return false }
        if queries.count >= Self.maxRemembered {
            queries = queries.filter { $0.value.asked.map { now - $0 < Self.interval } ?? false }
        }
        guard queries.count < Self.maxRemembered else { return false }
        var query = queries[key] ?? Query()
        // A query that wasn't answered in all that time never will be.
        if query.asked != nil { query.unanswered = [] }
        query.asked = now
        queries[key] = query
        return true
    }

    /// Allows a query at once, because a different user has the nick now.
    mutating func forget(_ key: String) { queries[key]?.asked = nil }

    /// Allows queries at once about these users, by their folded nicks.
    mutating func forget(where isForgotten: (String) -> Bool) {
        for key in queries.keys where isForgotten(key) { forget(key) }
    }

    /// Returns a `WHOIS` query.
    mutating func line(about nick: String, _ key: String, number: Int) -> IRCMessage {
        queries[key]?.unanswered.append(number)
        return IRCMessage("WHOIS", nick)
    }

    /// Whether an answer about that nick is expected.
    func isPending(_ key: String) -> Bool { queries[key]?.unanswered.isEmpty == false }

    /// Handles a line about a user (311, 276, 318).
    ///
    /// - Returns: The answer, once its last line has arrived.
    mutating func receive(_ message: IRCMessage, about key: String) -> Answer? {
        let parameters = message.parameters
        guard isPending(key), var query = queries.removeValue(forKey: key) else { return nil }
        defer { queries[key] = query }
        switch message.numeric {
        case .whoisUser where parameters.count > 3:
            (query.user, query.host, query.fingerprints) = (parameters[2], parameters[3], [])
        case .whoisCertificate:
            // "has client certificate fingerprint …"
            guard let word = parameters.last?.split(separator: " ").last, let found = Self.fingerprint(String(word)),
                query.fingerprints.count < Self.maxFingerprints
            else { break }
            query.fingerprints.append(found)
        case .endOfWhois:
            let number = query.unanswered.removeFirst()
            defer { (query.user, query.host, query.fingerprints) = (nil, nil, []) }
            guard let user = query.user, let host = query.host else { return nil }
            return Answer(number: number, user: user, host: host, fingerprints: query.fingerprints)
        default: break
        }
        return nil
    }

    /// Normalizes a fingerprint: 16 to 64 bytes as hexadecimal digits in lower case; nil if the text isn't one.
    static func fingerprint(_ text: String) -> String? {
        guard text.utf8.count <= 192 else { return nil }
        let digits = text.utf8.filter { $0 != UInt8(ascii: ":") }
        guard [32, 40, 64, 96, 128].contains(digits.count),
            digits.allSatisfy({ Character(UnicodeScalar($0)).isHexDigit })
        else { return nil }
        return String(decoding: digits, as: UTF8.self).lowercased()
    }
}

extension SessionConfiguration {
    /// Normalizes a certificate's fingerprint, as in ``IncomingEvent/certificates``: hexadecimal digits in lower case, without
    /// colons; nil if the text isn't one.
    package static func fingerprint(_ text: String) -> String? { CertificateQueries.fingerprint(text) }
}
