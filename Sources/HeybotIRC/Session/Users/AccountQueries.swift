/// Queries for users' accounts (`WHO` with WHOX).
///
/// They are numbered, so that an answer can be matched to the user who had the nick when the query was sent.
struct AccountQueries: Sendable {
    /// The fields of an answer: token, channel, user, host, nick and account, in this order.
    private static let fields = "%tcuhna"
    /// The number of different tokens, which have up to three digits.
    private static let tokens = 1_000
    /// The least time between two queries about the same target.
    private static let interval: Duration = .seconds(10)
    private static let maxRemembered = 500
    /// The time after which a query that must be answered is repeated.
    private static let repetition: Duration = .seconds(60)

    /// A query about a channel's members that must be answered, since a mode change may have hidden some.
    private struct MemberListResync {
        /// When to send it, again if it was sent.
        var due: Duration
        /// The first query that counts.
        var firstQuery: Int
        /// When the first of the changes came.
        let since: Duration
        /// Whether an answer has begun.
        var isAnswered = false
    }

    /// How long private answers to the members wait for a resynchronization.
    private static let patience: Duration = .seconds(30)
    /// The least time between two lists of a channel because members who may be hidden say something.
    private static let resyncInterval: Duration = .seconds(60)

    /// The number of the next query.
    private(set) var next = 1
    private var asked: [String: Duration] = [:]
    /// The resynchronizations of the channels' member lists, by folded channel names.
    private var resyncs: [String: MemberListResync] = [:]
    /// When members who may be hidden last caused a list, by folded channel names.
    private var resynced: [String: Duration] = [:]
    /// The latest query about each channel, by folded names.
    private var channelQueries: [String: Int] = [:]
    /// Whether a query has been answered, so that it is known whether the network shows accounts.
    private(set) var isAnswered = false

    /// Whether a user or channel may be queried now, by its folded name; false if it was a moment ago.
    mutating func mayAsk(_ key: String, at now: Duration) -> Bool {
        if let last = asked[key], now - last < Self.interval { return false }
        if asked.count >= Self.maxRemembered { asked = asked.filter { now - $0.value < Self.interval } }
        guard asked.count < Self.maxRemembered else { return false }
        asked[key] = now
        return true
    }

    /// Allows a query at once, because a different user has the nick now.
    mutating func forget(_ key: String) { asked[key] = nil }

    /// Returns a number for a query of another kind.
    mutating func makeNumber() -> Int {
        defer { next += 1 }
        return next
    }

    /// Returns a `WHO` query about a user, or about all members of a channel.
    ///
    /// - Parameter channel: The channel, folded; nil for a user.
    mutating func line(about target: String, channel: String? = nil) -> IRCMessage {
        defer { next += 1 }
        if let channel {
            // A forgotten query only means that it is repeated.
            if channelQueries.count >= Self.maxRemembered { channelQueries = [:] }
            channelQueries[channel] = next
        }
        return IRCMessage("WHO", target, "\(Self.fields),\(next % Self.tokens)")
    }

    /// Reads the parameters of a 354; nil if it answers none of these queries.
    mutating func answer(_ parameters: [String]) -> (
        number: Int, user: String, host: String, nick: String, account: String?
    )? {
        guard parameters.count >= 7, let token = Int(parameters[1]), (0..<Self.tokens).contains(token) else {
            return nil
        }
        // The latest query with this token.
        let last = next - 1
        let number = last - (last - token) % Self.tokens
        guard number >= 1, number <= last else { return nil }
        isAnswered = true
        let account = parameters[6]
        return (
            number, parameters[3], parameters[4], parameters[5], account == "0" || account == "*" ? nil : account
        )
    }

    /// The channel, folded, that the query is about; nil if it is about a user, or there is a later one about the channel.
    func channel(of number: Int) -> String? { channelQueries.first { $0.value == number }?.key }

    // MARK: Member list resynchronization

    /// When a resynchronization is due; nil if there is none.
    var due: Duration? { resyncs.values.lazy.map(\.due).min() }

    /// Whether any resynchronization is planned or unanswered.
    var isResyncing: Bool { !resyncs.isEmpty }

    /// Plans a query about a channel's members: at once, or as soon as the channel may be queried again.
    mutating func scheduleResync(_ channel: String, at now: Duration) {
        let due = asked[channel].map { max($0 + Self.interval, now) } ?? now
        resyncs[channel] = MemberListResync(due: due, firstQuery: next, since: resyncs[channel]?.since ?? now)
    }

    /// Whether a resynchronization of a channel is planned or unanswered, and not for long.
    func isResyncing(_ channel: String, at now: Duration) -> Bool {
        resyncs[channel].map { now - $0.since < Self.patience } ?? false
    }

    /// When the next resynchronization will have taken too long; nil if there is none.
    func patienceEnd(after now: Duration) -> Duration? {
        resyncs.values.lazy.map { $0.since + Self.patience }.filter { $0 > now }.min()
    }

    /// Whether a channel's members may be listed now because one who may be hidden says something; false if they will be, or
    /// were a while ago.
    mutating func mayResync(_ channel: String, at now: Duration) -> Bool {
        guard resyncs[channel] == nil, asked[channel].map({ now - $0 >= Self.resyncInterval }) ?? true,
            resynced[channel].map({ now - $0 >= Self.resyncInterval }) ?? true
        else { return false }
        resynced = resynced.filter { now - $0.value < Self.resyncInterval }
        guard resynced.count < Self.maxRemembered else { return false }
        resynced[channel] = now
        return true
    }

    /// Returns the channels to query now, folded.
    mutating func takeDueResyncs(at now: Duration) -> [String] {
        // Their answers have begun long ago, and ended without saying so.
        resyncs = resyncs.filter { $0.value.due > now || !$0.value.isAnswered }
        let channels = resyncs.filter { $0.value.due <= now }.keys.sorted()
        for channel in channels {
            resyncs[channel]?.due = now + Self.repetition
            asked[channel] = now
        }
        return channels
    }

    /// Ends a channel's resynchronization.
    mutating func endResync(of channel: String) { resyncs[channel] = nil }

    /// Records that the answer to a query about a channel has begun.
    mutating func beginAnswer(about channel: String, _ number: Int) {
        if let resync = resyncs[channel], number >= resync.firstQuery { resyncs[channel]?.isAnswered = true }
    }

    /// Follows a channel that is renamed; both names are folded.
    mutating func rename(_ channel: String, to new: String) {
        if let resync = resyncs.removeValue(forKey: channel) { resyncs[new] = resync }
        if let number = channelQueries.removeValue(forKey: channel) { channelQueries[new] = number }
    }

    /// Handles a 315, which ends an answer about a channel or a user, folded.
    mutating func end(_ target: String?) {
        if next > 1 { isAnswered = true }
        if let target, resyncs[target]?.isAnswered == true { endResync(of: target) }
    }
}
