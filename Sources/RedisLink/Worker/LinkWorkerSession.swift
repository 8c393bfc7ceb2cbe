import DequeModule
import FoundationEssentials
import GatewayLink
import Heybot

/// A worker's side of the link through Redis, as a value: its partitions, their messages, and the calls that these have caused.
///
/// It does no I/O, and knows no clock.
struct LinkWorkerSession: Sendable {
    /// What it wants done.
    enum Action: Sendable {
        /// Read what a partition has, and call ``tookOver(_:token:_:)``.
        case takeOver(partition: Int, token: Int)
        /// Give partitions up, and call ``released(_:)`` when that is done.
        case release([Int: Int])
        /// Another worker has a partition: end the calls of its messages.
        case abandon(partition: Int)
        /// Put messages into the robot's inbox, and call ``ended(_:)`` when everything that one has caused has ended.
        case hear([Message])
        /// Remove messages that are done.
        case finish([FinishedMessage])
        /// Tell the users of these questions that they can't be answered any more.
        case apologize([Claim])
        /// A message can't be read.
        case unreadable(entry: String, partition: Int)
        /// Tell a message's sender that the robot can't handle it, because it crashes a script, or workers are lost with it.
        case giveUp(Message, script: String?)
        /// Record that a question is open, or is over.
        case note(Claim, id: String, isOpen: Bool, partition: Int, token: Int)
        /// Fire the timers that scripts have registered, or leave that to another worker.
        case holdTimers(Bool)
        /// Another worker came or went: read again what the robot has read from the brain.
        case reload
        /// There is room for messages again: end the present reading, and begin another.
        case readNow
    }

    /// A message that is done.
    struct FinishedMessage: Hashable, Sendable {
        let partition: Int
        let token: Int
        let entry: String
    }

    /// By what an outcome is found.
    enum CallKey: Hashable, Sendable {
        case message(entry: String, partition: Int, place: String)
        case number(Int)
    }

    /// How a call is made.
    enum Route: Hashable, Sendable {
        /// Once for a message.
        case message(entry: String, partition: Int, token: Int, place: String)
        /// Without a place; perhaps a message has caused it.
        case request(entry: String, partition: Int?)
        /// Not at all: another worker has its message.
        case lost
    }

    /// A partition that the worker has.
    struct Partition {
        enum Phase {
            /// What an earlier worker has left is being read.
            case takingOver
            /// Its messages come, after the one with this id.
            case reading(after: String)
        }

        let token: Int
        var phase = Phase.takingOver
        /// The ids of messages that are done, until Redis knows that.
        var finishing: Set<String> = []
        /// The ids of the messages that are handled.
        var open: Set<String> = []
        /// What an earlier worker has left, as long as there is no room for it.
        var legacy: Deque<LinkDatabase.Entry> = []
        var questions = 0
        /// Since when another worker shall have it, as soon as nothing is under way in it; nil if none shall.
        var leavesSince: Duration?
        /// Whether no further messages are read, because something was always under way in it.
        var isPaused = false

        /// Whether nothing is lost if another worker gets it now.
        var isIdle: Bool { if case .reading = phase { open.isEmpty && questions == 0 } else { false } }
    }

    /// A message that the robot handles.
    struct OpenMessage {
        let entry: LinkDatabase.Entry
        let partition: Int
        let token: Int
        /// Whether another worker has the partition.
        var isLost = false
        /// The number of calls in each place.
        var calls: [String: Int] = [:]
        /// The numbers of the calls of which it isn't known whether they are in Redis.
        var unsettled: Set<Int> = []
        /// Whether what it should have caused isn't in Redis, so that it has to be handled again.
        var isCutShort = false
        /// Whether everything else has ended: it only waits until its calls are settled.
        var hasEnded = false
        /// Whether the worker has the message again, with this token: it has to wait until this attempt has ended.
        var nextToken: Int?
    }

    let limits: LinkLimits
    var owned: [Int: Partition] = [:]
    /// The tokens of partitions that are being given up.
    private var releasing: [Int: Int] = [:]
    var open: [Message.ID: OpenMessage] = [:]
    /// The ids of the open messages, by partition and entry.
    private var attempts: [String: Message.ID] = [:]
    /// The messages that were removed since the reading began whose reply is on its way, by partition and entry.
    private var finishedSinceReading: Set<String> = []
    /// Whether a gateway has an adapter that the robot lacks, so that it must not handle messages.
    var lacksAdapter = false
    /// The open questions, by sender and room.
    var questions: [(claim: Claim, id: String, partition: Int, token: Int)] = []
    var lastCall = 0
    var lastQuestion = 0
    private var workers = 0
    /// The number of messages that aren't done, by partition.
    private(set) var waiting: [Int: Int] = [:]
    private var firesTimers = false
    private(set) var isStopping = false
    /// Whether what hasn't ended is left to other workers.
    var isOver = false
    /// Whether the last reading had no room for messages.
    private var isFull = false
    /// When the leases were renewed last.
    private var renewedAt: Duration?

    init(_ limits: LinkLimits) { self.limits = limits }

    // MARK: Partitions

    /// Whether the worker has its partitions for certain: others take over from a process that has stood still.
    func isHolding(at now: Duration) -> Bool { renewedAt.map { now - $0 < limits.leaseTime } ?? false }

    /// A reading begins.
    ///
    /// - Returns: The streams to read, as ``streams(at:)``.
    mutating func beginReading(at now: Duration) -> [(name: String, after: String)] {
        finishedSinceReading = []
        isFull = open.count >= limits.window
        return streams(at: now)
    }

    /// The streams of partitions, if there is room for messages, with the ids after which they are read.
    func streams(at now: Duration) -> [(name: String, after: String)] {
        guard !isStopping, isHolding(at: now), open.count < limits.window else { return [] }
        return owned.compactMap { number, partition in
            guard case .reading(let after) = partition.phase, !partition.isPaused, partition.legacy.isEmpty
            else { return nil }
            return ("in:\(number)", after)
        }
    }

    /// The number of partitions, and of messages that are handled.
    var counts: (partitions: Int, messages: Int) { (owned.count, open.count) }

    /// The worker's leases were renewed.
    ///
    /// - Parameter now: When that was begun.
    mutating func renewed(_ renewal: LinkDatabase.Renewal, at now: Duration) -> [Action] {
        renewedAt = now
        var actions: [Action] = []
        for (number, partition) in owned where renewal.owned[number] != partition.token { actions.append(lose(number)) }
        for (number, token) in renewal.owned.sorted(by: { $0.key < $1.key })
        where owned[number] == nil && releasing[number] != token && !isStopping {
            owned[number] = Partition(token: token)
            actions.append(.takeOver(partition: number, token: token))
        }
        let unwanted = renewal.owned.filter { owned[$0.key] == nil && releasing[$0.key] != $0.value }
        if isStopping, !unwanted.isEmpty { actions.append(release(unwanted)) }
        if workers != renewal.workers, workers != 0 { actions.append(.reload) }
        (workers, waiting) = (renewal.workers, renewal.waiting)
        let fires = owned[0] != nil && !isStopping
        if fires != firesTimers { actions.append(.holdTimers(!fires)) }
        firesTimers = fires
        return actions + balance(at: now)
    }

    /// The leases couldn't be renewed.
    mutating func notRenewed(at now: Duration) -> [Action] {
        guard firesTimers, !isHolding(at: now) else { return [] }
        firesTimers = false
        return [.holdTimers(true)]
    }

    private mutating func lose(_ number: Int) -> Action {
        owned[number] = nil
        for (id, message) in open where message.partition == number { open[id]?.isLost = true }
        questions.removeAll { $0.partition == number }
        return .abandon(partition: number)
    }

    /// Gives up what is more than the worker's share, each partition as soon as nothing is under way in it.
    private mutating func balance(at now: Duration) -> [Action] {
        if isStopping { return leave() }
        guard workers > 0 || lacksAdapter else { return [] }
        let share = lacksAdapter ? 0 : (Partitions.count + workers - 1) / workers
        // Those that were chosen before, and those with the least to do, go first.
        let order = owned.sorted { left, right in
            func rank(_ partition: Partition) -> (Int, Int, Int) {
                (partition.leavesSince == nil ? 1 : 0, partition.questions, partition.open.count)
            }
            let (one, other) = (rank(left.value), rank(right.value))
            return one == other ? left.key > right.key : one < other
        }
        let surplus = Set(order.prefix(max(owned.count - share, 0)).map(\.key))
        for number in owned.keys {
            guard surplus.contains(number), let partition = owned[number] else {
                owned[number]?.leavesSince = nil
                owned[number]?.isPaused = false
                continue
            }
            let since = partition.leavesSince ?? now
            owned[number]?.leavesSince = since
            // The answer to a question must be read.
            owned[number]?.isPaused = partition.questions == 0 && now - since >= limits.leaveTime
        }
        return leave()
    }

    /// Releases the partitions that another worker shall have, and in which nothing is under way.
    mutating func leave() -> [Action] {
        let released = owned.filter { $0.value.leavesSince != nil && $0.value.isIdle }.mapValues(\.token)
        for number in released.keys { owned[number] = nil }
        return released.isEmpty ? [] : [release(released)]
    }

    private mutating func release(_ partitions: [Int: Int]) -> Action {
        releasing.merge(partitions) { $1 }
        return .release(partitions)
    }

    /// Redis refuses what is wanted for a partition, so another worker has it, or Redis has lost its data.
    ///
    /// In the second case, the next renewal gives it back.
    mutating func refused(_ number: Int, token: Int) -> [Action] {
        owned[number]?.token == token ? [lose(number)] : []
    }

    /// Partitions were given up.
    mutating func released(_ partitions: [Int: Int]) {
        for (number, token) in partitions where releasing[number] == token { releasing[number] = nil }
    }

    /// The robot stops: no messages come any more, and partitions go to other workers as soon as nothing is under way in them.
    mutating func stop() -> [Action] {
        isStopping = true
        for number in owned.keys { owned[number]?.leavesSince = .zero }
        return leave()
    }

    /// What still runs is canceled: it counts as not handled.
    mutating func end() { isOver = true }

    // MARK: Messages

    /// New messages of a partition have come.
    ///
    /// - Parameters:
    ///   - unreadable: The ids of those that can't be read.
    ///   - last: The id of the last of all.
    mutating func received(
        _ entries: [LinkDatabase.Entry], unreadable: [String] = [], last: String, in number: Int, at now: Duration
    ) -> [Action] {
        guard let partition = owned[number], case .reading(let after) = partition.phase, isHolding(at: now),
            !isStopping
        else { return [] }
        var (heard, end): ([Message], String) = ([], last)
        for (index, entry) in entries.enumerated() where !isKnown(entry.id, number) {
            guard open.count < limits.window else {
                // The others are read when there is room.
                end = index > 0 ? entries[index - 1].id : after
                break
            }
            if let message = add(entry, number, partition.token) { heard.append(message) }
        }
        if StreamID(after) < StreamID(end) { owned[number]?.phase = .reading(after: end) }
        let actions = skip(unreadable.filter { !isKnown($0, number) }, number, partition.token)
        return actions + (heard.isEmpty ? [] : [.hear(heard)])
    }

    /// Whether a message is handled, or is done.
    func isKnown(_ entry: String, _ number: Int) -> Bool {
        owned[number]?.open.contains(entry) == true || owned[number]?.finishing.contains(entry) == true
            || finishedSinceReading.contains("\(number) \(entry)")
    }

    /// The connection was lost: another server may give new messages smaller ids, so everything is read again.
    mutating func readAgain() {
        for (number, partition) in owned {
            if case .reading = partition.phase { owned[number]?.phase = .reading(after: "0-0") }
        }
    }

    mutating func skip(_ unreadable: [String], _ number: Int, _ token: Int) -> [Action] {
        unreadable.flatMap { [.unreadable(entry: $0, partition: number), finish($0, number, token)] }
    }

    mutating func finish(_ entry: String, _ number: Int, _ token: Int) -> Action {
        owned[number]?.finishing.insert(entry)
        return .finish([FinishedMessage(partition: number, token: token, entry: entry)])
    }

    /// Redis knows that messages are done.
    mutating func finished(_ messages: [FinishedMessage]) {
        for message in messages where owned[message.partition]?.token == message.token {
            owned[message.partition]?.finishing.remove(message.entry)
            finishedSinceReading.insert("\(message.partition) \(message.entry)")
        }
    }

    /// - Returns: The message, if the robot can handle it now.
    mutating func add(_ entry: LinkDatabase.Entry, _ number: Int, _ token: Int) -> Message? {
        owned[number]?.open.insert(entry.id)
        let key = "\(number) \(entry.id)"
        if let running = attempts[key] {
            open[running]?.nextToken = token
            return nil
        }
        var message = entry.message
        // One event, such as a new nick, is a message in each room, perhaps with the same id.
        if open[message.id] != nil { message = message.withID(Self.uniqueID(of: entry, number)) }
        attempts[key] = message.id
        open[message.id] = OpenMessage(entry: entry, partition: number, token: token)
        return message
    }

    /// The id of a message while another one with the same id is handled.
    static func uniqueID(of entry: LinkDatabase.Entry, _ number: Int) -> Message.ID {
        let id = entry.message.id
        return Message.ID(adapter: id.adapter, value: "\(id.value) \(number) \(entry.id)")
    }

    /// Everything that messages have caused has ended, or waits for a user's answer.
    ///
    /// While Redis is away, a message isn't done before its calls are in Redis.
    mutating func ended(_ ids: [Message.ID]) -> [Action] {
        guard !isOver else { return [] }
        var over: [Message.ID] = []
        for id in ids {
            guard let message = open[id] else { continue }
            if message.isLost || message.unsettled.isEmpty { over.append(id) } else { open[id]?.hasEnded = true }
        }
        return conclude(over)
    }

    private mutating func conclude(_ ids: [Message.ID]) -> [Action] {
        var finished: [FinishedMessage] = []
        var heard: [Message] = []
        for id in ids {
            guard let message = open.removeValue(forKey: id) else { continue }
            let (number, entry) = (message.partition, message.entry)
            attempts["\(number) \(entry.id)"] = nil
            if message.isLost {
                if let token = message.nextToken, owned[number]?.token == token,
                    let again = add(entry, number, token)
                {
                    heard.append(again)
                }
            } else if message.isCutShort, let again = add(entry, number, message.token) {
                heard.append(again)
            } else {
                owned[number]?.open.remove(entry.id)
                owned[number]?.finishing.insert(entry.id)
                finished.append(FinishedMessage(partition: number, token: message.token, entry: entry.id))
            }
        }
        heard += admitLegacy()
        var actions: [Action] = finished.isEmpty ? [] : [.finish(finished)]
        if !heard.isEmpty { actions.append(.hear(heard)) }
        if isFull, open.count <= limits.window / 2 {
            isFull = false
            actions.append(.readNow)
        }
        return actions + leave()
    }

    /// A call is in Redis, or will never be.
    ///
    /// - Parameter isMissing: Whether it should be: its message is handled again.
    mutating func settled(_ call: Int, of id: Message.ID, isMissing: Bool = false) -> [Action] {
        guard !isOver, open[id]?.unsettled.remove(call) != nil else { return [] }
        if isMissing { open[id]?.isCutShort = true }
        guard let message = open[id], message.hasEnded, message.unsettled.isEmpty else { return [] }
        return conclude([id])
    }

    /// The closure that waits for a call is canceled; if the call isn't in Redis yet, what would have followed it is missing.
    mutating func canceled(_ call: Int, of id: Message.ID) {
        if open[id]?.unsettled.contains(call) == true { open[id]?.isCutShort = true }
    }
}
