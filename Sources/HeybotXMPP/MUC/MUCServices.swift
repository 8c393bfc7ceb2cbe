/// The services for rooms, as service discovery describes them (XEP-0030, XEP-0045 section 6.1), for the time of a session.
///
/// An address counts as a room only if its domain says that it has rooms: any user's address could be called a room. A room is
/// trusted only if its service says that it has rooms and nothing else, and if the account's server lists the service as its
/// own, or the room is a configured one.
struct MUCServices: Sendable {
    /// The kind of a domain.
    enum DomainKind: Hashable, Sendable {
        /// It has rooms and nothing else.
        case rooms
        /// It has rooms, but also accounts.
        case accountsToo
        /// It has rooms and is a gateway to another network, or says something else that isn't about rooms.
        case gateway
        /// It has no rooms.
        case other
    }

    private enum QueryState: Hashable, Sendable {
        case pending
        case known(DomainKind)
        /// The query failed, for this reason.
        case failed(String)
    }

    /// What is known of a room's service.
    enum MUCAvailability: Hashable, Sendable {
        /// The service wasn't queried, or hasn't answered.
        case unknown
        /// The service has rooms; whether the room's own statements are trusted, such as the sender of an invitation.
        case available(isTrusted: Bool)
        /// The service has no rooms, for this reason.
        case unavailable(String)
    }

    /// The domain of the account: addresses in it are people's.
    private let account: String
    /// The configured rooms.
    private let chosen: Set<JID>
    private let chosenDomains: Set<String>
    private var domains: [String: QueryState] = [:]
    /// The services that the account's server lists; nil before it has answered.
    private var listed: Set<String>?
    private var isListPending = false
    /// The services whose rooms identify occupants (XEP-0421).
    private var occupantIDDomains: Set<String> = []
    private var retries: [String: Retry] = [:]

    /// When a service that didn't answer is queried again.
    private struct Retry: Sendable {
        var count = 0
        /// Nil while a query is running.
        var due: Duration?
    }

    /// The delay before the first retry; it doubles with each further one, up to the longest.
    private static let firstRetry: Duration = .seconds(60)
    private static let longestRetry: Duration = .seconds(3_600)
    /// About a day's worth; joining one of the service's rooms starts over.
    private static let maxRetries = 30

    /// The maximum number of listed services that are remembered.
    private static let maxListed = 100
    private static let maxDomains = 1_000

    /// - Parameters:
    ///   - account: The domain of the account.
    ///   - chosen: The configured rooms.
    init(account: String, chosen: [JID]) {
        self.account = account
        self.chosen = Set(chosen)
        chosenDomains = Set(chosen.map(\.domain))
    }

    /// Marks the list of services as queried.
    ///
    /// - Returns: Whether a query is needed.
    mutating func startListQuery() -> Bool {
        guard listed == nil, !isListPending else { return false }
        isListPending = true
        return true
    }

    /// Marks a service as queried, because one of its rooms is to be joined.
    ///
    /// - Returns: Whether a query is needed: the first one, or one after a failure.
    mutating func startQuery(_ domain: String) -> Bool {
        switch domains[domain] {
        case .pending, .known: return false
        case nil, .failed: break
        }
        // A forgotten service is queried again when it is needed.
        if domains.count >= Self.maxDomains {
            domains = domains.filter {
                $0.value == .pending || listed?.contains($0.key) == true || chosenDomains.contains($0.key)
            }
        }
        domains[domain] = .pending
        occupantIDDomains.formIntersection(domains.keys)
        retries[domain] = nil
        return true
    }

    /// The latest time for the next call of ``retry(at:)``; nil if there is nothing to retry.
    var due: Duration? { retries.isEmpty ? nil : retries.values.compactMap(\.due).min() }

    /// Returns the services of configured rooms whose queries have failed and are to be repeated now.
    mutating func retry(at now: Duration) -> [String] {
        guard let due, due <= now else { return [] }
        let late = retries.filter { $0.value.due.map { $0 <= now } ?? false }.keys.sorted()
        for domain in late {
            retries[domain]?.count += 1
            retries[domain]?.due = nil
            domains[domain] = .pending
        }
        return late
    }

    /// Returns what is known of the service of a room that isn't a configured one.
    func mucAvailability(for room: JID) -> MUCAvailability {
        switch domains[room.domain] {
        case nil, .pending: .unknown
        case .failed(let reason): .unavailable(reason)
        case .known(.other): .unavailable("\(room.domain) isn't a conference service")
        case .known: listed == nil && isListPending ? .unknown : .available(isTrusted: trusts(room))
        }
    }

    /// Whether a room's own statements are trusted, such as the sender of an invitation.
    func trusts(_ room: JID) -> Bool {
        room.local != nil && room.domain != account && domains[room.domain] == .known(.rooms)
            && (chosen.contains(room) || listed?.contains(room.domain) == true)
    }

    /// Whether the addresses that a room shows of its occupants are trusted.
    ///
    /// The owner of a room can have occupants leave unseen, ejabberd before version 23.10 lets two people speak under one
    /// nick, and a connection between servers loses stanzas when it breaks, which users can bring about. So either every message
    /// names its occupant (XEP-0421), or the room is a configured one of the account's own server.
    func trustsAddresses(in room: JID) -> Bool {
        guard trusts(room) else { return false }
        return identifiesOccupants(at: room.domain) || chosen.contains(room) && isOwn(room.domain)
    }

    /// Whether a service is one of the account's own server: a subdomain almost always is.
    ///
    /// The server's list of services may name services of other servers.
    func isOwn(_ domain: String) -> Bool { domain.hasSuffix(".\(account)") }

    /// Returns why a service isn't trusted, if it has answered or its query has failed.
    func reasonForDistrust(_ domain: String) -> String? {
        switch domains[domain] {
        case nil, .pending: nil
        case .failed(let reason): reason
        case .known(.other): "\(domain) doesn't describe itself as a conference service"
        case .known(.accountsToo), .known(.gateway):
            "\(domain) is a gateway to another network, or isn't only a conference service"
        case .known(.rooms) where domain == account: "\(domain) has user accounts as well as rooms"
        case .known(.rooms) where chosenDomains.contains(domain) && !identifiesOccupants(at: domain) && !isOwn(domain):
            "\(domain) adds no occupant ids (XEP-0421), and isn't a subdomain of \(account)"
        case .known(.rooms): nil
        }
    }

    /// Whether a domain has rooms and no accounts.
    func hasOnlyRooms(at domain: String) -> Bool { domain != account && domains[domain] == .known(.rooms) }

    /// Whether an address at a domain says nothing about the person behind it, unless the session is in their room.
    ///
    /// Excepted are gateways with a configured room, and servers that have rooms and accounts at one domain: people have addresses
    /// of their own there. Anyone can make the session ask a domain what it has, by an invitation, and that mustn't silence
    /// its users.
    func hidesPeople(at domain: String) -> Bool {
        hasOnlyRooms(at: domain) || domains[domain] == .known(.gateway) && !chosenDomains.contains(domain)
    }

    /// Whether the rooms of a service set occupant ids (XEP-0421), and remove those that occupants set themselves.
    func identifiesOccupants(at domain: String) -> Bool { occupantIDDomains.contains(domain) }

    /// Returns the key of rate limits for an occupant id; nil unless the service sets these ids itself.
    func requesterKey(ofOccupantID id: String?, in room: JID) -> String? {
        guard identifiesOccupants(at: room.domain), let id else { return nil }
        // No address has such a character at this position.
        return "\(room)#\(id)"
    }

    /// Reads the list of services of the account's server (disco#items); nil if it sent none.
    mutating func receiveList(_ query: Element?) {
        isListPending = false
        guard let query else { return }
        var found: Set<String> = []
        for case .element(let item) in query.children where item.is("item", Namespace.discoItems) {
            guard found.count < Self.maxListed else { break }
            guard item["node"] == nil, let address = item["jid"].flatMap({ try? JID($0) }), address.local == nil,
                address.resource == nil
            else { continue }
            found.insert(address.domain)
        }
        listed = found
    }

    /// Notes that the list query has failed: no service is trusted until it is repeated.
    mutating func failListQuery() {
        isListPending = false
    }

    /// Reads the description of a service (disco#info).
    mutating func receiveInfo(_ query: Element, of domain: String) {
        retries[domain] = nil
        let identities = query.all("identity", Namespace.discoInfo)
        let features = Set(query.all("feature", Namespace.discoInfo).compactMap { $0["var"] })
        if features.contains(Namespace.occupantID) {
            occupantIDDomains.insert(domain)
        } else {
            occupantIDDomains.remove(domain)
        }
        let isRooms =
            identities.contains { $0["category"] == "conference" } && features.contains(Namespace.muc)
        guard isRooms else {
            domains[domain] = .known(.other)
            return
        }
        let isPure = identities.allSatisfy { $0["category"] == "conference" && $0["type"] == "text" }
        let hasAccounts = identities.contains { $0["category"] == "server" }
        domains[domain] = .known(isPure ? .rooms : hasAccounts ? .accountsToo : .gateway)
    }

    /// Notes that a service hasn't described itself.
    ///
    /// The services of configured rooms are queried again later: until they answer, no admin is recognized in these rooms.
    mutating func failQuery(_ domain: String, _ reason: String, at now: Duration) {
        domains[domain] = .failed(reason)
        let count = retries[domain]?.count ?? 0
        guard chosenDomains.contains(domain), count < Self.maxRetries else { return }
        let wait = min(Self.firstRetry * (1 << min(count, 10)), Self.longestRetry)
        retries[domain] = Retry(count: count, due: now + wait)
    }
}
