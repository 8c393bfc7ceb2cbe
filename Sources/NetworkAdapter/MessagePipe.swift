import DequeModule
package import Heybot
import Synchronization

/// The way from what was heard to the inbox.
///
/// What finds no room there is kept here, bounded, so that pings are answered while the robot can't keep up.
package final class MessagePipe: Sendable {
    private struct State {
        var batches = Deque<[Message]>()
        var count = 0
        var reader: CheckedContinuation<[Message]?, Never>?
        var writer: CheckedContinuation<Void, Never>?
        var inbox: Inbox?
        var isClosed = false
    }

    private let limit: Int
    private let state = Mutex(State())

    /// - Parameter limit: How many messages it holds before whoever puts some in has to wait.
    package init(limit: Int) {
        self.limit = limit
    }

    /// Puts them in; false where it is full now, so that ``drained()`` should be waited for before more come.
    ///
    /// For one task at a time.
    package func put(_ batch: [Message]) -> Bool {
        // Where nothing waits here, nobody needs to be woken to hand it on.
        let inbox = state.withLock { $0.reader == nil ? nil : $0.inbox }
        if let inbox, inbox.offer(batch) { return true }
        let (reader, isFull): (CheckedContinuation<[Message]?, Never>?, Bool) = state.withLock {
            if $0.isClosed { return (nil, false) }
            if let reader = $0.reader.take() { return (reader, false) }
            $0.batches.append(batch)
            $0.count += batch.count
            return (nil, $0.count >= limit)
        }
        reader?.resume(returning: batch)
        return !isFull
    }

    /// Waits until it is half empty.
    ///
    /// One may wait at a time.
    package func drained() async {
        await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
            let isDrained = state.withLock {
                if $0.isClosed || $0.count <= limit / 2 { return true }
                $0.writer = continuation
                return false
            }
            if isDrained { continuation.resume() }
        }
    }

    /// Sees to it that all gets into the inbox, in order, until it is closed.
    ///
    /// To be called once.
    package func feed(_ inbox: Inbox) async {
        state.withLock { $0.inbox = inbox }
        while let batch = await next() { await inbox.receive(batch) }
    }

    private func next() async -> [Message]? {
        await withCheckedContinuation { continuation in
            let (batch, writer, isOver): ([Message]?, CheckedContinuation<Void, Never>?, Bool) = state.withLock {
                guard !$0.isClosed else { return (nil, nil, true) }
                guard let batch = $0.batches.popFirst() else {
                    $0.reader = continuation
                    return (nil, nil, false)
                }
                $0.count -= batch.count
                return (batch, $0.count <= limit / 2 ? $0.writer.take() : nil, true)
            }
            writer?.resume()
            if isOver { continuation.resume(returning: batch) }
        }
    }

    /// Takes nothing more in and gives nothing more out.
    package func close() {
        let (reader, writer) = state.withLock { state in
            defer { state = State(isClosed: true) }
            return (state.reader, state.writer)
        }
        reader?.resume(returning: nil)
        writer?.resume()
    }
}
