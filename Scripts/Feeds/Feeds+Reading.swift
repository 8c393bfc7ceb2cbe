import FoundationEssentials
import Heybot
import HeybotFeeds
import Logging

// Reads feeds when their timers fire, and posts what is new.

extension Feeds {
    /// The time between two readings of a feed.
    private static let interval: Duration = .minutes(15)
    private static let mostAtOnce = 5
    private static let mostInDigest = 15

    /// Registers the handlers of the timers.
    func registerTimers(on robot: inout RobotBuilder) {
        let script = name

        robot.on(Self.reading) { timer, robot in
            let place = timer.payload
            let book = FeedBook(brain: robot.brain)
            guard let subscription = try await book.subscription(place) else {
                return try await Self.forget(place, robot)
            }
            let room = Room(id: place.room)
            // Nothing is read that can't be posted.
            guard robot.switches.isOn(script, in: room), await robot.isIn(room) != false else { return }
            let isAtOnce = subscription.digest == nil
            // First what couldn't be posted before: if that fails again, the feed needn't be read again.
            if isAtOnce { try await Self.postPending(of: subscription, in: place.room, for: script, robot) }
            if let notice = try await Self.read(subscription, book, robot) {
                try await robot.post(notice, in: place.room, for: script)
            }
            if isAtOnce { try await Self.postPending(of: subscription, in: place.room, for: script, robot) }
        }

        robot.on(Self.digest, next: { digest, date in digest.times.next(after: date) }) { timer, robot in
            let place = timer.payload.place
            guard let subscription = try await FeedBook(brain: robot.brain).subscription(place) else {
                return try await Self.forget(place, robot)
            }
            let room = Room(id: place.room)
            guard robot.switches.isOn(script, in: room), await robot.isIn(room) != false else { return }
            try await Self.postPending(of: subscription, in: place.room, for: script, robot)
        }
    }

    /// Sets the timers of a feed, or cancels the one of its digest if it has none.
    static func setTimers(_ place: Place, _ times: ZonedRecurrence?, isNew: Bool, _ robot: Robot) async throws {
        let (id, adapter) = (place.feed, place.room.adapter)
        if isNew { try await robot.schedule(reading, place, id: id, needing: adapter, every: interval) }
        if let times {
            let payload = Digest(place: place, times: times)
            try await robot.schedule(digest, payload, id: id, needing: adapter)
        } else {
            try await robot.cancelTimer("\(adapter):\(id)", of: digest)
        }
    }

    /// Removes what is left of a feed that isn't followed any more.
    static func forget(_ place: Place, _ robot: Robot) async throws {
        let timer = "\(place.room.adapter):\(place.feed)"
        try await FeedBook(brain: robot.brain).remove(place.feed, from: place.room)
        try await robot.cancelTimer(timer, of: reading)
        try await robot.cancelTimer(timer, of: digest)
    }

    /// Reads a feed, if it is due, and adds its new items to those that have to be posted.
    ///
    /// - Returns: What the room should learn about the feed itself; usually nil.
    private static func read(
        _ subscription: Subscription, _ book: FeedBook, _ robot: Robot
    ) async throws -> String? {
        let (id, filter, now) = (subscription.id, subscription.filter, robot.date)
        guard let state = try await book.state(id), state.isDue(at: now) else { return nil }
        let reason: String
        do {
            let answer = try await FeedClient(http: robot.http).load(subscription.url, unless: state.version)
            if case .page = answer { throw FeedError.webPage }
            let isBack = try await book.changeState(id) { state in
                if case .read(let feed, let version, let base) = answer {
                    state.add(feed, version, base: base, filter: filter)
                }
                return state.succeed()
            }
            return isBack == true ? "I can read the feed \(subscription.title) again." : nil
        } catch let error as HTTPError {
            reason = String(oneLine: "\(error)", limit: 200)
        } catch let error as FeedError {
            reason = String(oneLine: "\(subscription.host) \(error)", limit: 200)
        }
        let logger = robot.logger
        logger.debug("can't read a feed: \(reason)")
        let isReported = try await book.changeState(id) { $0.fail(at: now, because: reason) }
        guard isReported == true else { return nil }
        return """
            I can't read the feed \(subscription.title): \(reason). I'll keep trying, and say when it works again. \
            To remove it, say: feed remove \(subscription.number)
            """
    }

    /// Posts the items of a feed that haven't been posted yet.
    private static func postPending(
        of subscription: Subscription, in room: Room.ID, for script: String, _ robot: Robot
    ) async throws {
        let book = FeedBook(brain: robot.brain)
        guard let state = try await book.state(subscription.id), !state.pending.isEmpty else { return }
        try await robot.post(text(state, of: subscription), in: room, for: script)
        _ = try await book.changeState(subscription.id) { $0.removePosted(state) }
    }

    /// The items of a feed as one message: the newest ones, oldest first.
    static func text(_ state: ReadingState, of subscription: Subscription) -> String {
        let isDigest = subscription.digest != nil
        let shown = state.pending.suffix(isDigest ? mostInDigest : mostAtOnce).map(\.text)
        let rest = state.pending.count - shown.count + state.uncounted
        let end = rest > 0 ? ["… and \(rest) more at \(subscription.host)"] : []
        if isDigest {
            let count = state.pending.count + state.uncounted
            return (["\(subscription.title): \(count) new"] + shown.map { "- \($0)" } + end).joined(separator: "\n")
        }
        return (shown.map { "\(subscription.title): \($0)" } + end).joined(separator: "\n")
    }
}
