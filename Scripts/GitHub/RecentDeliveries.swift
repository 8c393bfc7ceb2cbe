import Heybot
import Synchronization

extension GitHub {
    /// Which rooms were told of the last deliveries, so that one that comes again is told once.
    ///
    /// All webhooks that an event sets off deliver it with one id, so that the rooms count, and not the deliveries.
    final class RecentDeliveries: Sendable {
        private struct State {
            var rooms: [String: Set<Room.ID>] = [:]
            /// In the order they came, going round once there are as many as are kept.
            var ids: [String] = []
            var oldest = 0
        }

        private let state = Mutex(State())
        private let capacity: Int

        /// Keeps so many ids.
        init(capacity: Int) {
            self.capacity = capacity
        }

        /// Whether a room is to be told; it then counts as told.
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

        /// The room couldn't be told: the next delivery may try again.
        func giveBack(_ id: String, for room: Room.ID) {
            // The id stays: it is in the round.
            state.withLock { _ = $0.rooms[id]?.remove(room) }
        }
    }
}
