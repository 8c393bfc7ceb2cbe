import Heybot
import Synchronization

extension GitHub {
    /// The rooms that got recent deliveries, so that a redelivery isn't posted twice.
    ///
    /// All webhooks deliver an event with the same id, so duplicates are counted per room.
    final class RecentDeliveries: Sendable {
        private struct RingBuffer {
            var rooms: [String: Set<Room.ID>] = [:]
            var ids: [String] = []
            /// The index of the oldest id, which is replaced next.
            var oldest = 0
        }

        private let buffer = Mutex(RingBuffer())
        private let capacity: Int

        /// Creates a buffer for a number of ids.
        init(capacity: Int) {
            self.capacity = capacity
        }

        /// Returns whether a room still needs the delivery, and records that it got it.
        func claim(_ id: String, for room: Room.ID) -> Bool {
            buffer.withLock { buffer in
                if buffer.rooms[id] == nil {
                    if buffer.ids.count < capacity {
                        buffer.ids.append(id)
                    } else {
                        buffer.rooms[buffer.ids[buffer.oldest]] = nil
                        buffer.ids[buffer.oldest] = id
                        buffer.oldest = (buffer.oldest + 1) % capacity
                    }
                }
                return buffer.rooms[id, default: []].insert(room).inserted
            }
        }

        /// Undoes ``claim(_:for:)`` after a failure, so that a redelivery is posted.
        func release(_ id: String, for room: Room.ID) {
            // The id stays in the ring buffer.
            buffer.withLock { _ = $0.rooms[id]?.remove(room) }
        }
    }
}
