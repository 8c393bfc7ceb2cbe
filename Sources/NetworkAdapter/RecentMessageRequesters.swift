package import Heybot

/// The authors of the latest messages, as requesters.
///
/// A message keeps its requester even if another user takes the nick.
package struct RecentMessageRequesters<Requester: Sendable>: Sendable {
    /// Kept apart, so that public messages don't displace private ones.
    private var publicMessages: RingBuffer
    private var privateMessages: RingBuffer

    /// - Parameters:
    ///   - mostPublic: The number of public messages that are remembered.
    ///   - mostPrivate: The number of private messages; more, because the delivery of their answers depends on it.
    package init(mostPublic: Int = 1_000, mostPrivate: Int = 5_000) {
        publicMessages = RingBuffer(most: mostPublic)
        privateMessages = RingBuffer(most: mostPrivate)
    }

    /// Records a message's requester.
    package mutating func record(_ requester: Requester, for message: Message) {
        if message.room.isPrivate {
            privateMessages.record(requester, for: message.id)
        } else {
            publicMessages.record(requester, for: message.id)
        }
    }

    /// The requester of a message; nil if it is too old.
    package subscript(message: Message.ID) -> Requester? {
        privateMessages.requesters[message] ?? publicMessages.requesters[message]
    }

    private struct RingBuffer {
        /// A ring buffer that begins at `oldest` once it is full.
        private var ids: [Message.ID] = []
        private var oldest = 0
        private(set) var requesters: [Message.ID: Requester] = [:]
        private let most: Int

        init(most: Int) { self.most = most }

        mutating func record(_ requester: Requester, for id: Message.ID) {
            if requesters.updateValue(requester, forKey: id) != nil { return }
            if ids.count < most { return ids.append(id) }
            requesters[ids[oldest]] = nil
            ids[oldest] = id
            oldest = (oldest + 1) % most
        }
    }
}
