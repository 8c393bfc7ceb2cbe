import HeybotSupport

/// How much others can make us answer, ask or join: each of them so much, all of a domain together more, and all of them
/// together as much as does no harm.
struct AnswerMeters: Sendable {
    private static let perPerson = Pace(burst: 20, interval: .milliseconds(200))
    private static let perDomain = Pace(burst: 60, interval: .milliseconds(70))
    private static let most = 1_000

    private var people: [JID: PaceMeter] = [:]
    private var domains: [String: PaceMeter] = [:]
    private var all = PaceMeter(Pace(burst: 300, interval: .milliseconds(10)))

    /// Whether what somebody wants may be done now; if so, it is counted.
    ///
    /// - Parameter person: Somebody's own address without its resource, or an occupant of a room.
    mutating func admits(_ person: JID, at now: Duration) -> Bool {
        var one = people[person] ?? PaceMeter(Self.perPerson)
        var domain = domains[person.domain] ?? PaceMeter(Self.perDomain)
        guard one.isReady(at: now), domain.isReady(at: now), all.isReady(at: now) else { return false }
        one.count(at: now)
        domain.count(at: now)
        all.count(at: now)
        Self.makeRoom(&people, at: now)
        Self.makeRoom(&domains, at: now)
        people[person] = one
        domains[person.domain] = domain
        return true
    }

    private static func makeRoom<Key>(_ meters: inout [Key: PaceMeter], at now: Duration) {
        if meters.count < most { return }
        meters = meters.filter { !$0.value.isRested(at: now) }
        if meters.count >= most { meters = [:] }
    }
}
