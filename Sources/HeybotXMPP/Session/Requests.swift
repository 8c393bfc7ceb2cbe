/// What we asked and wasn't answered yet: IQ stanzas (RFC 6120 section 8.2.3).
struct Requests: Sendable {
    /// What it was about.
    enum Purpose: Hashable, Sendable {
        /// Whether the server is there.
        case alive
        /// Whether the server has read what we said.
        case taken
        /// Whether we are in a room by that nick (XEP-0410).
        case inRoom(JID)
        /// To have a room of ours opened.
        case openRoom(JID)
        /// Which services our own server has.
        case services
        /// Whether rooms are at that domain.
        case service(String)
        /// What whoever holds the session asked.
        case other(String)
    }

    private struct Request {
        let number: Int
        let to: JID?
        let purpose: Purpose
        var until: Duration
    }

    /// Our own address.
    var account: JID
    private var open: [String: Request] = [:]
    private var count = 0
    /// What strangers can't guess, so that they can't even try to answer in another's place (RFC 6120 section 8.1.3).
    private let secret: String

    private static let most = 1_000

    /// - Parameter secret: What our stanzas' ids begin with.
    init(_ account: JID, secret: String) {
        self.account = account
        self.secret = secret
    }

    /// Whether no more should be asked before something is answered.
    var isFull: Bool { open.count >= Self.most }

    /// The stanza to send.
    ///
    /// - Parameter to: Whom to ask; nil for our server.
    mutating func ask(
        _ payload: Element, _ type: String = "get", to: JID?, for purpose: Purpose, until: Duration
    ) -> Element {
        count += 1
        let id = "\(secret)\(count)"
        open[id] = Request(number: count, to: to, purpose: purpose, until: until)
        var iq = Element("iq", Namespace.client, ["type": type, "id": id], payload)
        iq["to"] = to?.description
        return iq
    }

    /// What was asked by the stanza that this answers; nil if nothing was, or somebody else was asked.
    mutating func answer(id: String, from: JID?) -> Purpose? {
        guard let request = open[id], isFrom(from, request.to) else { return nil }
        open[id] = nil
        return request.purpose
    }

    /// Whether that sender may answer for whom we asked (RFC 6120 section 8.1.2.1): our server speaks as itself, as our
    /// account or without any name.
    private func isFrom(_ sender: JID?, _ asked: JID?) -> Bool {
        let server: Set<JID?> = [nil, account.bare, try? JID(domain: account.domain)]
        if asked == nil || asked == account.bare { return server.contains(sender) || sender?.bare == account.bare }
        return sender == asked || server.contains(asked) && server.contains(sender)
    }

    var due: Duration? { open.values.map(\.until).min() }

    /// All have so much longer to be answered.
    mutating func delay(by time: Duration) {
        for index in open.values.indices { open.values[index].until += time }
    }

    /// What wasn't answered in time, in the order it was asked.
    mutating func expire(at now: Duration) -> [Purpose] {
        let late = open.filter { $0.value.until <= now }
        for id in late.keys { open[id] = nil }
        return late.values.sorted { $0.number < $1.number }.map(\.purpose)
    }
}
