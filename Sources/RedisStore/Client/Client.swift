import Heybot
import HeybotSockets
import HeybotSupport
import Logging
import Synchronization

/// Keeps a connection to the server, and asks it what many callers want to know at once.
///
/// Commands go out as they come, without waiting for each other's answers. While there's no connection, calls wait for
/// one until their time is over. If a connection is lost, what only reads is asked again, and the rest fails, as nobody
/// knows whether it was done.
final class Client: Sendable {
    typealias Outcome = Result<Reply, StoreError>
    typealias Caller = CheckedContinuation<Outcome, Never>

    private enum Phase { case new, open, closing, closed }

    private struct State {
        var phase = Phase.new
        var queue = CallQueue<Caller>()
        /// The one there is.
        var connection: Connection?
        /// Nothing more is asked over it, as it's given up once all is answered.
        var isLeaving = false
        /// Why there's none, or nothing has been done over it yet.
        var trouble: Trouble?
        var lastHeard = ContinuousClock.now
        /// Whoever waits for all to be answered.
        var emptying: [CheckedContinuation<Void, Never>] = []
        var tasks: [Task<Void, Never>] = []

        /// Sends what waits, as far as it may go.
        mutating func send() {
            guard let connection, !isLeaving else { return }
            while let bytes = queue.next {
                // If it takes nothing more it's over, and its reader will say so.
                guard connection.send(bytes) else { return }
                queue.sentNext(at: .now)
            }
        }

        /// Finds out whose answers these are; none if only a part of one has come.
        mutating func take(_ replies: [Reply]) -> Taken {
            var taken = Taken()
            var undone: [CallQueue<Caller>.Call] = []
            lastHeard = .now
            for reply in replies {
                guard var call = queue.answered() else {
                    taken.unasked = reply
                    break
                }
                if case .error(let error) = reply, error.meansAway {
                    taken.refusal = error
                    undone.append(call)
                } else if case .error(let error) = reply, error.meansNoScript, let otherwise = call.otherwise {
                    (call.bytes, call.otherwise) = (otherwise, nil)
                    undone.append(call)
                } else {
                    trouble = nil
                    if let caller = call.caller { taken.answers.append((caller, reply)) }
                }
            }
            // It's asked of the next connection, once this one has nothing more to say.
            queue.putBack(undone)
            if taken.refusal != nil { isLeaving = true }
            send()
            taken.isLast = isLeaving && !queue.isAnswerDue
            return taken
        }
    }

    /// What answers came, and what follows from them.
    private struct Taken {
        var answers: [(Caller, Reply)] = []
        /// Nobody had asked.
        var unasked: Reply?
        /// The server does nothing for us for now.
        var refusal: ServerError?
        /// Whether the connection is to be given up now.
        var isLast = false
    }

    private let configuration: RedisStore.Configuration
    private let absence: Absence
    private let state = Mutex(State())
    /// What came of opening.
    private let opening = OneShot<Result<Void, any Error>>()

    init(_ configuration: RedisStore.Configuration, _ logger: Logger) {
        self.configuration = configuration
        absence = Absence(logger)
    }

    // MARK: Open and closed

    /// Connects, however long that takes, or as long as there's patience.
    func open() async throws {
        let isFirst = state.withLock { state in
            guard state.phase == .new else { return false }
            state.phase = .open
            state.tasks = [
                Task { [self] in await stay() },
                Task(executorPreference: Connection.executor) { [self] in await watch() }
            ]
            return true
        }
        guard isFirst else { throw StoreError(.failed, "the brain in Redis has been opened already") }
        let impatience = configuration.patience.map { patience in
            Task { [self] in
                try await Task.sleep(for: patience)
                let trouble = state.withLock { $0.trouble }
                opening.give(.failure(trouble?.storeError ?? silence(of: patience)))
            }
        }
        defer { impatience?.cancel() }
        do {
            try await opening.success()
        } catch {
            await close()
            throw error
        }
    }

    /// Closes, after all that was begun is answered, or its time is over; returns at once if that has begun before.
    func close() async {
        let isFirst = state.withLock { state in
            guard state.phase == .open else { return false }
            state.phase = .closing
            return true
        }
        guard isFirst else { return }
        opening.give(.failure(closed))
        await withCheckedContinuation { continuation in
            let isDone = state.withLock { state in
                if !state.queue.isEmpty { state.emptying.append(continuation) }
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

    /// Asks the server.
    ///
    /// - Parameters:
    ///   - otherwise: What to ask instead if the server doesn't know the command's script.
    ///   - mayRepeat: Whether it does no harm to ask once more if it may have been done already.
    /// - Throws: ``StoreError``; if the server answers with an error, that is returned.
    func call(_ command: Command, otherwise: Command? = nil, mayRepeat: Bool) async throws -> Reply {
        guard let bytes = command.encoded() else {
            throw StoreError(.tooLong, "a command of over \(Command.longest) bytes is more than Redis is asked at once")
        }
        let (other, deadline) = (otherwise?.encoded(), ContinuousClock.now + configuration.deadline)
        let outcome: Outcome = await withCheckedContinuation { continuation in
            let isTaken = state.withLock { state in
                guard state.phase == .open else { return false }
                state.queue.add(
                    .init(
                        bytes: bytes, otherwise: other, deadline: deadline, mayRepeat: mayRepeat, caller: continuation))
                state.send()
                return true
            }
            if !isTaken { continuation.resume(returning: .failure(closed)) }
        }
        return try outcome.get()
    }

    private var closed: StoreError {
        StoreError(.closed, "the brain in Redis isn't open")
    }

    private func silence(of time: Duration) -> StoreError {
        StoreError(.unavailable, "Redis at \(configuration.address) hasn't answered within \(time)")
    }

    private var silent: StoreError { silence(of: configuration.deadline) }

    private func unknown(_ error: StoreError) -> StoreError {
        StoreError(error.code, "\(error.description); whether this change was made isn't known")
    }

    // MARK: The connection

    private var hasFailedToOpen: Bool { if case .failure = opening.given { true } else { false } }

    /// Is connected, and connects again whenever that is over, until the task is cancelled.
    private func stay() async {
        var dialling = Dialling(configuration)
        let reconnect = configuration.reconnect
        var backoff = reconnect.backoff
        while !Task.isCancelled {
            let trouble: Trouble
            do throws(Trouble) {
                let link = try await dialling.dial()
                let began = ContinuousClock.now
                begin(link)
                let calm = absence.begin()
                opening.give(.success(()))
                // Where its bytes arrive.
                trouble = await withTaskExecutorPreference(Connection.executor) { await serve(link) }
                calm.cancel()
                backoff.held(for: ContinuousClock.now - began)
            } catch {
                trouble = error
            }
            if Task.isCancelled { return }
            end(trouble)
            if trouble.isLasting { opening.give(.failure(trouble.storeError)) }
            // If opening has failed for good, it's told as its error.
            if !(trouble.isLasting && hasFailedToOpen) { absence.note(trouble) }
            try? await Task.sleep(for: backoff.next(chance: .random(in: 0...1)))
        }
    }

    private func begin(_ link: Link) {
        state.withLock { state in
            state.connection = link.connection
            state.isLeaving = false
            state.lastHeard = .now
            state.send()
        }
    }

    private func end(_ trouble: Trouble) {
        let callers = state.withLock { state in
            state.connection = nil
            state.trouble = trouble
            return state.queue.lost()
        }
        for caller in callers { caller.resume(returning: .failure(unknown(trouble.storeError))) }
        settleClosing()
    }

    /// Passes answers on until the connection is over; why.
    private func serve(_ link: Link) async -> Trouble {
        let server = Server(link.connection.endpoint)
        /// Why the connection is given up as soon as all is answered that was asked.
        var farewell: Trouble?
        do {
            while let replies = try await link.replies() {
                let taken = state.withLock { $0.take(replies) }
                for (caller, reply) in taken.answers { caller.resume(returning: .success(reply)) }
                settleClosing()
                if let reply = taken.unasked {
                    guard case .error(let error) = reply else {
                        return Trouble(.unavailable, "\(server) answers what nobody asked")
                    }
                    return error.trouble(at: server)
                }
                farewell = taken.refusal?.trouble(at: server) ?? farewell
                if let farewell, taken.isLast { return farewell }
            }
            return farewell ?? Trouble(.unavailable, "\(server) is away: it has closed the connection")
        } catch ConnectionError.closed {
            return farewell ?? Trouble(silent)
        } catch ReplyReader.Broken.tooLong {
            // It would be so the next time too.
            let call = state.withLock { $0.queue.answered() }
            call?.caller?.resume(returning: .success(.error(.tooLong)))
            return Trouble(.unavailable, "\(server) answers with more than we read at once")
        } catch {
            return farewell ?? Trouble(error, server)
        }
    }

    private func settleClosing() {
        let waiting = state.withLock { state in
            guard state.queue.isEmpty else { return [CheckedContinuation<Void, Never>]() }
            defer { state.emptying = [] }
            return state.emptying
        }
        for continuation in waiting { continuation.resume() }
    }

    // MARK: The time

    /// Sees to it that no call takes longer than it may, and that a dead connection is found out before it's needed.
    private func watch() async {
        let (limit, silence) = (configuration.deadline, configuration.silence)
        while true {
            // A call that comes meanwhile has until after this at the least.
            let next = state.withLock { state in
                let now = ContinuousClock.now
                let death =
                    state.connection == nil ? nil : state.queue.oldestSent.map { max($0, state.lastHeard) + limit }
                return [now + min(limit, silence), state.queue.nextDeadline, death].compactMap { $0 }.min() ?? now
            }
            try? await Task.sleep(until: next, clock: .continuous)
            if Task.isCancelled { return }
            look()
        }
    }

    private func look() {
        let (now, limit) = (ContinuousClock.now, configuration.deadline)
        let (left, trouble, dead, isQuiet) = state.withLock { state in
            let left = state.queue.expired(at: now)
            // It had all that time to say something, whatever the caller had.
            let isDead = state.queue.oldestSent.map { now - max($0, state.lastHeard) >= limit } ?? false
            let isQuiet =
                state.connection != nil && state.queue.isEmpty && now - state.lastHeard >= configuration.silence
            return (left, state.trouble, isDead ? state.connection : nil, isQuiet)
        }
        for caller in left.undone { caller.resume(returning: .failure(trouble?.storeError ?? silent)) }
        for caller in left.unknown { caller.resume(returning: .failure(unknown(silent))) }
        dead?.close()
        // If that fails, the connection is lost, which its reader tells.
        if isQuiet { Task { [self] in _ = try? await call(Command("PING"), mayRepeat: true) } }
        settleClosing()
    }
}
