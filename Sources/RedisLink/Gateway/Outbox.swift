import DequeModule

/// The messages that adapters have heard and that aren't in Redis yet, as a value.
///
/// Those of a partition are added one batch after another, so that they keep their order.
struct Outbox<Item: Sendable>: Sendable {
    /// Messages of one adapter that are added together.
    struct Batch: Sendable {
        let partition: Int
        let adapter: String
        /// The number of the first one.
        let first: Int
        var messages: [(json: [UInt8], item: Item)]
    }

    private struct Lane: Sendable {
        /// What waits, after the batch that is being added.
        var waiting: Deque<(adapter: String, json: [UInt8], item: Item)> = []
        var isBusy = false
        /// The number of the last message of each adapter that is in Redis.
        var numbers: [String: Int] = [:]
        /// Whether Redis has no room for more of its messages.
        var isFull = false
    }

    /// What becomes of a message.
    enum Addition: Hashable {
        /// The batches of the partition have to be added from now on.
        case begins
        /// It is added with the others that wait.
        case waits
        /// The partition is full, and too many wait for it.
        case dropped
    }

    /// The limits of a batch; a single message may be longer.
    private static var batchCount: Int { 64 }
    private static var batchBytes: Int { 256 << 10 }

    private var lanes: [Lane]
    private let limit: Int
    /// The number of messages that wait.
    private(set) var count = 0

    /// Creates an outbox.
    ///
    /// - Parameter limit: The number of messages that wait for a full partition.
    init(partitions: Int, limit: Int) {
        lanes = Array(repeating: Lane(), count: partitions)
        self.limit = limit
    }

    /// The number of messages that wait for Redis, not for a full partition: that delays no other.
    var delayed: Int { count - lanes.reduce(0) { $0 + ($1.isFull ? $1.waiting.count : 0) } }

    /// Adds a message.
    mutating func add(_ json: [UInt8], _ item: Item, of adapter: String, to partition: Int) -> Addition {
        if lanes[partition].isFull, lanes[partition].waiting.count >= limit { return .dropped }
        lanes[partition].waiting.append((adapter, json, item))
        count += 1
        defer { lanes[partition].isBusy = true }
        return lanes[partition].isBusy ? .waits : .begins
    }

    /// The next batch of a partition; nil if nothing waits there, which ends the adding.
    ///
    /// It stays until ``added(_:of:)`` says that it is in Redis.
    mutating func next(in partition: Int) -> Batch? {
        guard let first = lanes[partition].waiting.first else {
            lanes[partition].isBusy = false
            return nil
        }
        let number = lanes[partition].numbers[first.adapter, default: 0] + 1
        var batch = Batch(partition: partition, adapter: first.adapter, first: number, messages: [])
        var bytes = 0
        for next in lanes[partition].waiting.prefix(Self.batchCount) {
            bytes += next.json.count
            guard next.adapter == first.adapter, batch.messages.isEmpty || bytes <= Self.batchBytes else { break }
            batch.messages.append((next.json, next.item))
        }
        return batch
    }

    /// The first messages of a batch are in Redis.
    mutating func added(_ count: Int, of batch: Batch) {
        lanes[batch.partition].isFull = count < batch.messages.count
        lanes[batch.partition].waiting.removeFirst(count)
        lanes[batch.partition].numbers[batch.adapter] = batch.first + count - 1
        self.count -= count
    }
}
