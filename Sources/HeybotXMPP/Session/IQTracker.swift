/// The IQ requests that the session has sent and that aren't answered yet (RFC 6120 section 8.2.3).
struct IQTracker: Sendable {
    /// What a request is for.
    enum Purpose: Hashable, Sendable {
        /// Checks that the server still answers.
        case serverPing
        /// Checks that the server has read what the session sent.
        case deliveryPing
        /// Checks that the session is still in a room under this nick (XEP-0410).
        case selfPing(JID)
        /// Configures a room that the session created.
        case roomConfiguration(JID, isPersistent: Bool)
        /// Finds out whether a room that the session created is persistent.
        case newRoomInfo(JID)
        /// Gets the list of services of the account's server.
        case serviceList
        /// Finds out whether a domain is a service for rooms.
        case serviceInfo(String)
        /// Gets a page of an archive, by the page's id.
        case archivePage(String, of: JID)
        /// Finds out whether a room has read a change of its subject, by the name of the owner's request.
        case subject(String)
        /// Finds out whether the account's server stores bookmarks so that only the account can read them.
        case bookmarkSupport
        /// Gets the account's bookmarks.
        case bookmarkList
        /// Stores or removes the bookmark of a room.
        case bookmarkChange(JID)
        /// A request of the session's owner, by its name.
        case external(String)
    }

    private struct Request {
        let number: Int
        let to: JID?
        let purpose: Purpose
        var deadline: Duration
    }

    /// The account's address.
    var account: JID
    private var pending: [String: Request] = [:]
    private var count = 0
    /// A part of each id that others can't guess, so that they can't answer in the place of the addressee (RFC 6120 section
    /// 8.1.3).
    private let secret: String

    private static let max = 1_000

    /// - Parameter secret: The beginning of the ids of the session's stanzas.
    init(_ account: JID, secret: String) {
        self.account = account
        self.secret = secret
    }

    /// Whether the limit of unanswered requests is reached.
    var isFull: Bool { pending.count >= Self.max }

    /// Registers a request.
    ///
    /// - Parameter to: The addressee; nil for the account's server.
    /// - Returns: The stanza to send.
    mutating func ask(
        _ payload: Element, _ type: String = "get", to: JID?, for purpose: Purpose, deadline: Duration
    ) -> Element {
        count += 1
        let id = "\(secret)\(count)"
        pending[id] = Request(number: count, to: to, purpose: purpose, deadline: deadline)
        var iq = Element("iq", Namespace.client, ["type": type, "id": id], payload)
        iq["to"] = to?.description
        return iq
    }

    /// Ends the request that a response belongs to.
    ///
    /// - Returns: What the request was for; nil if there is no such request, or if it went to somebody else.
    mutating func resolve(id: String, from: JID?) -> Purpose? {
        guard let request = pending[id], mayAnswer(from, request.to) else { return nil }
        pending[id] = nil
        return request.purpose
    }

    /// Whether a sender may answer for an addressee (RFC 6120 section 8.1.2.1): the account's server answers as itself, as
    /// the account, or without an address.
    private func mayAnswer(_ sender: JID?, _ asked: JID?) -> Bool {
        let server: Set<JID?> = [nil, account.bare, try? JID(domain: account.domain)]
        if asked == nil || asked == account.bare { return server.contains(sender) || sender?.bare == account.bare }
        return sender == asked || server.contains(asked) && server.contains(sender)
    }

    var due: Duration? { pending.values.map(\.deadline).min() }

    /// Extends the deadline of every request.
    mutating func extendDeadlines(by time: Duration) {
        for index in pending.values.indices { pending.values[index].deadline += time }
    }

    /// Removes the requests whose deadline has passed, and returns their purposes in the order in which they were sent.
    mutating func expire(at now: Duration) -> [Purpose] {
        let late = pending.filter { $0.value.deadline <= now }
        for id in late.keys { pending[id] = nil }
        return late.values.sorted { $0.number < $1.number }.map(\.purpose)
    }
}
