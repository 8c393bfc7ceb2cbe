/// What another process needs to resume a session that was left open on the server (XEP-0198 section 5).
package struct KeptSession: Codable, Hashable, Sendable {
    /// A room that the session is in.
    struct Room: Codable, Hashable, Sendable {
        /// The room's address.
        let address: String
        /// The session's nick there.
        let nick: String
    }

    /// The id by which the server knows the session.
    let id: String
    /// The server to resume the session at, with an optional port, if the server prefers one.
    let location: String?
    /// How long the server keeps the session, in seconds.
    package let lifetime: Int
    /// The session's own address.
    let address: String
    /// The rooms that the session is in.
    let rooms: [Room]
    /// The number of the server's stanzas that the session has handled.
    let handled: UInt32
    /// The number of the session's stanzas that the server has handled.
    let acknowledged: UInt32
    /// The stanzas that the server hasn't acknowledged, as XML.
    let stanzas: String

    /// In seconds, if the server doesn't say how long it keeps the session.
    private static let usualLifetime = 300
    /// In seconds: what was said meanwhile is of no interest any more.
    private static let longestLifetime = 3_600
    private static let maxStanzas = 200
    /// In bytes.
    private static let longestStanzas = 262_144

    /// The server to resume the session at, if the server prefers one.
    package var server: ServerAddress? { location.flatMap { ServerAddress($0) } }

    /// Keeps a session; nil if it can't be resumed, or if too much or a password would have to be kept.
    ///
    /// - Parameters:
    ///   - address: The session's own address.
    ///   - rooms: The rooms that the session is in, and its nicks.
    init?(_ management: StreamManagement, address: JID, rooms: [Room]) {
        let unacknowledged = management.unacknowledgedStanzas
        guard let id = management.id, address.resource != nil, unacknowledged.count <= Self.maxStanzas,
            !unacknowledged.contains(where: Self.hasPassword)
        else { return nil }
        let stanzas = unacknowledged.map(\.description).joined()
        guard stanzas.utf8.count <= Self.longestStanzas else { return nil }
        (self.id, self.stanzas, self.rooms) = (id, stanzas, rooms)
        self.address = address.description
        location = management.location.map(Self.text)
        let seconds = management.lifetime.map { Int(clamping: $0.components.seconds) } ?? Self.usualLifetime
        lifetime = min(seconds, Self.longestLifetime)
        (handled, acknowledged) = (management.handled, management.acknowledged)
    }

    /// Whether a stanza has a password: a join of a protected room has one.
    private static func hasPassword(_ element: Element) -> Bool {
        element.name == "password" || element["password"] != nil || element.elements.contains(where: hasPassword)
    }

    private static func text(_ server: ServerAddress) -> String {
        let host = server.host.contains(":") ? "[\(server.host)]" : server.host
        return server.port.map { "\(host):\($0)" } ?? host
    }

    /// Returns the stanzas that the server hasn't acknowledged; nil if they can't be read.
    func parsedStanzas() -> [Element]? {
        guard stanzas.utf8.count <= Self.longestStanzas else { return nil }
        var events: [StreamEvent] = []
        let stream = Array((StreamHeader().xml + stanzas).utf8)
        do { try XMLStreamParser(restartsAfter: []).feed(stream[...], into: &events) } catch { return nil }
        var elements: [Element] = []
        for event in events.dropFirst() {
            guard case .element(let element) = event, elements.count < Self.maxStanzas else { return nil }
            elements.append(element)
        }
        return elements
    }
}
