import Heybot
import HeybotSockets
import HeybotSupport
package import Logging
import Synchronization

/// A client with a single connection, which many callers share.
///
/// Commands are pipelined: they don't wait for each other's replies. Without a connection, calls wait for one until their
/// timeout. When a connection is lost, reads are repeated, and changes fail, because they may have been executed or not.
package final class RedisClient: Sendable {
    typealias Outcome = Result<Reply, StoreError>
    typealias Caller = CheckedContinuation<Outcome, Never>

    private enum LifecyclePhase { case new, open, closing, closed }

    private struct State {
        var phase = LifecyclePhase.new
        var queue = CommandPipeline<Caller>()
        /// The current connection.
        var connection: Connection?
        /// Whether the connection is closed once all replies have arrived, and takes no more commands.
        var isDraining = false
        /// Why there was no usable connection; nil once a command was answered since.
        var failure: RedisClientError?
        var lastReceived = ContinuousClock.now
        /// The callers that wait until no call is outstanding.
        var drainWaiters: [CheckedContinuation<Void, Never>] = []
        var tasks: [Task<Void, Never>] = []

        /// Passes queued commands to the connection, as far as the window allows.
        ///
        /// - Returns: The connection, to be flushed without the lock; nil if nothing was passed.
        mutating func enqueue() -> Connection? {
            guard let connection, !isDraining else { return nil }
            var hasPassedAny = false
            while let bytes = queue.nextBytes {
                // If the connection accepts no more data it is broken, which its reader notices.
                guard connection.enqueue(bytes) else { break }
                queue.markNextSent(at: .now)
                hasPassedAny = true
            }
            return hasPassedAny ? connection : nil
        }

        /// Assigns replies to their calls.
        mutating func receive(_ replies: [Reply]) -> ReplyAssignment {
            var received = ReplyAssignment()
            var notExecuted: [CommandPipeline<Caller>.Call] = []
            lastReceived = .now
            for reply in replies {
                guard var call = queue.takeAnswered() else {
                    received.unexpected = reply
                    break
                }
                if case .error(let error) = reply, error.isTemporary {
                    received.refusal = error
                    notExecuted.append(call)
                } else if case .error(let error) = reply, error.isUnknownScript,
                    let fallback = call.fallback?.encoded()
                {
                    (call.bytes, call.fallback) = (fallback, nil)
                    notExecuted.append(call)
                } else {
                    failure = nil
                    if let caller = call.caller { received.answers.append((caller, reply)) }
                }
            }
            // They are sent over the next connection, after this one has delivered its replies.
            queue.putBack(notExecuted)
            if received.refusal != nil { isDraining = true }
            received.unflushed = enqueue()
            received.endsConnection = isDraining && !queue.awaitsReply
            return received
        }
    }

    /// The callers that received replies are assigned to, and what else follows from the replies.
    private struct ReplyAssignment {
        var answers: [(Caller, Reply)] = []
        /// A reply without a command.
        var unexpected: Reply?
        /// The error by which the server refuses all commands for now.
        var refusal: RedisErrorReply?
        /// Whether to close the connection now.
        var endsConnection = false
        /// The connection if commands were passed to it.
        var unflushed: Connection?
    }

    private let configuration: RedisStore.Configuration
    private let outageLogger: OutageLogger
    private let state = Mutex(State())
    /// The result of opening.
    private let opening = OneShotPromise<Result<Void, any Error>>()

    /// Creates a client, which ``open()`` connects.
    package init(_ configuration: RedisStore.Configuration, _ logger: Logger) {
        self.configuration = configuration
        outageLogger = OutageLogger(logger)
    }

    // MARK: Opening and closing

    /// Connects, and waits for that until the timeout.
    package func open() async throws {
        let isFirst = state.withLock { state in
            guard state.phase == .new else { return false }
            state.phase = .open
            state.tasks = [
                Task { [self] in await runConnections() },
                Task(executorPreference: Connection.executor) { [self] in await runTimer() }
            ]
            return true
        }
        guard isFirst else { throw StoreError(.failed, "the brain in Redis is open already") }
        let openTimer = configuration.openTimeout.map { timeout in
            Task { [self] in
                try await Task.sleep(for: timeout)
                let failure = state.withLock { $0.failure }
                opening.fulfill(.failure(failure?.storeError ?? timeoutError(after: timeout)))
            }
        }
        defer { openTimer?.cancel() }
        do {
            try await opening.result()
        } catch {
            await close()
            throw error
        }
    }

    /// Closes the connection after all outstanding calls have ended; returns at once if it is closed already.
    package func close() async {
        let isFirst = state.withLock { state in
            guard state.phase == .open else { return false }
            state.phase = .closing
            return true
        }
        guard isFirst else { return }
        opening.fulfill(.failure(closed))
        await withCheckedContinuation { continuation in
            let isDone = state.withLock { state in
                if !state.queue.isEmpty { state.drainWaiters.append(continuation) }
                return state.queue.isEmpty
            }
            if isDone { continuation.resume() }
        }
        let (tasks, connection) = state.withLock { state in
            state.phase = .closed
            defer {
                state.tasks = []
                state.connection = nil
            }
            return (state.tasks, state.connection)
        }
        for task in tasks { task.cancel() }
        connection?.close()
        for task in tasks { await task.value }
    }

    // MARK: Calls

    /// Sends a command and waits for its reply.
    ///
    /// - Parameters:
    ///   - fallback: The command to send instead if the server doesn't know the script.
    ///   - isRetryable: Whether the command can be repeated without harm if it may have been executed.
    /// - Returns: The reply, which may be an error of the server.
    /// - Throws: ``StoreError`` if there is no reply.
    package func call(_ command: RedisCommand, fallback: RedisCommand? = nil, isRetryable: Bool) async throws -> Reply {
        guard let bytes = command.encoded() else {
            throw StoreError(
                .tooLong, "the command is too long: the maximum is \(RedisCommand.longest) bytes")
        }
        let deadline = ContinuousClock.now + configuration.callTimeout
        let outcome: Outcome = await withCheckedContinuation { continuation in
            let (isTaken, unflushed): (Bool, Connection?) = state.withLock { state in
                guard state.phase == .open else { return (false, nil) }
                state.queue.add(
                    .init(
                        bytes: bytes, fallback: fallback, deadline: deadline, isRetryable: isRetryable,
                        caller: continuation))
                return (true, state.enqueue())
            }
            unflushed?.flush()
            if !isTaken { continuation.resume(returning: .failure(closed)) }
        }
        return try outcome.get()
    }

    /// Runs a script, and waits for its reply.
    ///
    /// - Parameter isRetryable: Whether it can be run again without harm if it may have been run.
    /// - Throws: ``StoreError`` if there is no reply.
    package func run(
        _ script: LuaScript, _ keys: [[UInt8]], _ arguments: [[UInt8]], isRetryable: Bool
    ) async throws -> Reply {
        let rest = [Array("\(keys.count)".utf8)] + keys + arguments
        return try await call(
            RedisCommand("EVALSHA", [Array(script.hash.utf8)] + rest),
            fallback: RedisCommand("EVAL", [Array(script.text.utf8)] + rest), isRetryable: isRetryable)
    }

    private var closed: StoreError {
        StoreError(.closed, "the brain in Redis isn't open")
    }

    private func timeoutError(after time: Duration) -> StoreError {
        StoreError(.unavailable, "Redis at \(configuration.address) didn't answer within \(time)")
    }

    private var timeoutError: StoreError { timeoutError(after: configuration.callTimeout) }

    private func outcomeUnknown(_ error: StoreError) -> StoreError {
        StoreError(error.code, "\(error.reason); the change may or may not have been made", fix: error.fix)
    }

    // MARK: Connection

    private var hasFailedToOpen: Bool { if case .failure = opening.fulfilledValue { true } else { false } }

    /// Connects, and reconnects whenever the connection is lost, until the task is canceled.
    private func runConnections() async {
        var connector = RedisConnector(configuration)
        let reconnect = configuration.reconnect
        var backoff = reconnect.backoff
        while !Task.isCancelled {
            let failure: RedisClientError
            do throws(RedisClientError) {
                let connection = try await connector.connect()
                let began = ContinuousClock.now
                begin(connection)
                let stableTimer = outageLogger.connected()
                opening.fulfill(.success(()))
                // On the executor on which its bytes arrive.
                failure = await withTaskExecutorPreference(Connection.executor) { await serve(connection) }
                stableTimer.cancel()
                backoff.connectionLasted(ContinuousClock.now - began)
            } catch {
                failure = error
            }
            if Task.isCancelled { return }
            end(failure)
            if failure.isPermanent { opening.fulfill(.failure(failure.storeError)) }
            // A permanent failure to open is thrown rather than logged.
            if !(failure.isPermanent && hasFailedToOpen) { outageLogger.logOutage(failure) }
            try? await Task.sleep(for: backoff.next(chance: .random(in: 0...1)))
        }
    }

    private func begin(_ connection: RESPConnection) {
        let unflushed = state.withLock { state in
            state.connection = connection.transport
            state.isDraining = false
            state.lastReceived = .now
            return state.enqueue()
        }
        unflushed?.flush()
    }

    private func end(_ failure: RedisClientError) {
        let callers = state.withLock { state in
            state.connection = nil
            state.failure = failure
            return state.queue.connectionLost()
        }
        for caller in callers { caller.resume(returning: .failure(outcomeUnknown(failure.storeError))) }
        resumeDrainWaiters()
    }

    /// Delivers replies until the connection ends, and returns the reason.
    private func serve(_ connection: RESPConnection) async -> RedisClientError {
        let server = ServerNameInErrors(connection.transport.endpoint)
        /// Why the connection is to be closed once all replies have arrived.
        var farewell: RedisClientError?
        do {
            while let replies = try await connection.replies() {
                let received = state.withLock { $0.receive(replies) }
                received.unflushed?.flush()
                for (caller, reply) in received.answers { caller.resume(returning: .success(reply)) }
                resumeDrainWaiters()
                if let reply = received.unexpected {
                    guard case .error(let error) = reply else {
                        return RedisClientError(.unavailable, "\(server) sent an unexpected reply")
                    }
                    return error.redisError(at: server)
                }
                farewell = received.refusal?.redisError(at: server) ?? farewell
                if let farewell, received.endsConnection { return farewell }
            }
            return farewell ?? RedisClientError(.unavailable, "\(server) is unavailable: it closed the connection")
        } catch ConnectionError.closed {
            return farewell ?? RedisClientError(timeoutError)
        } catch ReplyReader.ProtocolError.tooLong {
            // Repeating the call would give the same reply.
            let call = state.withLock { $0.queue.takeAnswered() }
            call?.caller?.resume(returning: .success(.error(.tooLong)))
            return RedisClientError(.unavailable, "\(server) sent a reply over the size limit")
        } catch {
            return farewell ?? RedisClientError(error, server)
        }
    }

    private func resumeDrainWaiters() {
        let waiting = state.withLock { state in
            guard state.queue.isEmpty else { return [CheckedContinuation<Void, Never>]() }
            defer { state.drainWaiters = [] }
            return state.drainWaiters
        }
        for continuation in waiting { continuation.resume() }
    }

    // MARK: Timeouts

    /// Ends calls at their timeout, and detects a dead connection before it is needed.
    private func runTimer() async {
        let (limit, pingInterval) = (configuration.callTimeout, configuration.pingInterval)
        while true {
            // A call that comes in the meantime has at least this much time.
            let next = state.withLock { state in
                let now = ContinuousClock.now
                let death =
                    state.connection == nil ? nil : state.queue.oldestSent.map { max($0, state.lastReceived) + limit }
                return [now + min(limit, pingInterval), state.queue.nextDeadline, death].compactMap { $0 }.min() ?? now
            }
            try? await Task.sleep(until: next, clock: .continuous)
            if Task.isCancelled { return }
            checkTimeouts()
        }
    }

    private func checkTimeouts() {
        let (now, limit) = (ContinuousClock.now, configuration.callTimeout)
        let (expired, failure, dead, isQuiet) = state.withLock { state in
            let expired = state.queue.removeExpired(at: now)
            // The server had all that time to reply, whatever the caller's deadline.
            let isDead = state.queue.oldestSent.map { now - max($0, state.lastReceived) >= limit } ?? false
            let isQuiet =
                state.connection != nil && state.queue.isEmpty && now - state.lastReceived >= configuration.pingInterval
            return (expired, state.failure, isDead ? state.connection : nil, isQuiet)
        }
        for caller in expired.notExecuted { caller.resume(returning: .failure(failure?.storeError ?? timeoutError)) }
        // Why earlier connections ended, such as a refusal, says more than the timeout.
        for caller in expired.unknown {
            caller.resume(returning: .failure(outcomeUnknown(failure?.storeError ?? timeoutError)))
        }
        dead?.close()
        // If it fails, the connection is lost, which its reader notices.
        if isQuiet { Task { [self] in _ = try? await call(RedisCommand("PING"), isRetryable: true) } }
        resumeDrainWaiters()
    }
}
