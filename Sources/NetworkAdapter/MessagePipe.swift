import DequeModule
package import Heybot
import Synchronization

/// The way from what was heard to the inbox.
///
/// What finds no room there is kept here, bounded, so that the connection is read and pings are answered while the robot
/// can't keep up. Rooms take turns; if it is full, the newest message of whoever has most in it is dropped.
package final class MessagePipe: Sendable {
    private struct State {
        var waiting = Waiting()
        var reader: CheckedContinuation<[Message]?, Never>?
        var inbox: Inbox?
        var isClosed = false
        /// Whether something was dropped since all was handed on last.
        var isLosing = false
    }

    /// The messages that wait, in the order of each room.
    private struct Waiting {
        private var rooms: [Room.ID: Deque<Message>] = [:]
        private var turns = Deque<Room.ID>()
        private var people: [User.ID: Int] = [:]
        private(set) var count = 0

        mutating func append(_ message: Message) {
            let room = message.room.id
            if rooms[room] == nil { turns.append(room) }
            rooms[room, default: []].append(message)
            people[message.user.id, default: 0] += 1
            count += 1
        }

        /// Whether nobody has more than this person.
        func isLongest(_ user: User.ID) -> Bool {
            let mine = people[user] ?? 0
            return people.values.allSatisfy { $0 <= mine }
        }

        /// Drops the newest message of whoever has most.
        mutating func dropOne() {
            guard let user = people.max(by: { $0.value < $1.value })?.key else { return }
            for (room, messages) in rooms {
                guard let index = messages.lastIndex(where: { $0.user.id == user }) else { continue }
                rooms[room]?.remove(at: index)
                removed(user)
                if rooms[room]?.isEmpty == true {
                    rooms[room] = nil
                    turns.removeAll { $0 == room }
                }
                return
            }
        }

        mutating func take(most: Int) -> [Message] {
            var messages: [Message] = []
            while messages.count < most, let room = turns.popFirst() {
                guard let message = rooms[room]?.popFirst() else { continue }
                messages.append(message)
                removed(message.user.id)
                if rooms[room]?.isEmpty == true { rooms[room] = nil } else { turns.append(room) }
            }
            return messages
        }

        private mutating func removed(_ user: User.ID) {
            count -= 1
            let rest = (people[user] ?? 1) - 1
            people[user] = rest > 0 ? rest : nil
        }
    }

    private static let mostAtOnce = 64
    private let limit: Int
    private let onLoss: @Sendable (Int, _ isNew: Bool) -> Void
    private let state = Mutex(State())

    /// - Parameters:
    ///   - limit: How many messages it holds; at least 1.
    ///   - onLoss: Gets how many messages were dropped, and whether none were since it was empty last.
    package init(limit: Int, onLoss: @escaping @Sendable (Int, _ isNew: Bool) -> Void = { _, _ in }) {
        self.limit = max(limit, 1)
        self.onLoss = onLoss
    }

    /// Puts them in, as far as there is room.
    ///
    /// For one task at a time.
    package func put(_ batch: [Message]) {
        if batch.isEmpty { return }
        // If nothing waits here, nobody needs to be woken to hand it on.
        let inbox = state.withLock { $0.reader == nil ? nil : $0.inbox }
        if let inbox, inbox.offer(batch) { return }
        var lost = 0
        var isNew = false
        let reader: CheckedContinuation<[Message]?, Never>? = state.withLock { state in
            if state.isClosed { return nil }
            if let reader = state.reader.take() { return reader }
            for message in batch {
                if state.waiting.count >= limit {
                    lost += 1
                    if state.waiting.isLongest(message.user.id) { continue }
                    state.waiting.dropOne()
                }
                state.waiting.append(message)
            }
            isNew = lost > 0 && !state.isLosing
            if lost > 0 { state.isLosing = true }
            return nil
        }
        if lost > 0 { onLoss(lost, isNew) }
        reader?.resume(returning: batch)
    }

    /// Sees to it that all gets into the inbox, each room's in order, until it is closed.
    ///
    /// To be called once.
    package func feed(_ inbox: Inbox) async {
        state.withLock { $0.inbox = inbox }
        while let batch = await next() { await inbox.receive(batch) }
    }

    private func next() async -> [Message]? {
        await withCheckedContinuation { continuation in
            let (batch, isOver): ([Message]?, Bool) = state.withLock {
                guard !$0.isClosed else { return (nil, true) }
                let batch = $0.waiting.take(most: Self.mostAtOnce)
                if !batch.isEmpty { return (batch, true) }
                $0.isLosing = false
                $0.reader = continuation
                return (nil, false)
            }
            if isOver { continuation.resume(returning: batch) }
        }
    }

    /// Takes nothing more in and gives nothing more out.
    package func close() {
        let reader = state.withLock { state in
            defer { state = State(isClosed: true) }
            return state.reader
        }
        reader?.resume(returning: nil)
    }
}
