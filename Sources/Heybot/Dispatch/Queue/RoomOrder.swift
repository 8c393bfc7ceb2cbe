import Synchronization

/// Keeps a room's messages in the order they came, if they take different times to get to the router.
final class RoomOrder: Sendable {
    /// A message's place in its room's order.
    final class Place: Sendable {
        fileprivate let room: Room.ID
        fileprivate let before: Gate?
        fileprivate let gate = Gate()

        fileprivate init(_ room: Room.ID, after place: Place?) {
            self.room = room
            before = place?.gate
        }

        /// Waits until every message before it has left its place.
        func reached() async {
            await before?.wait()
        }
    }

    private let last = Mutex<[Room.ID: Place]>([:])

    func enter(_ room: Room.ID) -> Place {
        last.withLock {
            let place = Place(room, after: $0[room])
            $0[room] = place
            return place
        }
    }

    /// Lets the next go on.
    ///
    /// More than once does no harm.
    func leave(_ place: Place) {
        last.withLock { if $0[place.room] === place { $0[place.room] = nil } }
        place.gate.open()
    }
}
