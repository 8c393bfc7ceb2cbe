package import FoundationEssentials
package import Heybot

/// Generates ids for received messages without one of their own, unique across restarts.
package struct ReceivedMessageIDGenerator: Sendable {
    package let adapter: String
    private let prefix: String
    private var count = 0

    /// - Parameter since: When the robot was started.
    package init(adapter: String, since: Date) {
        self.adapter = adapter
        prefix = String(Int(since.timeIntervalSince1970 * 1_000), radix: 36) + "-"
    }

    /// Whether an id was generated, so that the network doesn't know it.
    package func hasGenerated(_ id: Message.ID) -> Bool { id.value.hasPrefix(prefix) }

    package mutating func next() -> Message.ID {
        count += 1
        return Message.ID(adapter: adapter, value: prefix + String(count))
    }
}
