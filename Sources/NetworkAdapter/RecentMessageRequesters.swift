public import Heybot

/// The authors of the latest messages, as requesters.
///
/// A message keeps its requester even if another user takes the nick.
///
/// It is public because the compiler specializes only public code of another module.
public struct RecentMessageRequesters<Requester: Sendable>: Sendable {
    /// Kept apart, so that public messages don't displace private ones.
    @usableFromInline var publicMessages: RingBuffer
    @usableFromInline var privateMessages: RingBuffer

    /// - Parameters:
    ///   - mostPublic: The number of public messages that are remembered.
    ///   - mostPrivate: The number of private messages; more, because the delivery of their answers depends on it.
    package init(mostPublic: Int = 1_000, mostPrivate: Int = 5_000) {
        publicMessages = RingBuffer(most: mostPublic)
        privateMessages = RingBuffer(most: mostPrivate)
    }

    /// Records a message's requester.
    @inlinable
    public mutating func record(_ requester: consuming Requester, for message: Message) {
        if message.room.isPrivate {
            privateMessages.record(requester, for: message.id)
        } else {
            publicMessages.record(requester, for: message.id)
        }
    }

    /// The requester of a message; nil if it is too old.
    @inlinable
    public subscript(message: Message.ID) -> Requester? {
        privateMessages.requester(of: message) ?? publicMessages.requester(of: message)
    }

    /// The latest message in a room whose requester meets a condition; nil if there is none.
    package func latestPublicMessage(where isIt: (Requester) -> Bool) -> Message.ID? {
        publicMessages.latest(where: isIt)
    }

    /// The latest messages, found by a hash of their ids.
    @usableFromInline
    struct RingBuffer: Sendable {
        // Both in order, from the place of the oldest on once there are as many as are kept.
        @usableFromInline var messages: [Message.ID] = []
        @usableFromInline var requesters: [Requester] = []
        /// For each message, the number of the one before it with the same hash; 0 for none.
        @usableFromInline var previous: [Int] = []
        /// The number of the latest message with each hash; 0 for none.
        @usableFromInline var latest: [Int]
        /// The number of all messages until now, which is the number of the latest one.
        @usableFromInline var count = 0
        @usableFromInline let most: Int

        init(most: Int) {
            self.most = most
            latest = Array(repeating: 0, count: 1_024)
        }

        @inlinable
        func place(of number: Int) -> Int { (number - 1) % most }

        @inlinable
        mutating func record(_ requester: consuming Requester, for message: Message.ID) {
            let hash = Self.hash(of: message)
            count += 1
            if messages.count < most {
                messages.append(message)
                requesters.append(requester)
                previous.append(latest[hash])
            } else {
                let place = place(of: count)
                messages[place] = message
                requesters[place] = requester
                previous[place] = latest[hash]
            }
            latest[hash] = count
        }

        func latest(where isIt: (Requester) -> Bool) -> Message.ID? {
            let oldest = count - messages.count + 1
            return (oldest..<count + 1).last { isIt(requesters[place(of: $0)]) }.map { messages[place(of: $0)] }
        }

        @inlinable
        func requester(of message: Message.ID) -> Requester? {
            var number = latest[Self.hash(of: message)]
            // A message that isn't kept any more ends the chain, since the others in it are older.
            while number > count - messages.count {
                let place = place(of: number)
                if messages[place] == message { return requesters[place] }
                number = previous[place]
            }
            return nil
        }

        /// A hash of the last eight bytes of an id, which differ most, from 0 to 1,023.
        @usableFromInline
        static func hash(of message: Message.ID) -> Int {
            var value = message.value
            let ending = value.withUTF8 { bytes in bytes.suffix(8).reduce(0 as UInt64) { $0 << 8 | UInt64($1) } }
            return Int((ending &* 0x9e37_79b9_7f4a_7c15) >> 54)
        }
    }
}
