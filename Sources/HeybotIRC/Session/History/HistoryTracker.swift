/// Asks for the messages that were missed between two connections, and recognizes them.
///
/// It uses IRCv3 chathistory, or ZNC's module `playback`. Only batches that were asked for count, and in them only
/// messages from the time between the connections.
struct HistoryTracker: Sendable {
    private struct Batch {
        /// How many more messages it may have.
        var left = HistoryTracker.maxMessages
        /// The channel or nick, folded, whose messages it has.
        let target: String
        /// The time from which messages were missed.
        let since: ServerTime
        /// The questions to a robot that was killed, without an answer so far.
        var questions: [Question] = []
    }

    /// Something said to the robot, held back until its batch has shown whether it was answered.
    private struct Question {
        let event: IncomingEvent
        /// Its key among the messages that were heard.
        let key: Int
    }

    /// What is known about a message of a batch.
    enum Replayed {
        /// It is to be ignored: it was heard, or wasn't asked for.
        case ignored
        /// It was missed.
        case missed
        /// It wasn't heard by this process, but perhaps by one that was killed, which may have answered it.
        case mayBeAnswered
    }

    /// The time from which private messages were missed; nil if there was no earlier connection.
    private let since: ServerTime?
    /// The times from which messages may count as missed: a mark may be old, or be from a clock that was ahead.
    private let period: ClosedRange<ServerTime>?
    /// The times from which messages were missed in the channels that weren't asked about yet, by folded names.
    private var channels: [String: String]
    /// The time of the last message that wasn't part of a batch.
    private var last: String
    private var heard: HeardMessages
    /// Whether a robot that was killed may have answered some of the missed messages.
    let mayBeAnswered: Bool
    /// Whether the robot is stopping, so that what it receives is for the next process.
    private var isStopped = false
    /// The requests that weren't answered yet, by folded channels and nicks.
    private var unanswered: [String: ServerTime] = [:]
    /// How many more users with private messages may be asked about.
    private var targetsLeft = 0
    /// Whether the server hasn't named all users with private messages yet.
    private var isAskingTargets = false
    /// The reference of the open batch that names these users.
    private var targetsBatch: String?
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
        mayBeAnswered = mark?.mayBeAnswered ?? false
        let times = ServerTime(welcomed).map { min($0.advanced(by: .zero - period), $0)...$0 }
        self.period = times
        since = mark.flatMap { Self.start($0.last, times) }
    }

    private static func start(_ time: String, _ period: ClosedRange<ServerTime>?) -> ServerTime? {
        guard let period, let time = ServerTime(time) else { return nil }
        return min(max(time, period.lowerBound), period.upperBound)
    }

    /// What to leave for the next connection.
    ///
    /// - Parameters:
    ///   - joined: The names of the channels that the robot is in.
    ///   - wasReady: Whether private messages were asked for.
    func mark(joined: [String], wasReady: Bool, by mapping: CaseMapping) -> HistoryMark {
        var marks = channels
        var asked = unanswered
        for batch in batches.values { asked[batch.target] = batch.since }
        let isAsking = !asked.isEmpty || isAskingTargets || !wasReady
        for name in joined {
            let key = mapping.fold(name)
            // Without a whole answer, the next connection asks again.
            let start = asked.removeValue(forKey: key)
            if marks.count < Self.maxChannels { marks[key] = start?.text ?? last }
        }
        // What is left was asked about users.
        let hasAskedUsers = wasReady && asked.isEmpty && !isAskingTargets
        return HistoryMark(
            last: hasAskedUsers ? last : since?.text ?? last, channels: marks, heard: heard,
            mayBeAnswered: mayBeAnswered && (isAsking || !channels.isEmpty), isAsking: isAsking)
    }

    /// Leaves what is received from now on to the next process.
    mutating func stop() { isStopped = true }

    /// Records the time of something that isn't part of a batch.
    mutating func record(timeOf message: IRCMessage) {
        // Times in ISO 8601 compare as text.
        if !isStopped, let time = message.tags["time"], time.utf8.count == 24, time > last { last = time }
    }

    /// Records a message that was heard as it was said.
    mutating func hear(_ message: IRCMessage) { if !isStopped { heard.insert(message) } }

    // MARK: Asking

    /// Returns the request for what was said in a channel; nil if nothing was missed there.
    ///
    /// - Parameter limit: The most messages that the server sends at once; nil if there is no limit.
    mutating func request(in channel: String, limit: Int?, by mapping: CaseMapping) -> IRCMessage? {
        let key = mapping.fold(channel)
        guard let time = channels.removeValue(forKey: key), let since = Self.start(time, period) else { return nil }
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
        isAskingTargets = true
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
        let starts = channels.values.compactMap { [period] in Self.start($0, period) }
        guard let first = (starts + [since].compactMap { $0 }).min() else { return nil }
        playbackEnd = now + Self.playbackTimeout
        return IRCMessage("PRIVMSG", "*playback", "PLAY * \(first.seconds)")
    }

    /// Handles that a request about a channel or nick, folded, has failed, or that the robot leaves the channel.
    mutating func forget(_ target: String) {
        channels[target] = nil
        unanswered[target] = nil
    }

    /// Handles that the server doesn't name the users who said something in private.
    mutating func forgetTargets() { isAskingTargets = false }

    // MARK: Receiving

    /// Handles a `BATCH` message, which opens or closes a batch.
    ///
    /// - Returns: The questions that the batch shows no answer to, when it is closed.
    mutating func receive(batch message: IRCMessage, _ support: ISupport, at now: Duration) -> [IncomingEvent] {
        guard !isStopped, let first = message.parameters.first else { return [] }
        let reference = String(first.dropFirst())
        guard first.hasPrefix("+") else {
            if reference == targetsBatch { (isAskingTargets, targetsBatch) = (false, nil) }
            let questions = batches.removeValue(forKey: reference)?.questions ?? []
            return questions.filter { heard.insert(key: $0.key) }.map(\.event)
        }
        let type = message.parameters.dropFirst().first?.lowercased() ?? ""
        if isAskingTargets, type == "draft/chathistory-targets" || type == "chathistory-targets" {
            targetsBatch = reference
            return []
        }
        guard message.parameters.count > 2, message.tags["batch"] == nil, batches[reference] == nil,
            batches.count < Self.maxBatches
        else { return [] }
        let target = support.caseMapping.fold(message.parameters[2])
        let start: ServerTime?
        switch type {
        case "chathistory", "draft/chathistory": start = unanswered.removeValue(forKey: target)
        case "znc.in/playback":
            guard let playbackEnd, now < playbackEnd else { return [] }
            let isChannel = support.isChannel(target)
            start = isChannel ? channels.removeValue(forKey: target).flatMap { Self.start($0, period) } : since
        default: return []
        }
        if let start { batches[reference] = Batch(target: target, since: start) }
        return []
    }

    /// Whether a message of a batch was missed: it was asked for, is from the right time, and wasn't heard.
    ///
    /// It is missed only once.
    mutating func take(_ message: IRCMessage) -> Replayed {
        guard !isStopped, let reference = message.tags["batch"], let batch = batches[reference], batch.left > 0 else {
            return .ignored
        }
        batches[reference]?.left -= 1
        guard let now = ServerTime(last), let time = message.tags["time"].flatMap({ ServerTime($0) }),
            batch.since < time, time <= now.advanced(by: Self.clockSkew)
        else { return .ignored }
        if mayBeAnswered { return heard.contains(key: HeardMessages.key(message)) ? .ignored : .mayBeAnswered }
        return heard.insert(message) ? .missed : .ignored
    }

    /// Holds a question back until its batch is closed.
    mutating func hold(_ event: IncomingEvent, _ message: IRCMessage) {
        guard let reference = message.tags["batch"], let questions = batches[reference]?.questions else { return }
        let key = HeardMessages.key(message)
        if questions.contains(where: { $0.key == key }) { return }
        batches[reference]?.questions.append(Question(event: event, key: key))
    }

    /// Handles one of the robot's own messages in a batch: it answers the question that it replies to, or the oldest one.
    ///
    /// - Parameter id: The id of the message that it replies to; nil if it names none.
    mutating func noteAnswer(_ message: IRCMessage, to id: String?) {
        guard mayBeAnswered, let reference = message.tags["batch"], let questions = batches[reference]?.questions else {
            return
        }
        let index = id == nil ? questions.indices.first : questions.firstIndex { $0.event.id == id }
        guard let index else { return }
        heard.insert(key: questions[index].key)
        batches[reference]?.questions.remove(at: index)
    }
}
