/// What another process needs to resume a session that was left open on the server (XEP-0198 section 5).
package struct KeptSession: Codable, Hashable, Sendable {
    /// A room that the session is in.
    struct Room: Codable, Hashable, Sendable {
        /// The room's address.
        let address: String
        /// The session's nick there.
        let nick: String
    }

    /// A text to a room or a person that may not have arrived.
    ///
    /// Its times are in seconds before the server's last sign.
    struct Text: Codable, Hashable, Sendable {
        let to: String
        let text: String
        let thread: String?
        /// The id of the stanza in which it was sent; nil if it wasn't sent yet.
        let id: String?
        /// What it answers, as the ids of own messages tell it.
        let answered: String
        /// When it was created.
        let created: Double
        /// When it can have arrived at the earliest.
        let earliestArrival: Double
        /// When it was sent last; only of ``KeptSession/unshown`` texts, and nil if an earlier version has kept it.
        var sent: Double?
        /// Whether it is sent again only if an archive shows that it hasn't arrived.
        let isSentAgainOnlyIfMissing: Bool
    }

    /// A time since which the session has missed what was said.
    struct Absence: Codable, Hashable, Sendable {
        /// The room's address; nil for direct messages.
        let room: String?
        /// In seconds before the server's last sign.
        let since: Double
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
    /// The texts that the server has acknowledged, and that rooms haven't shown; nil if an earlier version has kept the session.
    var unshown: [Text]?
    /// The ids of the messages to rooms that the server hasn't acknowledged, and that aren't waited for: the rooms have shown them,
    /// or haven't for a minute.
    var shown: [String]?
    /// The texts that weren't sent, or that wait for an archive.
    var unsent: [Text]?
    /// What the session has missed, and hasn't found in archives yet.
    var absences: [Absence]?
    /// The number of pages that archives were asked for.
    var pages: Int?
    /// Whether the server hasn't answered the last request to resume the session.
    var hasUnansweredRequest: Bool?

    /// In seconds, if the server doesn't say how long it keeps the session.
    private static let usualLifetime = 300
    /// In seconds: what was said meanwhile is of no interest any more.
    private static let longestLifetime = 3_600
    static let maxStanzas = 200
    private static let (longestFuture, longestPast) = (3_600.0, 86_400.0)
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

    /// Keeps messages that weren't sent, or that wait for an archive, as many as fit.
    ///
    /// - Parameter lastReceived: When the server gave its last sign.
    static func texts(_ messages: [OutgoingMessage], lastReceived: Duration) -> [Text] {
        fitting(messages.map { Text($0, lastReceived: lastReceived) })
    }

    /// Keeps messages that were sent, as many as fit.
    ///
    /// - Parameter lastReceived: When the server gave its last sign.
    static func texts(_ messages: [UnconfirmedMessages.SentMessage], lastReceived: Duration) -> [Text] {
        fitting(
            messages.map { sent in
                var text = Text(sent.message, lastReceived: lastReceived)
                text.sent = (lastReceived - sent.sentAt) / .seconds(1)
                return text
            })
    }

    private static func fitting(_ texts: [Text]) -> [Text] {
        var size = 0
        return Array(
            texts.prefix(maxStanzas)
                .prefix { text in
                    size += text.text.utf8.count
                    return size <= longestStanzas
                })
    }

    /// Returns a time on this session's clock, within a day of the server's last sign.
    static func time(_ seconds: Double, before lastReceived: Duration) -> Duration {
        lastReceived - .seconds(min(max(seconds, -longestFuture), longestPast))
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

extension KeptSession.Text {
    fileprivate init(_ message: OutgoingMessage, lastReceived: Duration) {
        self.init(
            to: message.target.description, text: message.text, thread: message.thread, id: message.stanzaID,
            answered: message.answered.telling(in: ""), created: (lastReceived - message.since) / .seconds(1),
            earliestArrival: (lastReceived - message.earliestArrival) / .seconds(1),
            isSentAgainOnlyIfMissing: message.isSentAgainOnlyIfMissing)
    }

    /// Returns the message; nil if its target isn't an address.
    ///
    /// - Parameter lastReceived: When the server gave its last sign.
    func message(lastReceived: Duration) -> OutgoingMessage? {
        guard let target = try? JID(to) else { return nil }
        var message = OutgoingMessage(to: target, text, since: KeptSession.time(created, before: lastReceived))
        message.earliestArrival = KeptSession.time(earliestArrival, before: lastReceived)
        message.stanzaID = id
        message.answered = AnsweredMessage(toldBy: answered)
        message.thread = thread
        message.isSentAgainOnlyIfMissing = isSentAgainOnlyIfMissing
        return message
    }
}
