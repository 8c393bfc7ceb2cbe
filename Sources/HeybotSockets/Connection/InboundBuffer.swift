import NIOCore
import Synchronization

/// The bytes that were received and not read yet, and the waiting reader.
final class InboundBuffer: Sendable {
    typealias Outcome = Result<ArraySlice<UInt8>?, ConnectionError>

    private typealias Reader = (number: Int, continuation: CheckedContinuation<Outcome, Never>)

    private struct State {
        var bytes: [UInt8] = []
        /// Reported after the bytes have been read.
        var end: Outcome?
        var reader: Reader?
        var readers = 0
        /// Whether reading the socket is suspended until the bytes are taken.
        var isSuspended = false

        mutating func outcome() -> Outcome? {
            if bytes.isEmpty { return end }
            defer { bytes = [] }
            return .success(bytes[...])
        }
    }

    /// The most bytes that one read of the socket returns.
    static let chunk = 65_536

    private let limit: Int
    private let state = Mutex(State())

    init(limit: Int) {
        self.limit = limit
    }

    /// Whether there are unread bytes.
    var hasBytes: Bool { state.withLock { !$0.bytes.isEmpty } }
    /// Whether nothing more will arrive.
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

    /// Whether the socket may be read; if not, `take` calls `resume` later.
    func mayRead() -> Bool {
        state.withLock { state in
            state.isSuspended = !state.bytes.isEmpty && state.bytes.count + Self.chunk > limit
            return !state.isSuspended
        }
    }

    /// Records the end; only the first call counts.
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

    /// Waits for bytes.
    ///
    /// Calls `resume` if reading the socket was suspended and there is room again.
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

    /// Returns what is available; if nothing is, registers the reader in place of any other.
    private func outcome(_ resume: () -> Void, or waiting: Reader? = nil) -> Outcome? {
        let (outcome, wasSuspended, other) = state.withLock { state in
            let outcome = waiting != nil && Task.isCancelled ? .failure(.cancelled) : state.outcome()
            var other: Reader?
            if outcome == nil, let waiting {
                other = state.reader
                state.reader = waiting
            }
            defer { if state.bytes.isEmpty { state.isSuspended = false } }
            return (outcome, state.isSuspended && state.bytes.isEmpty, other)
        }
        if wasSuspended { resume() }
        other?.continuation.resume(returning: .failure(.cancelled))
        return outcome
    }
}
