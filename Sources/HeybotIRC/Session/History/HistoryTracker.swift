import FoundationEssentials

/// What a connection has left for the next one, which asks for what was said between the two.
package struct HistoryMark: Sendable {
    /// The server's time of the last message.
    let last: String
    /// The server's time from which messages were missed, by the channels' folded names.
    private(set) var channels: [String: String]
    let heard: HeardMessages

    init(last: String, channels: [String: String], heard: HeardMessages) {
        (self.last, self.channels, self.heard) = (last, channels, heard)
    }

    /// Forgets a channel, folded, that the robot leaves for good.
    package mutating func forget(_ channel: String) { channels[channel] = nil }
}

/// Asks for the messages that were missed between two connections, and recognizes them.
///
/// It uses IRCv3 chathistory, or ZNC's module `playback`. Only batches that were asked for count, and in them only
/// messages from the time between the connections.
struct HistoryTracker: Sendable {
    private struct Batch {
        /// How many more messages it may have.
        var left: Int
        /// The time from which messages were missed.
        let since: ServerTime
    }

    /// The time from which private messages were missed; nil if there was no earlier connection.
    private let since: ServerTime?
    /// The earliest time from which messages count as missed.
    private let earliest: ServerTime?
    /// The times from which messages were missed in the channels that weren't asked about yet, by folded names.
    private var channels: [String: String]
    /// The time of the last message that wasn't part of a batch.
    private var last: String
    private var heard: HeardMessages
    /// The requests that weren't answered yet, by folded channels and nicks.
    private var unanswered: [String: ServerTime] = [:]
    /// How many more users with private messages may be asked about.
    private var targetsLeft = 0
    /// Until when the bouncer's playback counts as the answer.
    private var playbackEnd: Duration?
    /// The open batches with answers, by their references.
    private var batches: [String: Batch] = [:]

    /// The most messages that are taken from one batch.
    static let maxMessages = 100
    private static let maxBatches = 20
    private static let maxTargets = 10
    private static let maxChannels = 500
    private static let playbackTimeout: Duration = .seconds(60)
    /// How far the clocks of a network's servers may differ.
    private static let clockSkew: Duration = .seconds(60)

    /// - Parameters:
    ///   - mark: What the earlier connection has left; nil if there was none.
    ///   - period: How long ago a missed message may have been said.
    ///   - welcomed: The server's time at registration.
    init(after mark: HistoryMark?, period: Duration, welcomed: String) {
        last = welcomed
        heard = mark?.heard ?? HeardMessages()
        channels = mark?.channels ?? [:]
        let earliest = ServerTime(welcomed)?.advanced(by: .zero - period)
        self.earliest = earliest
        since = mark.flatMap { Self.start($0.last, earliest) }
    }

    private static func start(_ time: String, _ earliest: ServerTime?) -> ServerTime? {
        guard let earliest, let time = ServerTime(time) else { return nil }
        return max(time, earliest)
    }

    /// What to leave for the next connection.
    ///
    /// - Parameters:
    ///   - joined: The names of the channels that the robot is in.
    ///   - wasReady: Whether private messages were asked for.
    func mark(joined: [String], wasReady: Bool, by mapping: CaseMapping) -> HistoryMark {
        var marks = channels
        for name in joined {
            let key = mapping.fold(name)
            // Without an answer, the next connection asks again.
            if marks.count < Self.maxChannels { marks[key] = unanswered[key]?.text ?? last }
        }
        return HistoryMark(last: wasReady ? last : since?.text ?? last, channels: marks, heard: heard)
    }

    /// Records the time of something that isn't part of a batch.
    mutating func record(timeOf message: IRCMessage) {
        // Times in ISO 8601 compare as text.
        if let time = message.tags["time"], time.utf8.count == 24, time > last { last = time }
    }

    /// Records a message that was heard as it was said.
    mutating func hear(_ message: IRCMessage) { heard.insert(message) }

    // MARK: Asking

    /// Returns the request for what was said in a channel; nil if nothing was missed there.
    ///
    /// - Parameter limit: The most messages that the server sends at once; nil if there is no limit.
    mutating func request(in channel: String, limit: Int?, by mapping: CaseMapping) -> IRCMessage? {
        let key = mapping.fold(channel)
        guard let time = channels.removeValue(forKey: key), let since = Self.start(time, earliest) else { return nil }
        return request(about: channel, key, since, limit)
    }

    private mutating func request(about target: String, _ key: String, _ since: ServerTime, _ limit: Int?)
        -> IRCMessage
    {
        unanswered[key] = since
        return IRCMessage("CHATHISTORY", "AFTER", target, "timestamp=\(since.text)", Self.count(limit))
    }

    private static func count(_ limit: Int?) -> String { "\(min(limit ?? maxMessages, maxMessages))" }

    /// Returns the request for the users who said something in private; nil if nothing was missed.
    ///
    /// - Parameter limit: The most targets that the server names at once, channels included; nil if there is no limit.
    mutating func requestTargets(limit: Int?) -> IRCMessage? {
        guard let since, let now = ServerTime(last) else { return nil }
        targetsLeft = Self.maxTargets
        let end = now.advanced(by: Self.clockSkew)
        return IRCMessage(
            "CHATHISTORY", "TARGETS", "timestamp=\(since.text)", "timestamp=\(end.text)", Self.count(limit))
    }

    /// Returns the request for what a user said in private; nil if the user wasn't asked for.
    mutating func request(from nick: String, limit: Int?, by mapping: CaseMapping) -> IRCMessage? {
        guard let since, targetsLeft > 0 else { return nil }
        targetsLeft -= 1
        return request(about: nick, mapping.fold(nick), since, limit)
    }

    /// Returns the command for the bouncer to play what was missed; nil if nothing was.
    mutating func requestPlayback(at now: Duration) -> IRCMessage? {
        let starts = channels.values.compactMap { [earliest] in Self.start($0, earliest) }
        guard let first = (starts + [since].compactMap { $0 }).min() else { return nil }
        playbackEnd = now + Self.playbackTimeout
        return IRCMessage("PRIVMSG", "*playback", "PLAY * \(first.seconds)")
    }

    /// Handles that a request about a channel or nick, folded, has failed, or that the robot leaves the channel.
    mutating func forget(_ target: String) {
        channels[target] = nil
        unanswered[target] = nil
    }

    // MARK: Receiving

    /// Handles a `BATCH` message, which opens or closes a batch.
    mutating func receive(batch message: IRCMessage, _ support: ISupport, at now: Duration) {
        guard let first = message.parameters.first else { return }
        let reference = String(first.dropFirst())
        guard first.hasPrefix("+") else {
            batches[reference] = nil
            return
        }
        guard message.parameters.count > 2, message.tags["batch"] == nil, batches.count < Self.maxBatches else {
            return
        }
        let target = support.caseMapping.fold(message.parameters[2])
        let start: ServerTime?
        switch message.parameters[1].lowercased() {
        case "chathistory", "draft/chathistory": start = unanswered.removeValue(forKey: target)
        case "znc.in/playback":
            guard let playbackEnd, now < playbackEnd else { return }
            let isChannel = support.isChannel(target)
            start = isChannel ? channels.removeValue(forKey: target).flatMap { Self.start($0, earliest) } : since
        default: return
        }
        if let start { batches[reference] = Batch(left: Self.maxMessages, since: start) }
    }

    /// Whether a message of a batch was missed: it was asked for, is from the right time, and wasn't heard.
    ///
    /// This is true only once for each message.
    mutating func takeMissed(_ message: IRCMessage) -> Bool {
        guard let reference = message.tags["batch"], let batch = batches[reference], batch.left > 0 else {
            return false
        }
        batches[reference]?.left -= 1
        guard let now = ServerTime(last), let time = message.tags["time"].flatMap({ ServerTime($0) }),
            batch.since < time, time <= now.advanced(by: Self.clockSkew)
        else { return false }
        return heard.insert(message)
    }
}

/// A time by the server's clock (IRCv3 server-time).
struct ServerTime: Comparable, Hashable, Sendable {
    /// The time as servers write it: `2026-11-21T19:00:00.000Z`.
    let text: String
    private let date: Date

    /// Parses a time; nil if it is written otherwise.
    init?(_ text: String) {
        guard text.utf8.count == 24, let date = try? Date(text, strategy: Self.style) else { return nil }
        (self.text, self.date) = (text, date)
    }

    private init(_ date: Date) { (text, self.date) = (date.formatted(Self.style), date) }

    private static let style = Date.ISO8601FormatStyle(includingFractionalSeconds: true)

    static func < (one: Self, other: Self) -> Bool { one.date < other.date }

    /// The whole seconds since 1970.
    var seconds: Int { Int(date.timeIntervalSince1970.rounded(.down)) }

    /// Returns the time so much later, or earlier if it is negative.
    func advanced(by period: Duration) -> Self { Self(date.addingTimeInterval(period / .seconds(1))) }
}
