import Heybot

/// The numbers and times that limit what waits in Redis.
package struct LinkLimits: Hashable, Sendable {
    /// How long a worker or a gateway may be silent before another one takes over.
    package var leaseTime: Duration = .seconds(5)
    /// How often it says that it is there.
    package var renewInterval: Duration = .seconds(1)
    /// How much may wait in a partition.
    package var messages = StreamLimit(entries: 2_000, bytes: 16 << 20)
    /// How much may wait for an adapter; a call has a file of up to 36 MB.
    package var calls = StreamLimit(entries: 10_000, bytes: 256 << 20)
    /// How long a call may wait for an adapter before it isn't carried out any more.
    package var callTime: Duration = .seconds(600)
    /// The number of messages that a worker handles at a time: what waits in Redis isn't dropped, as in a robot.
    package var window = 200
    /// How often a message is taken over from workers that were lost with it.
    package var attempts = 10
    /// How long a worker waits for a moment in which nothing is under way in a partition that another one shall have.
    package var leaveTime: Duration = .seconds(10)
    /// The number of messages that wait in a gateway, because Redis is away, before its adapters do.
    package var waiting = 1_000
    /// The number of messages that wait in a gateway for a full partition; if there are more, the newest message of the sender with
    /// most of them is dropped.
    package var waitingForPartition = 200
    /// The number of messages of a partition that are taken over from another worker; no fewer than ``window``, so that all that it
    /// has begun are among them.
    package var legacy = 200
    /// The number of calls that a gateway carries out at a time.
    package var underway = 1_000

    /// Creates the default limits.
    package init() {}
}

/// How much a stream may have before nothing is added to it.
package struct StreamLimit: Hashable, Sendable {
    /// The number of entries.
    package var entries: Int
    /// The length of all entries.
    package var bytes: Int

    /// Creates a limit.
    package init(entries: Int, bytes: Int) { (self.entries, self.bytes) = (entries, bytes) }

    /// As the scripts get it.
    var words: [String] { ["\(entries)", "\(bytes)"] }
}

/// The partitions of rooms: the messages of a room all go to the same.
enum Partitions {
    /// Their number.
    static let count = 32

    /// The partition of a room, by the FNV-1a hash of its id.
    static func number(of room: Room) -> Int {
        var hash: UInt64 = 0xcbf2_9ce4_8422_2325
        for byte in room.id.description.utf8 { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01b3 }
        return Int(hash % UInt64(count))
    }
}
