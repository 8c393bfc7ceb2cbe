public import FoundationEssentials

/// The name of what timers do, and the type of their payload.
///
/// ```swift
/// static let tea = ScheduledJob<Cup>("tea.ready")
/// ```
public struct ScheduledJob<Payload: Codable & Sendable>: Sendable {
    /// The name, unique in the robot; begin it with the script's name, as in `tea.ready`.
    public let name: String

    /// Creates a job with a name.
    public init(_ name: String) {
        self.name = name
    }
}

/// What becomes of a timer that wasn't fired on time, because no robot was running.
public enum MissedTimerPolicy: Hashable, Sendable {
    /// It fires once, late.
    case fireLate
    /// It doesn't fire for the time that was missed.
    case skip
}

/// A timer that is kept in the brain.
public struct ScheduledTimer<Payload: Codable & Sendable>: Identifiable, Sendable {
    /// The id, unique among the timers of its job; with the adapter that it needs in front, such as `irc:7`, if it needs one.
    public let id: String
    /// What was passed when it was scheduled.
    public let payload: Payload
    /// The time for which it is set.
    public let date: Date
    /// The time between two firings; nil if it has no fixed interval.
    public let interval: Duration?
    /// How often the robot has tried to fire it at this time.
    public let attempts: Int
    /// How late it fires; zero if it fires on time, or not now.
    public let lateness: Duration

    init(_ key: TimerKey, _ record: TimerRecord, lateness: Duration = .zero) throws {
        id = key.id
        payload = try BrainCoder.decode(Array(record.payload.utf8), key.storeKey)
        (date, attempts, self.lateness) = (record.date, record.attempts, lateness)
        interval = record.interval.map { Duration.seconds($0) }
    }
}

/// The place of a timer in the brain.
///
/// The timers of a job that need the same adapter are a collection of their own, so that each robot finds only timers that it
/// can fire.
struct TimerKey: Hashable, Sendable {
    let job: String
    /// The adapter that a robot needs to fire the timer; nil if it needs none.
    let adapter: String?
    /// The id without the adapter.
    let name: String

    init(job: String, adapter: String?, name: String) {
        (self.job, self.adapter, self.name) = (job, adapter, name)
    }

    /// Parses the id of a timer, such as `irc:7` or `7`.
    init(job: String, id: String) {
        let scoped = ScopedID<TimerRecord>(id)
        self.init(job: job, adapter: scoped?.adapter, name: scoped?.value ?? id)
    }

    var id: String { adapter.map { "\($0):\(name)" } ?? name }

    var collection: BrainCollection<TimerRecord> { Self.collection(job: job, adapter: adapter) }

    var storeKey: StoreKey { StoreKey(collection: collection.name, name: name) }

    static func collection(job: String, adapter: String?) -> BrainCollection<TimerRecord> {
        BrainCollection(DueTime.prefix + job + (adapter.map { ":\($0)" } ?? ""))
    }
}

/// The timers of a job, in the order of the store.
public struct ScheduledTimers<Payload: Codable & Sendable>: AsyncSequence, Sendable {
    public typealias Element = ScheduledTimer<Payload>

    let brain: Brain
    let job: String
    /// The adapters that the timers may need; nil for the timers that need none.
    let adapters: [String?]

    public func makeAsyncIterator() -> Iterator { Iterator(timers: self, adapters: adapters[...]) }

    /// The iterator over the timers, which reads a page at a time.
    public struct Iterator: AsyncIteratorProtocol {
        fileprivate let timers: ScheduledTimers
        fileprivate var adapters: ArraySlice<String?>
        /// The entries of the first adapter; nil if the iteration of those hasn't begun.
        private var entries: Brain.Entries<TimerRecord>.Iterator?

        fileprivate init(timers: ScheduledTimers, adapters: ArraySlice<String?>) {
            (self.timers, self.adapters) = (timers, adapters)
        }

        public mutating func next() async throws -> Element? {
            while let adapter = adapters.first {
                let collection = TimerKey.collection(job: timers.job, adapter: adapter)
                let all = timers.brain.entries(collection)
                var current = entries ?? all.makeAsyncIterator()
                let found = try await current.next()
                entries = current
                if let (name, record) = found {
                    return try ScheduledTimer(TimerKey(job: timers.job, adapter: adapter, name: name), record)
                }
                adapters.removeFirst()
                entries = nil
            }
            return nil
        }
    }
}
