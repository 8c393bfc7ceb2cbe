import Synchronization

/// The latest messages that a listener has handled, so that a correction of one isn't handled again.
///
/// A message that only catch-alls have answered isn't among them, unless one has stopped the listeners after it.
final class HandledMessages: Sendable {
    private struct State {
        /// The number of each message, counted from 0 in the order in which they were added.
        var numbers: [Message.ID: Int] = [:]
        /// The ids in the order of their numbers; a ring buffer once it is full.
        var latest: [Message.ID] = []
        /// The number of the next message.
        var next = 0
    }

    /// The maximum number of ids.
    private let limit: Int
    private let state = Mutex(State())

    init(limit: Int = 2_000) { self.limit = max(limit, 1) }

    /// Adds a message, in place of the oldest if there are too many.
    func insert(_ id: Message.ID) {
        state.withLock { state in
            guard state.numbers[id] == nil else { return }
            let (number, place) = (state.next, state.next % limit)
            state.next += 1
            state.numbers[id] = number
            guard place < state.latest.count else { return state.latest.append(id) }
            // It may have been removed and added again since then.
            let oldest = state.latest[place]
            if state.numbers[oldest] == number - limit { state.numbers[oldest] = nil }
            state.latest[place] = id
        }
    }

    /// Removes a message.
    func remove(_ id: Message.ID) { state.withLock { $0.numbers[id] = nil } }

    /// Whether a listener has handled a message lately.
    func contains(_ id: Message.ID) -> Bool { state.withLock { $0.numbers[id] != nil } }
}
