import FoundationEssentials
public import Heybot
import HeybotFeeds

/// Posts the news of feeds in rooms: RSS, Atom and JSON Feed.
///
/// The brain stores which items were seen and which have to be posted. So each item is posted once, also after a restart, and
/// also if several robots share the brain.
public struct Feeds: Script {
    /// A feed that a room follows.
    struct Place: Codable, Hashable, Sendable {
        let room: Room.ID
        /// The subscription's id.
        let feed: String
    }

    /// The times at which the news of a feed is posted.
    struct Digest: Codable, Hashable, Sendable {
        let place: Place
        let times: ZonedRecurrence
    }

    static let reading = ScheduledJob<Place>("feeds.reading")
    static let digest = ScheduledJob<Digest>("feeds.digest")

    public init() {}

    public var topic: ScriptTopic { .work }
    public var settings: [any AnyScriptSetting] { [Clock.timeZone] }

    public func register(on robot: inout RobotBuilder) {
        let zones = UserAndRoomTimeZones(usual: robot.value(of: Clock.timeZone))
        registerTimers(on: &robot)

        robot.respond(
            /(?:feed|rss) (?:add|follow|register) (?<url>\S+)(?<options> .*)?$/,
            help: """
                feed add <URL> - Post the news of a feed (RSS, Atom or JSON Feed) in this room
                feed add <URL> in <room> - Post it in another room
                feed add <URL> with <words> without <words> - Post only items with one of some words, and none of others; \
                write commas between the words
                feed add <URL> digest <when> - Post all news at once, for example every weekday at 9:00
                """,
            // Without its scheme: the script Titles looks for addresses with one.
            example: "feed add example.org/feed.xml", allow: .admins
        ) { res in
            let url = try FeedClient.checked(res.match.url)
            let options = try Options(res.match.options ?? "")
            let room = try await Self.room(options.room, res)
            let zone = try await zones.zone(ofRoom: room, res.brain)
            let now = res.robot.date
            let times = try options.times.map { try ZonedRecurrence($0, in: zone, at: now) }
            let (filter, book) = (options.filter, FeedBook(brain: res.brain))
            let shown = res.robot.displayName(of: room)
            if let known = try await book.subscriptions(of: room).first(where: { $0.url == url }) {
                try await Self.setTimers(Place(room: room, feed: known.id), times, isNew: false, res.robot)
                let changed = try await book.change(known.id, in: room) { subscription in
                    subscription.filter = filter
                    subscription.digest = times
                }
                try await res.reply("\(shown) follows \((changed ?? known).line())")
                return
            }
            let first = try await Self.firstReading(of: url, res.http)
            if let known = try await book.subscriptions(of: room).first(where: { $0.url == first.url }) {
                throw Refusal("\(shown) follows that feed already: \(known.line())")
            }
            let id = String(res.random(in: 0...Int.max), radix: 36)
            // Before the subscription: a timer without one removes itself.
            try await Self.setTimers(Place(room: room, feed: id), times, isNew: true, res.robot)
            let added = try await book.add(first.state, id, to: room) { number in
                Subscription(
                    id: id, number: number, url: first.url, title: first.title, filter: filter, digest: times)
            }
            let source = first.url == url ? "" : " That page links to its feed: \(first.url)"
            try await res.reply("\(shown) follows \(added.line()). I'll post what is new from now on.\(source)")
        }

        robot.respond(
            /(?:feed|rss) (?:remove|delete|unfollow) (?<feed>\S+)(?: in (?<room>\S+))?$/,
            help: """
                feed remove <number> - Stop posting the news of a feed; its address works too
                feed remove <number> in <room> - Stop posting it in another room
                """,
            example: "feed remove 1", allow: .admins
        ) { res in
            let room = try await Self.room(res.match.room.map { String($0) }, res)
            let typed = res.match.feed
            let url = try? FeedClient.checked(typed)
            let known = try await FeedBook(brain: res.brain).subscriptions(of: room)
            let shown = res.robot.displayName(of: room)
            guard let feed = known.first(where: { "\($0.number)" == typed || $0.url == url }) else {
                throw Refusal("\(shown) doesn't follow that feed. To list its feeds, say: feeds")
            }
            try await Self.forget(Place(room: room, feed: feed.id), res.robot)
            try await res.reply("\(shown) no longer follows \(feed.title).")
        }

        robot.respond(
            /(?:feeds|(?:feed|rss) list)(?: in (?<room>\S+))?$/,
            help: """
                feeds - List the feeds that this room follows
                feeds in <room> - List those of another room; only for admins
                """,
            example: "feeds"
        ) { res in
            var room = res.message.room.id
            if let typed = res.match.room {
                guard res.robot.isAdmin(res.message.user) else { throw Refusal("Ask me that in the room itself.") }
                room = res.robot.room(named: typed.beginning(bytes: 400), from: res.message.room)
            }
            let book = FeedBook(brain: res.brain)
            let known = try await book.subscriptions(of: room)
            guard !known.isEmpty else {
                throw Refusal("\(res.robot.displayName(of: room)) follows no feeds yet. Try: feed add <URL>")
            }
            let zone = try await zones.zone(ofRoom: room, res.brain)
            let now = FormattedLocalTime(res.robot.date, in: zone)
            var lines: [String] = []
            for feed in known {
                let failure = try await book.state(feed.id)?.failure
                let problem = failure.map { failure in
                    let start = FormattedLocalTime(failure.start, in: zone).said(at: now)
                    return "can't be read since \(start): \(failure.reason)"
                }
                lines.append(feed.line(problem: problem))
            }
            try await res.send(lines.joined(separator: "\n"))
        }
    }

    /// Returns the room that a command names, or else the message's own.
    ///
    /// - Throws: A ``Refusal`` if the robot isn't there, or it is a private conversation.
    private static func room<Match>(_ typed: String?, _ res: Response<Match>) async throws -> Room.ID {
        let here = res.message.room
        let room = typed.map { res.robot.room(named: $0[...].beginning(bytes: 400), from: here) } ?? here.id
        if room == here.id {
            guard !res.robot.isConversation(here) else {
                throw Refusal("In which room? Say \"in <room>\" after the address or the number.")
            }
        } else if await res.robot.isIn(Room(id: room)) == false {
            throw Refusal("I'm not in \(res.robot.displayName(of: room)), so nothing could be posted there.")
        }
        return room
    }

    /// What was read from a feed for the first time.
    private struct FirstReading: Sendable {
        /// The address of the feed itself.
        let url: String
        let state: ReadingState
        let title: String
    }

    /// Loads a feed for the first time.
    ///
    /// - Parameter mayBePage: Whether the address may be that of a web page that links to the feed.
    /// - Throws: A ``Refusal`` if the answer can't be read, or the address isn't public; other ``HTTPError``s.
    private static func firstReading(
        of url: String, mayBePage: Bool = true, _ http: any HTTPClient
    ) async throws -> FirstReading {
        let host = String(oneLine: HTTPRequest(.get, url).host, limit: 100)
        do {
            switch try await FeedClient(http: http).load(url) {
            case .unchanged:
                throw Refusal("\(host) sent no feed.")
            case .page(let feed):
                guard mayBePage, feed != url else { throw FeedError.webPage }
                return try await firstReading(of: feed, mayBePage: false, http)
            case .read(let feed, let version, _):
                let title = feed.title.map { FeedHeadline.plain($0, limit: 60) } ?? ""
                return FirstReading(
                    url: url, state: ReadingState(feed, version), title: title.isEmpty ? host : title)
            }
        } catch let error as FeedError {
            throw Refusal("\(host) \(error).")
        } catch let error as HTTPError where error.code == .notPublic {
            throw Refusal(
                "\(host) isn't a public web address, so I read no feeds there. To allow it, for all scripts, set "
                    + "HEYBOT_HTTP_SSRF_GUARD=false.")
        }
    }
}
