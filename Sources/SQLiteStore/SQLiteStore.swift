import Dispatch
public import Heybot
import HeybotSupport
import Synchronization

/// A brain in an SQLite file, which several processes can share.
///
/// All calls run on the store's own thread. Calls that wait for it are executed in one transaction, so they share the wait
/// for the disk. When a call returns, its change is on the disk: neither `kill -9` nor a power failure reverts it.
public final class SQLiteStore: Store {
    private struct State {
        var jobs: [Job] = []
        var phase = LifecyclePhase.new
    }

    private enum LifecyclePhase {
        case new, open, closing, closed
    }

    /// The path of the file.
    public let path: String
    private let pageLimit: Int?
    private let state = Mutex(State())
    private let wake = DispatchSemaphore(value: 0)

    /// Creates a store for a file, which ``open()`` creates if it doesn't exist.
    public convenience init(path: String) {
        self.init(path: path, pageLimit: nil)
    }

    /// - Parameter pageLimit: The maximum number of pages, which makes the file full early in tests.
    package init(path: String, pageLimit: Int?) {
        self.path = path
        self.pageLimit = pageLimit
    }

    public func open() async throws {
        guard state.withLock({ Self.advance(&$0, from: .new, to: .open) }) else {
            throw StoreError(.failed, "the brain at \(path) is open already")
        }
        try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
            let isStarted = OSThread.start { [self] in
                let database: BrainDatabase
                do {
                    database = try BrainDatabase(path: path, pageLimit: pageLimit)
                } catch {
                    failPendingJobs()
                    return continuation.resume(throwing: error)
                }
                continuation.resume()
                runJobs(on: database)
            }
            if !isStarted {
                failPendingJobs()
                continuation.resume(
                    throwing: StoreError(.unavailable, "can't create a thread for the brain at \(path)"))
            }
        }
    }

    public func close() async {
        await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
            let isQueued = state.withLock { state in
                guard Self.advance(&state, from: .open, to: .closing) else { return false }
                state.jobs.append(Job(isWrite: false, attempt: { _ in nil }, complete: { _ in continuation.resume() }))
                return true
            }
            if isQueued { wake.signal() } else { continuation.resume() }
        }
    }

    public func value(for key: StoreKey) async throws -> [UInt8]? {
        try await perform { database throws(StoreError) in try database.value(for: key) }
    }

    public func set(_ value: [UInt8]?, for key: StoreKey) async throws {
        try BrainLimits.check(value, for: key)
        try await perform(isWrite: true) { database throws(StoreError) in try database.set(value, for: key) }
    }

    public func compareAndSet(
        _ value: [UInt8]?, for key: StoreKey, expecting expected: [UInt8]?
    ) async throws -> Bool {
        try BrainLimits.check(value, for: key)
        return try await perform(isWrite: true) { database throws(StoreError) in
            guard try database.value(for: key) == expected else { return false }
            try database.set(value, for: key)
            return true
        }
    }

    public func page(of collection: String?, after cursor: String?, limit: Int) async throws -> StorePage {
        try await perform { database throws(StoreError) in
            try database.page(of: collection, after: cursor, limit: limit)
        }
    }

    public func collections(after cursor: String?, limit: Int) async throws -> (names: [String], next: String?) {
        try await perform { database throws(StoreError) in try database.collections(after: cursor, limit: limit) }
    }

    public func firstDue(in collection: String, limit: Int) async throws -> [DueEntry] {
        try await perform { database throws(StoreError) in try database.firstDue(in: collection, limit: limit) }
    }

    // MARK: Thread

    /// A call for the store's thread, which shares a transaction with the calls that wait at the same time.
    private struct Job: Sendable {
        let isWrite: Bool
        /// Called again if the transaction had to be rolled back.
        let attempt: @Sendable (BrainDatabase) -> StoreError?
        let complete: @Sendable (StoreError?) -> Void
    }

    private func perform<Result: Sendable>(
        isWrite: Bool = false, _ body: @escaping @Sendable (BrainDatabase) throws(StoreError) -> Result
    ) async throws -> Result {
        let result = ResultBox<Result>()
        try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
            let job = Job(
                isWrite: isWrite,
                attempt: { database in
                    do throws(StoreError) {
                        result.set(try body(database))
                        return nil
                    } catch {
                        return error
                    }
                },
                complete: { error in
                    if let error { continuation.resume(throwing: error) } else { continuation.resume() }
                })
            let isQueued = state.withLock { state in
                guard state.phase == .open else { return false }
                state.jobs.append(job)
                return true
            }
            if isQueued { wake.signal() } else { job.complete(closed) }
        }
        guard let value = result.value else { throw closed }
        return value
    }

    /// The result of a job, which the store's thread passes to the caller.
    private final class ResultBox<Value: Sendable>: Sendable {
        private let found = Mutex<Value?>(nil)

        var value: Value? { found.withLock { $0 } }

        func set(_ value: Value) { found.withLock { $0 = value } }
    }

    private func runJobs(on database: BrainDatabase) {
        while true {
            wake.wait()
            let (jobs, isLast) = state.withLock { state in
                defer { state.jobs = [] }
                return (state.jobs, state.phase == .closing)
            }
            if isLast {
                // The last job is the close itself, which ends only when the file is closed.
                run(jobs.dropLast(), on: database)
                state.withLock { $0.phase = .closed }
                database.close()
                jobs.last?.complete(nil)
                return
            }
            run(jobs[...], on: database)
        }
    }

    private func run(_ jobs: ArraySlice<Job>, on database: BrainDatabase) {
        guard jobs.contains(where: \.isWrite) else {
            for job in jobs { job.complete(job.attempt(database)) }
            return
        }
        if let error = database.begin() {
            for job in jobs { job.complete(job.isWrite ? error : job.attempt(database)) }
            return
        }
        if jobs.allSatisfy({ $0.attempt(database) == nil }), database.commit() == nil {
            for job in jobs { job.complete(nil) }
            return
        }
        // One of them fails: roll back, and execute each on its own to find out which.
        database.rollBack()
        for job in jobs {
            var error = job.isWrite ? database.begin() : nil
            if error == nil {
                error = job.attempt(database)
                if job.isWrite {
                    if error == nil { error = database.commit() }
                    if error != nil { database.rollBack() }
                }
            }
            job.complete(error)
        }
    }

    // MARK: Errors

    private func failPendingJobs() {
        let jobs = state.withLock { state in
            defer { state = State(phase: .closed) }
            return state.jobs
        }
        for job in jobs { job.complete(closed) }
    }

    private var closed: StoreError {
        StoreError(.closed, "the brain at \(path) isn't open")
    }

    private static func advance(_ state: inout State, from: LifecyclePhase, to: LifecyclePhase) -> Bool {
        guard state.phase == from else { return false }
        state.phase = to
        return true
    }
}
