import Pacing

/// How often others can make us answer: each of them as often as is reasonable, so that nobody uses up what all have, and
/// all of them together not without end.
struct AnswerMeter: Sendable {
    private static let each = Pace(burst: 20, interval: .milliseconds(200))
    private static let most = 1_000

    private var all = PaceMeter(Pace(burst: 50, interval: .milliseconds(100)))
    private var senders: [JID: PaceMeter] = [:]

    /// Whether somebody gets an answer now; if so, it is counted.
    mutating func admits(_ sender: JID, at now: Duration) -> Bool {
        if senders.count >= Self.most { senders = senders.filter { !$0.value.isRested(at: now) } }
        var own = senders[sender] ?? PaceMeter(Self.each)
        guard all.isReady(at: now), own.isReady(at: now), senders.count < Self.most else { return false }
        all.count(at: now)
        own.count(at: now)
        senders[sender] = own
        return true
    }
}
