import NIOCore
import Synchronization

/// The bytes that have come and aren't read yet, and who waits for them.
final class Inflow: Sendable {
    typealias Outcome = Result<ArraySlice<UInt8>?, ConnectionError>

    private typealias Reader = (number: Int, continuation: CheckedContinuation<Outcome, Never>)

    private struct State {
        var bytes: [UInt8] = []
        /// What follows the bytes.
        var end: Outcome?
        var reader: Reader?
        var readers = 0
        /// The socket isn't read until the bytes are taken.
        var isHeld = false

        mutating func outcome() -> Outcome? {
            if bytes.isEmpty { return end }
            defer { bytes = [] }
            return .success(bytes[...])
        }
    }

    /// As much as one read of the socket may bring.
    static let chunk = 65_536

    private let limit: Int
    private let state = Mutex(State())

    init(limit: Int) {
        self.limit = limit
    }

    /// Whether something waits to be read.
    var hasBytes: Bool { state.withLock { !$0.bytes.isEmpty } }
    /// Whether nothing more comes.
    var hasEnded: Bool { state.withLock { $0.end != nil } }

    // MARK: The event loop's side

    func add(_ buffer: ByteBuffer) {
        buffer.withUnsafeReadableBytes { new in
            let reader: Reader? = state.withLock { state in
                guard state.end == nil else { return nil }
                if state.reader == nil { state.bytes.append(contentsOf: new) }
                defer { state.reader = nil }
                return state.reader
            }
            reader?.continuation.resume(returning: .success(Array(new)[...]))
        }
    }

    /// Whether the socket may be read; if it may not, `take` says when it may again.
    func mayRead() -> Bool {
        state.withLock { state in
            state.isHeld = !state.bytes.isEmpty && state.bytes.count + Self.chunk > limit
            return !state.isHeld
        }
    }

    /// The first end counts.
    func end(_ end: Outcome, dropping: Bool = false) {
        let reader = state.withLock { state in
            if state.end == nil { state.end = end }
            if dropping { state = State(end: state.end, reader: state.reader, readers: state.readers) }
            defer { state.reader = nil }
            return state.reader
        }
        reader?.continuation.resume(returning: end)
    }

    // MARK: The reader's side

    /// Calls `resume` if the socket wasn't read for want of room, and there is room now.
    nonisolated(nonsending) func take(resume: () -> Void) async throws(ConnectionError) -> ArraySlice<UInt8>? {
        if Task.isCancelled { throw .cancelled }
        let number = state.withLock { state in
            state.readers += 1
            return state.readers
        }
        if let outcome = outcome(resume) { return try outcome.get() }
        return try await wait(number, resume).get()
    }

    private nonisolated(nonsending) func wait(_ number: Int, _ resume: () -> Void) async -> Outcome {
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                if let outcome = outcome(resume, or: (number, continuation)) { continuation.resume(returning: outcome) }
            }
        } onCancel: {
            let reader: Reader? = state.withLock { state in
                guard state.reader?.number == number else { return nil }
                defer { state.reader = nil }
                return state.reader
            }
            reader?.continuation.resume(returning: .failure(.cancelled))
        }
    }

    /// What there is to be had; if there is nothing, the reader waits for it, instead of any other.
    private func outcome(_ resume: () -> Void, or waiting: Reader? = nil) -> Outcome? {
        let (outcome, wasHeld, other) = state.withLock { state in
            let outcome = waiting != nil && Task.isCancelled ? .failure(.cancelled) : state.outcome()
            var other: Reader?
            if outcome == nil, let waiting {
                other = state.reader
                state.reader = waiting
            }
            defer { if state.bytes.isEmpty { state.isHeld = false } }
            return (outcome, state.isHeld && state.bytes.isEmpty, other)
        }
        if wasHeld { resume() }
        other?.continuation.resume(returning: .failure(.cancelled))
        return outcome
    }
}
