import FoundationEssentials
import Heybot
import HeybotFeeds
import HeybotSupport

extension Feeds {
    /// What was read from a feed, and what has to be posted.
    struct ReadingState: Codable, Hashable, Sendable {
        /// The part of an item that is posted.
        struct Headline: Codable, Hashable, Sendable {
            /// Identifies the item in its feed.
            let item: String
            let text: String
        }

        /// Since when, and why, a feed can't be read.
        struct Failure: Codable, Hashable, Sendable {
            let start: Date
            /// The reason of the last attempt.
            let reason: String
        }

        /// The maximum number of identifiers that are kept of items that aren't in the feed any more.
        private static let mostOld = 2_000
        private static let mostPending = 50
        /// The number of failures in a row after which the room learns that the feed can't be read.
        private static let failuresUntilReport = 3
        private static let backoff = Backoff(first: .minutes(30), longest: .hours(24))

        /// What the server identifies the last version by.
        private(set) var version = FeedVersion()
        /// The identifiers of the items that were seen: those of the last version first.
        private var seen: [String] = []
        /// The items to post, oldest first.
        private(set) var pending: [Headline] = []
        /// The number of further items, which are only counted.
        private(set) var uncounted = 0
        /// The number of failures in a row.
        private var failures = 0
        /// Nil if the last attempt succeeded.
        private(set) var failure: Failure?
        /// The feed isn't requested before this date, because it failed.
        private var earliest: Date?

        /// Creates the state of a feed whose present items needn't be posted.
        init(_ feed: Feed, _ version: FeedVersion) {
            self.version = version
            seen = feed.items.flatMap(Self.identifiers)
        }

        /// Whether the room has learned that the feed can't be read.
        var isFailing: Bool { failures >= Self.failuresUntilReport }

        /// Whether the feed may be requested at a date.
        func isDue(at date: Date) -> Bool { earliest.map { $0 <= date } ?? true }

        /// Records a new version, and adds its new items to those that are posted.
        ///
        /// - Parameter base: The address to which addresses in the feed are relative.
        mutating func add(_ feed: Feed, _ version: FeedVersion, base: String, filter: WordFilter) {
            let known = Set(seen)
            var present: [String] = []
            // Most feeds begin with the newest item.
            for item in feed.items.reversed() {
                let identifiers = Self.identifiers(item)
                present += identifiers
                guard known.isDisjoint(with: identifiers) else { continue }
                let headline = FeedHeadline(item, base: base)
                guard !headline.line.isEmpty, filter.accepts(headline.searchableTexts) else { continue }
                pending.append(Headline(item: identifiers[0], text: headline.line))
            }
            uncounted += max(pending.count - Self.mostPending, 0)
            pending = Array(pending.suffix(Self.mostPending))
            let distinct = Set(present)
            seen = present + seen.filter { !distinct.contains($0) }.prefix(Self.mostOld)
            self.version = version
        }

        /// Records that the feed was read.
        ///
        /// - Returns: Whether the room should learn that, because it has learned that the feed failed.
        mutating func succeed() -> Bool {
            defer { (failures, failure, earliest) = (0, nil, nil) }
            return isFailing
        }

        /// Records that the feed couldn't be read; the wait for the next attempt doubles each time.
        ///
        /// - Returns: Whether the room should learn that.
        mutating func fail(at date: Date, because reason: String) -> Bool {
            failure = Failure(start: failure?.start ?? date, reason: reason)
            let wait = Self.backoff.wait(after: min(max(failures, 0), 30))
            // A little earlier, so that the timer that fires then isn't too early.
            earliest = date + Double(wait.components.seconds) - 60
            failures = min(max(failures, 0), 1_000_000) + 1
            return failures == Self.failuresUntilReport
        }

        /// Removes what has been posted.
        mutating func removePosted(_ posted: ReadingState) {
            let items = Set(posted.pending.map(\.item))
            pending.removeAll { items.contains($0.item) }
            uncounted = max(uncounted - posted.uncounted, 0)
        }

        /// Returns short texts that identify an item: one or two.
        ///
        /// The first is of its id. If it has a date, the second is of title, address and date, because some servers give an item
        /// another id each time.
        private static func identifiers(_ item: Feed.Item) -> [String] {
            let content = item.date.map { "\(item.title?.text ?? "")\n\(item.link ?? "")\n\($0)" }
            return [identifier("id \(item.id)")] + (content.map { [identifier("content \($0)")] } ?? [])
        }

        private static func identifier(_ text: String) -> String {
            let digest = CryptographicHash.sha256.hash(text.utf8).prefix(8)
            return String(digest.reduce(UInt64(0)) { $0 << 8 | UInt64($1) }, radix: 36)
        }
    }

    /// What a server identifies a version of a feed by (RFC 9110 section 8.8).
    struct FeedVersion: Codable, Hashable, Sendable {
        var etag: String?
        var lastModified: String?
    }
}
