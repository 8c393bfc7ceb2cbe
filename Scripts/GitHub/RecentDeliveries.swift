import Heybot
import Synchronization

extension GitHub {
    /// The rooms that got recent deliveries, so that a redelivery isn't posted twice.
    ///
    /// All webhooks deliver an event with the same id, so duplicates are counted per room.
    final class RecentDeliveries: Sendable {
        private struct State {
            var rooms: [String: Set<Room.ID>] = [:]
            /// A ring buffer of ids.
            var ids: [String] = []
            var oldest = 0
        }

        private let state = Mutex(State())
        private let capacity: Int

        /// Creates a buffer for a number of ids.
        init(capacity: Int) {
            self.capacity = capacity
        }

        /// Returns whether a room still needs the delivery, and records that it got it.
        func claim(_ id: String, for room: Room.ID) -> Bool {
            state.withLock { state in
                if state.rooms[id] == nil {
                    if state.ids.count < capacity {
                        state.ids.append(id)
                    } else {
                        state.rooms[state.ids[state.oldest]] = nil
                        state.ids[state.oldest] = id
                        state.oldest = (state.oldest + 1) % capacity
                    }
                }
                return state.rooms[id, default: []].insert(room).inserted
            }
        }

        /// Undoes ``claim(_:for:)`` after a failure, so that a redelivery is posted.
        func release(_ id: String, for room: Room.ID) {
            // The id stays in the ring buffer.
            state.withLock { _ = $0.rooms[id]?.remove(room) }
        }
    }
}
