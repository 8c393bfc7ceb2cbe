/// What servers say of the services where rooms are (XEP-0030, XEP-0045 section 6.1), as long as a session lasts.
///
/// Nothing is taken for a room whose domain doesn't say that it has rooms: anybody's address could be called one. The
/// addresses that a room shows of its occupants are believed only if its service says that it has rooms and nothing else, and
/// if our own server lists the service as its own, or the room is in the settings.
struct Services: Sendable {
    /// What a domain is.
    enum Kind: Hashable, Sendable {
        /// It has rooms, and nothing else.
        case rooms
        /// It has rooms, but they may be those of another network, as a gateway's are, or it has accounts too.
        case mixed
        /// No rooms are there.
        case other
    }

    private enum Knowledge: Hashable, Sendable {
        case asked
        case known(Kind)
        /// It didn't say, for that reason.
        case silent(String)
    }

    /// What is known of a room's service.
    enum Answer: Hashable, Sendable {
        /// It wasn't asked, or hasn't answered.
        case open
        /// It has rooms; and whether what they say of their occupants is believed.
        case rooms(isTrusted: Bool)
        /// There are no rooms, for that reason.
        case none(String)
    }

    /// The domain of our own account: addresses there are people's.
    private let account: String
    /// The rooms in the settings.
    private let chosen: Set<JID>
    private let chosenDomains: Set<String>
    private var domains: [String: Knowledge] = [:]
    /// Those that our own server lists; nil until it has.
    private var listed: Set<String>?
    private var isListAsked = false
    /// Those whose rooms tell occupants apart (XEP-0421).
    private var identifying: Set<String> = []
    private var retries: [String: Retry] = [:]

    /// When a service that gave no answer is asked again.
    private struct Retry: Sendable {
        var count = 0
        /// Nil while it is being asked.
        var due: Duration?
    }

    /// Before the first retry; each further wait is twice as long as the one before, up to the longest.
    private static let firstRetry: Duration = .seconds(60)
    private static let longestRetry: Duration = .seconds(3_600)
    /// About a day's worth; a join of one of the service's rooms allows as many again.
    private static let mostRetries = 30

    /// The most services of our own server that are looked at.
    private static let mostListed = 100
    private static let mostDomains = 1_000

    /// - Parameters:
    ///   - account: The domain of our own account.
    ///   - chosen: The rooms in the settings.
    init(account: String, chosen: [JID]) {
        self.account = account
        self.chosen = Set(chosen)
        chosenDomains = Set(chosen.map(\.domain))
    }

    /// Whether our own server is to be asked for the list of its services.
    mutating func asksForList() -> Bool {
        guard listed == nil, !isListAsked else { return false }
        isListAsked = true
        return true
    }

    /// Whether a service is to be asked what it is, since we join one of its rooms: it wasn't yet, or gave no answer.
    mutating func asks(_ domain: String) -> Bool {
        switch domains[domain] {
        case .asked, .known: return false
        case nil, .silent: break
        }
        // What is forgotten here is asked again when it is needed.
        if domains.count >= Self.mostDomains {
            domains = domains.filter {
                $0.value == .asked || listed?.contains($0.key) == true || chosenDomains.contains($0.key)
            }
        }
        domains[domain] = .asked
        identifying.formIntersection(domains.keys)
        retries[domain] = nil
        return true
    }

    /// When ``retry(at:)`` has something to do.
    var due: Duration? { retries.isEmpty ? nil : retries.values.compactMap(\.due).min() }

    /// The services of rooms in the settings that gave no answer and are to be asked again by now.
    mutating func retry(at now: Duration) -> [String] {
        guard let due, due <= now else { return [] }
        let late = retries.filter { $0.value.due.map { $0 <= now } ?? false }.keys.sorted()
        for domain in late {
            retries[domain]?.count += 1
            retries[domain]?.due = nil
            domains[domain] = .asked
        }
        return late
    }

    /// What is known of a room that isn't in the settings.
    func answer(for room: JID) -> Answer {
        switch domains[room.domain] {
        case nil, .asked: .open
        case .silent(let reason): .none(reason)
        case .known(.other): .none("\(room.domain) isn't a service for rooms")
        case .known: listed == nil && isListAsked ? .open : .rooms(isTrusted: trusts(room))
        }
    }

    /// Whether the addresses that a room shows of its occupants are believed.
    func trusts(_ room: JID) -> Bool {
        room.local != nil && room.domain != account && domains[room.domain] == .known(.rooms)
            && (chosen.contains(room) || listed?.contains(room.domain) == true)
    }

    /// Why a room's service isn't believed, if it has answered, or had the time to.
    func reasonForDistrust(_ domain: String) -> String? {
        switch domains[domain] {
        case nil, .asked: nil
        case .silent(let reason): reason
        case .known(.other): "\(domain) doesn't say that it is a service for rooms"
        case .known(.mixed): "\(domain) is a gateway to another network, or isn't only for rooms"
        case .known(.rooms): domain == account ? "\(domain) has accounts, too" : nil
        }
    }

    /// Whether nobody can tell whom an address at a domain stands for unless we are in its room; not at a gateway that has
    /// rooms of our choice, where people have addresses of their own as well.
    func hidesPeople(at domain: String) -> Bool {
        switch domains[domain] {
        case .known(.rooms): domain != account
        case .known(.mixed): !chosenDomains.contains(domain)
        default: false
        }
    }

    /// Whether that domain has said that rooms are there.
    func hasRooms(_ domain: String) -> Bool {
        switch domains[domain] {
        case .known(.rooms), .known(.mixed): true
        default: false
        }
    }

    /// Whether the rooms of a service write what they call an occupant (XEP-0421), and remove what the occupant writes of that.
    func identifiesOccupants(at domain: String) -> Bool { identifying.contains(domain) }

    /// Takes the list of our own server's services (disco#items); nil if it gave none.
    mutating func takeList(_ query: Element?) {
        isListAsked = false
        guard let query else { return }
        var found: Set<String> = []
        for case .element(let item) in query.children where item.is("item", Namespace.discoItems) {
            guard found.count < Self.mostListed else { break }
            guard item["node"] == nil, let address = item["jid"].flatMap({ try? JID($0) }), address.local == nil,
                address.resource == nil
            else { continue }
            found.insert(address.domain)
        }
        listed = found
    }

    /// Our server doesn't tell its services: then none of them is believed, until it is asked again.
    mutating func giveUpList() {
        isListAsked = false
    }

    /// Takes what a domain says that it is (disco#info).
    mutating func take(_ query: Element, of domain: String) {
        retries[domain] = nil
        let identities = query.all("identity", Namespace.discoInfo)
        let features = Set(query.all("feature", Namespace.discoInfo).compactMap { $0["var"] })
        if features.contains(Namespace.occupantID) { identifying.insert(domain) } else { identifying.remove(domain) }
        let isRooms =
            identities.contains { $0["category"] == "conference" } && features.contains(Namespace.muc)
        guard isRooms else {
            domains[domain] = .known(.other)
            return
        }
        let isPure = identities.allSatisfy { $0["category"] == "conference" && $0["type"] == "text" }
        domains[domain] = .known(isPure ? .rooms : .mixed)
    }

    /// A domain doesn't say what it is.
    ///
    /// The service of a room in the settings is asked again later: until it answers, no admin is recognized there.
    mutating func giveUp(_ domain: String, _ reason: String, at now: Duration) {
        domains[domain] = .silent(reason)
        let count = retries[domain]?.count ?? 0
        guard chosenDomains.contains(domain), count < Self.mostRetries else { return }
        let wait = min(Self.firstRetry * (1 << min(count, 10)), Self.longestRetry)
        retries[domain] = Retry(count: count, due: now + wait)
    }
}
