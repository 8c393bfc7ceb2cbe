import HeybotSupport

/// Limits the rate at which others can make the session answer, ask or join: per person, per other domain, and in total.
struct PeerRateLimiter: Sendable {
    private static let perPerson = RateLimit(burst: 20, interval: .milliseconds(200))
    private static let perDomain = RateLimit(burst: 60, interval: .milliseconds(70))
    private static let max = 1_000

    /// The domain of the account, which has no limit as a domain: accounts there are harder to get than domains.
    private let ownDomain: String
    private var people: [JID: TokenBucket] = [:]
    private var domains: [String: TokenBucket] = [:]
    private static let total = RateLimit(burst: 300, interval: .milliseconds(10))
    private var own = TokenBucket(Self.total)
    private var others = TokenBucket(Self.total)

    /// - Parameter ownDomain: The domain of the account.
    init(ownDomain: String) {
        self.ownDomain = ownDomain
    }

    /// Whether a request may be served now; if so, it is counted.
    ///
    /// - Parameter person: A person's bare address, or an occupant of a room.
    mutating func admits(_ person: JID, at now: Duration) -> Bool {
        var one = people[person] ?? TokenBucket(Self.perPerson)
        guard one.isAvailable(at: now), admits(domain: person.domain, at: now) else { return false }
        one.consume(at: now)
        Self.makeRoom(&people, at: now)
        people[person] = one
        return true
    }

    private mutating func admits(domain name: String, at now: Duration) -> Bool {
        if name == ownDomain {
            guard own.isAvailable(at: now) else { return false }
            own.consume(at: now)
            return true
        }
        var domain = domains[name] ?? TokenBucket(Self.perDomain)
        guard domain.isAvailable(at: now), others.isAvailable(at: now) else { return false }
        domain.consume(at: now)
        others.consume(at: now)
        Self.makeRoom(&domains, at: now)
        domains[name] = domain
        return true
    }

    private static func makeRoom<Key>(_ meters: inout [Key: TokenBucket], at now: Duration) {
        if meters.count < max { return }
        meters = meters.filter { !$0.value.isFull(at: now) }
        if meters.count >= max { meters = [:] }
    }
}
