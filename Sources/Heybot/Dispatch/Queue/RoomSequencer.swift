import Synchronization

/// Keeps the messages of a room in order while receive middleware takes different times for them.
final class RoomSequencer: Sendable {
    /// A message's place in the order of its room.
    final class Ticket: Sendable {
        fileprivate let room: Room.ID
        fileprivate let before: AsyncLatch?
        fileprivate let latch = AsyncLatch()

        fileprivate init(_ room: Room.ID, after ticket: Ticket?) {
            self.room = room
            before = ticket?.latch
        }

        /// Waits until the message before it has released its ticket.
        func waitForTurn() async {
            await before?.wait()
        }
    }

    private let last = Mutex<[Room.ID: Ticket]>([:])

    /// The ticket for the next message of a room.
    func issueTicket(for room: Room.ID) -> Ticket {
        last.withLock {
            let ticket = Ticket(room, after: $0[room])
            $0[room] = ticket
            return ticket
        }
    }

    /// Lets the next message proceed.
    ///
    /// Releasing a ticket twice is harmless.
    func release(_ ticket: Ticket) {
        last.withLock { if $0[ticket.room] === ticket { $0[ticket.room] = nil } }
        ticket.latch.open()
    }
}
