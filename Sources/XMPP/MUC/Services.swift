/// What servers say of the services where rooms are (XEP-0030, XEP-0045 section 6.1), as long as a session lasts.
///
/// Nothing is taken for a room whose domain doesn't say that it has rooms: anybody's address could be called one. And what a
/// room says of its occupants' addresses is believed only of a service that our own server lists among its own.
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

    private var domains: [String: Knowledge] = [:]
    /// Those that our own server lists; nil until it has.
    private var listed: Set<String>?
    private var isListAsked = false

    /// The most services of our own server that are looked at.
    private static let mostListed = 100
    private static let mostDomains = 1_000

    /// What is to be asked before a room's service is known: the list of our own server, and the service.
    mutating func questions(for domain: String) -> (list: Bool, service: Bool) {
        let list = listed == nil && !isListAsked
        isListAsked = isListAsked || list
        if case .asked? = domains[domain] { return (list, false) }
        if case .known? = domains[domain] { return (list, false) }
        // What was found out is found out again where it is needed.
        if domains.count >= Self.mostDomains {
            domains = domains.filter { $0.value == .asked || listed?.contains($0.key) == true }
        }
        domains[domain] = .asked
        return (list, true)
    }

    /// What is known of a domain.
    func answer(for domain: String, account: String) -> Answer {
        switch domains[domain] {
        case nil, .asked: .open
        case .silent(let reason): .none(reason)
        case .known(.other): .none("\(domain) isn't a service for rooms")
        case .known: listed == nil && isListAsked ? .open : .rooms(isTrusted: trusts(domain, account: account))
        }
    }

    /// Whether what its rooms say of their occupants' addresses is believed; never the account's own domain, whose
    /// addresses are people's.
    func trusts(_ domain: String, account: String) -> Bool {
        domain != account && domains[domain] == .known(.rooms) && listed?.contains(domain) == true
    }

    /// Whether that domain has said that rooms are there.
    func hasRooms(_ domain: String) -> Bool {
        switch domains[domain] {
        case .known(.rooms), .known(.mixed): true
        default: false
        }
    }

    /// Takes the list of our own server's services (disco#items); nil where it gave none.
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
    mutating func take(_ query: Element?, of domain: String) {
        guard let query else {
            domains[domain] = .known(.other)
            return
        }
        let identities = query.all("identity", Namespace.discoInfo)
        let isRooms =
            identities.contains { $0["category"] == "conference" }
            && query.all("feature", Namespace.discoInfo).contains { $0["var"] == Namespace.muc }
        guard isRooms else {
            domains[domain] = .known(.other)
            return
        }
        let isPure = identities.allSatisfy { $0["category"] == "conference" && $0["type"] == "text" }
        domains[domain] = .known(isPure ? .rooms : .mixed)
    }

    /// A domain doesn't say what it is.
    mutating func giveUp(_ domain: String, _ reason: String) {
        domains[domain] = .silent(reason)
    }
}
