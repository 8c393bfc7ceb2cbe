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
        privateMessages.requester(of: message) ?? publicMessages.requester(of: message)
    }

    /// The latest message in a room whose requester meets a condition; nil if there is none.
    package func latestPublicMessage(where isIt: (Requester) -> Bool) -> Message.ID? {
        publicMessages.latest(where: isIt)
    }

    /// The latest messages.
    ///
    /// Each message is recorded and few are looked up, so there is no index: a lookup compares numbers made from the ids.
    private struct RingBuffer {
        // In order, from `oldest` on once there are as many as are kept.
        private var messages: [Message.ID] = []
        private var requesters: [Requester] = []
        /// The last bytes of the ids.
        private var endings: [UInt64] = []
        private var oldest = 0
        private let most: Int

        init(most: Int) { self.most = most }

        mutating func record(_ requester: Requester, for message: Message.ID) {
            let ending = Self.ending(of: message)
            if messages.count < most {
                messages.append(message)
                requesters.append(requester)
                endings.append(ending)
                return
            }
            messages[oldest] = message
            requesters[oldest] = requester
            endings[oldest] = ending
            oldest = oldest + 1 < most ? oldest + 1 : 0
        }

        func latest(where isIt: (Requester) -> Bool) -> Message.ID? {
            for range in [0..<oldest, oldest..<messages.count] {
                for index in range.reversed() where isIt(requesters[index]) { return messages[index] }
            }
            return nil
        }

        func requester(of message: Message.ID) -> Requester? {
            let ending = Self.ending(of: message)
            // The latest of them.
            for range in [0..<oldest, oldest..<messages.count] {
                for index in range.reversed() where endings[index] == ending && messages[index] == message {
                    return requesters[index]
                }
            }
            return nil
        }

        /// The last eight bytes of an id.
        private static func ending(of message: Message.ID) -> UInt64 {
            message.value.utf8.suffix(8).reduce(0) { $0 << 8 | UInt64($1) }
        }
    }
}
