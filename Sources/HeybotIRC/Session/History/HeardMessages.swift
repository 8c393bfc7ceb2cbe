/// The latest messages that were heard, so that none of them is taken for a missed one; bounded.
struct HeardMessages: Sendable {
    private var keys: Set<Int> = []
    /// A ring buffer that begins at `oldest` once it is full.
    private var ring: [Int] = []
    private var oldest = 0
    private static let maxCount = 1_000

    /// Records a message.
    ///
    /// - Returns: False if it was recorded before: it has the same id, or else the same time, source and text.
    @discardableResult
    mutating func insert(_ message: IRCMessage) -> Bool { insert(key: Self.key(message)) }

    /// Records a message by its key.
    ///
    /// - Returns: False if it was recorded before.
    @discardableResult
    mutating func insert(key: Int) -> Bool {
        guard keys.insert(key).inserted else { return false }
        if ring.count < Self.maxCount {
            ring.append(key)
        } else {
            keys.remove(ring[oldest])
            ring[oldest] = key
            oldest = (oldest + 1) % Self.maxCount
        }
        return true
    }

    /// Whether the message with a key was recorded.
    func contains(key: Int) -> Bool { keys.contains(key) }

    /// A message's key, which only this process knows.
    static func key(_ message: IRCMessage) -> Int {
        var hasher = Hasher()
        if let id = message.tags["msgid"], !id.isEmpty {
            hasher.combine(id)
        } else {
            hasher.combine(message.tags["time"])
            hasher.combine(message.source)
            hasher.combine(message.parameters)
        }
        return hasher.finalize()
    }
}
