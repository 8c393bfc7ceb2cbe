package import FoundationEssentials
package import Heybot

/// The people to whom the latest messages are accounted.
///
/// A message keeps its asker while others come and go under the same nick.
package struct Askers<Asker: Sendable>: Sendable {
    /// What is said in public doesn't push out what somebody asked in private.
    private var publicMessages: Latest
    private var privateMessages: Latest

    /// - Parameters:
    ///   - mostPublic: How many public messages are known.
    ///   - mostPrivate: How many private ones are: their answers depend on it.
    package init(mostPublic: Int = 1_000, mostPrivate: Int = 5_000) {
        publicMessages = Latest(most: mostPublic)
        privateMessages = Latest(most: mostPrivate)
    }

    /// Takes note of who said a message.
    package mutating func take(_ asker: Asker, for message: Message) {
        if message.room.isPrivate {
            privateMessages.take(asker, for: message.id)
        } else {
            publicMessages.take(asker, for: message.id)
        }
    }

    /// Who said a message; nil if too many came after it.
    package subscript(message: Message.ID) -> Asker? {
        privateMessages.askers[message] ?? publicMessages.askers[message]
    }

    private struct Latest {
        /// In order, beginning at `oldest` once there are as many as are known.
        private var ids: [Message.ID] = []
        private var oldest = 0
        private(set) var askers: [Message.ID: Asker] = [:]
        private let most: Int

        init(most: Int) { self.most = most }

        mutating func take(_ asker: Asker, for id: Message.ID) {
            if askers.updateValue(asker, forKey: id) != nil { return }
            if ids.count < most { return ids.append(id) }
            askers[ids[oldest]] = nil
            ids[oldest] = id
            oldest = (oldest + 1) % most
        }
    }
}

/// What an adapter calls the messages that have no name of their own: no other message, and none of an earlier run, has the same.
package struct MessageIDs: Sendable {
    package let adapter: String
    private let prefix: String
    private var count = 0

    /// - Parameter since: When the robot was started.
    package init(adapter: String, since: Date) {
        self.adapter = adapter
        prefix = String(Int(since.timeIntervalSince1970 * 1_000), radix: 36)
    }

    package mutating func next() -> Message.ID {
        count += 1
        return Message.ID(adapter: adapter, value: "\(prefix)-\(count)")
    }
}
