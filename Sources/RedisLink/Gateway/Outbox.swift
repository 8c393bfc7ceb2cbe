import DequeModule
import Heybot

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

    private struct WaitingMessage: Sendable {
        let adapter: String
        let sender: User.ID
        let json: [UInt8]
        let item: Item
    }

    private struct Lane: Sendable {
        /// What waits, beginning with the batch that is being added.
        private(set) var waiting: Deque<WaitingMessage> = []
        /// The number of messages that wait of each sender.
        private var counts: [User.ID: Int] = [:]
        /// The number of messages at the front that may be in Redis already, because they are being added.
        var adding = 0
        var isBusy = false
        /// The number of the last message of each adapter that is in Redis.
        var numbers: [String: Int] = [:]
        /// Whether Redis has no room for more of its messages.
        var isFull = false

        mutating func append(_ message: WaitingMessage) {
            waiting.append(message)
            counts[message.sender, default: 0] += 1
        }

        /// Removes the first messages, which are in Redis.
        mutating func removeFirst(_ count: Int) {
            for message in waiting.prefix(count) { uncount(message.sender) }
            waiting.removeFirst(count)
            adding = 0
        }

        /// Removes and returns the newest message of the sender with most that can be removed; nil if nobody has at least two more
        /// than the one who adds another.
        mutating func removeExcess(for sender: User.ID) -> Item? {
            var most: (index: Int, count: Int)?
            for index in (adding..<waiting.count).reversed() {
                let count = counts[waiting[index].sender, default: 0]
                if count > most?.count ?? counts[sender, default: 0] + 1 { most = (index, count) }
            }
            guard let most else { return nil }
            uncount(waiting[most.index].sender)
            return waiting.remove(at: most.index).item
        }

        private mutating func uncount(_ sender: User.ID) {
            let others = counts[sender, default: 1] - 1
            counts[sender] = others == 0 ? nil : others
        }
    }

    /// What becomes of a message.
    enum Addition {
        /// The batches of the partition have to be added from now on.
        case begins
        /// It is added with the others that wait.
        case waits
        /// The partition is full, and too many wait for it, so this message is dropped: the added one, or another sender's.
        case dropped(Item)
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

    /// Adds a message; if too many wait, the newest of the sender with most messages is dropped.
    mutating func add(
        _ json: [UInt8], _ item: Item, of adapter: String, from sender: User.ID, to partition: Int
    ) -> Addition {
        var dropped: Item?
        if lanes[partition].isFull, lanes[partition].waiting.count >= limit {
            dropped = lanes[partition].removeExcess(for: sender)
            if dropped == nil { return .dropped(item) }
            count -= 1
        }
        lanes[partition].append(WaitingMessage(adapter: adapter, sender: sender, json: json, item: item))
        count += 1
        // A full partition is busy already.
        if let dropped { return .dropped(dropped) }
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
        lanes[partition].adding = batch.messages.count
        return batch
    }

    /// The first messages of a batch are in Redis.
    mutating func added(_ count: Int, of batch: Batch) {
        lanes[batch.partition].isFull = count < batch.messages.count
        lanes[batch.partition].removeFirst(count)
        lanes[batch.partition].numbers[batch.adapter] = batch.first + count - 1
        self.count -= count
    }
}
