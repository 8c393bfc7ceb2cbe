/// The sessions in which users fill in the forms of commands, and the requests that aren't answered yet (XEP-0050).
struct CommandSessions: Sendable {
    /// A session in which a user fills in the form of a command.
    private struct OpenSession: Sendable {
        let command: AdHocCommand
        /// The user's full address: nobody else can submit the form.
        let user: JID
        let number: Int
        let expiry: Duration
    }

    /// A user's request.
    struct Request: Sendable {
        /// The request without its payload.
        let iq: Element
        /// The user's full address.
        let user: JID
        let purpose: Purpose
        let expiry: Duration
    }

    /// What the owner's answer to a request is for.
    enum Purpose: Hashable, Sendable {
        /// The list of the commands.
        case list
        /// Opening a session, if the user may use the command.
        case open(AdHocCommand)
        /// The result of a command, for a session that is no longer open.
        case run(AdHocCommand, session: String)
    }

    private var sessions: [String: OpenSession] = [:]
    private var requests: [String: Request] = [:]
    private var count = 0

    private static let sessionLifetime: Duration = .seconds(600)
    /// Clients don't wait much longer for an answer.
    private static let requestLifetime: Duration = .seconds(15)
    private static let maxSessions = (perPerson: 5, total: 200)
    private static let maxRequests = (perPerson: 5, total: 100)

    /// When a session or a request expires.
    var due: Duration? {
        if sessions.isEmpty, requests.isEmpty { return nil }
        return (sessions.values.map(\.expiry) + requests.values.map(\.expiry)).min()
    }

    /// Returns a new id of a session or a request.
    mutating func nextID(_ prefix: String) -> String {
        count += 1
        return "\(prefix)-\(count)"
    }

    // MARK: Sessions

    /// Opens a session; the oldest of a user who has too many is closed, or of the users with most sessions.
    ///
    /// - Parameter prefix: The beginning of the id.
    /// - Returns: The session's id.
    mutating func open(_ command: AdHocCommand, for user: JID, prefix: String, at now: Duration) -> String {
        let counts = sessions.values.reduce(into: [JID: Int]()) { $0[$1.user.bare, default: 0] += 1 }
        if counts[user.bare, default: 0] >= Self.maxSessions.perPerson {
            closeOldest { $0.bare == user.bare }
        } else if sessions.count >= Self.maxSessions.total {
            let most = counts.values.max()
            closeOldest { counts[$0.bare] == most }
        }
        let id = nextID(prefix)
        sessions[id] = OpenSession(command: command, user: user, number: count, expiry: now + Self.sessionLifetime)
        return id
    }

    private mutating func closeOldest(of isMeant: (JID) -> Bool) {
        let oldest = sessions.filter { isMeant($0.value.user) }.min { $0.value.number < $1.value.number }
        if let oldest { sessions[oldest.key] = nil }
    }

    /// Returns the command of an open session; nil if there is no such session, or if it is another user's.
    func command(_ id: String, of user: JID) -> AdHocCommand? {
        guard let open = sessions[id], open.user == user else { return nil }
        return open.command
    }

    /// Closes a session.
    mutating func close(_ id: String) { sessions[id] = nil }

    // MARK: Requests

    /// Registers a request; nil if there are too many.
    ///
    /// - Parameter prefix: The beginning of the id.
    /// - Returns: The request's id.
    mutating func begin(_ iq: Element, of user: JID, _ purpose: Purpose, prefix: String, at now: Duration) -> String? {
        guard requests.count < Self.maxRequests.total,
            requests.values.count(where: { $0.user.bare == user.bare }) < Self.maxRequests.perPerson
        else { return nil }
        let id = nextID(prefix)
        requests[id] = Request(iq: iq, user: user, purpose: purpose, expiry: now + Self.requestLifetime)
        return id
    }

    /// Returns a request, and removes it if its purpose matches; nil if not, or if it has expired.
    mutating func take(_ id: String, where matches: (Purpose) -> Bool) -> Request? {
        guard let request = requests[id], matches(request.purpose) else { return nil }
        requests[id] = nil
        return request
    }

    /// Removes the sessions and the requests that have expired, and returns the requests.
    mutating func expire(at now: Duration) -> [Request] {
        if sessions.isEmpty, requests.isEmpty { return [] }
        sessions = sessions.filter { $0.value.expiry > now }
        let late = requests.filter { $0.value.expiry <= now }
        for id in late.keys { requests[id] = nil }
        return late.values.sorted { $0.expiry < $1.expiry }
    }
}
