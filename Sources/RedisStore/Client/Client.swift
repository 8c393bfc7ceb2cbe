import Heybot
import Logging
import Sockets
import Synchronization

/// Keeps a connection to the server, and asks it what many callers want to know at once.
///
/// Commands go out as they come, without waiting for each other's answers. While there's no connection, calls wait for
/// one until their time is over. Where a connection is lost, what does no harm done twice is asked again, and the rest
/// fails, as nobody knows whether it was done.
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
        /// Why there's none.
        var trouble: Trouble?
        var lastHeard = ContinuousClock.now
        /// Whoever waits for all to be answered, to close.
        var closing: [CheckedContinuation<Void, Never>] = []
        var tasks: [Task<Void, Never>] = []

        /// Sends what waits, as far as it may go.
        mutating func send() {
            guard let connection, !isLeaving else { return }
            // Where it takes nothing more it's over, and its reader will say so.
            while let bytes = queue.next() { connection.send(bytes) }
        }

        /// Finds out whose answers these are.
        mutating func take(_ replies: [Reply]) -> Taken {
            var taken = Taken()
            var undone: [CallQueue<Caller>.Call] = []
            lastHeard = .now
            for reply in replies {
                guard let call = queue.answered() else {
                    taken.unasked = reply
                    break
                }
                if case .error(let error) = reply, error.meansAway {
                    taken.refusal = error
                    undone.append(call)
                } else {
                    taken.answers.append((call.caller, reply))
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
    private let logger: Logger
    private let state = Mutex(State())
    private let opening: Opening

    init(_ configuration: RedisStore.Configuration, _ logger: Logger) {
        self.configuration = configuration
        self.logger = logger
        opening = Opening()
    }

    // MARK: Open and closed

    /// Connects, however long that takes, or as long as there's patience.
    func open() async throws {
        guard advance(from: .new, to: .open) else {
            throw StoreError(.failed, "the brain in Redis has been opened already")
        }
        let staying = Task(executorPreference: Connection.executor) { [self] in await stay() }
        let watching = Task(executorPreference: Connection.executor) { [self] in await watch() }
        state.withLock { $0.tasks = [staying, watching] }
        let impatience = configuration.patience.map { patience in
            Task { [self] in
                try await Task.sleep(for: patience)
                let trouble = state.withLock { $0.trouble }
                opening.settle(.failure(trouble?.storeError ?? silent))
            }
        }
        defer { impatience?.cancel() }
        do {
            try await opening.outcome()
        } catch {
            await close()
            throw error
        }
    }

    /// Closes, after all that was begun is answered, or its time is over.
    func close() async {
        guard advance(from: .open, to: .closing) else { return }
        opening.settle(.failure(closed))
        await withCheckedContinuation { continuation in
            let isDone = state.withLock { state in
                if !state.queue.isEmpty { state.closing.append(continuation) }
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

    private func advance(from: Phase, to: Phase) -> Bool {
        state.withLock { state in
            guard state.phase == from else { return false }
            state.phase = to
            return true
        }
    }

    // MARK: Calls

    /// Asks the server.
    ///
    /// - Parameter mayRepeat: Whether it does no harm to ask once more where it may have been done already.
    /// - Throws: ``StoreError``; where the server answers with an error, that is returned.
    func call(_ command: Command, mayRepeat: Bool) async throws -> Reply {
        guard let bytes = command.encoded() else {
            throw StoreError(.tooLong, "a command of over \(Command.longest) bytes is more than Redis is asked at once")
        }
        let deadline = ContinuousClock.now + configuration.deadline
        let outcome: Outcome = await withCheckedContinuation { continuation in
            let isTaken = state.withLock { state in
                guard state.phase == .open else { return false }
                state.queue.add(.init(bytes: bytes, deadline: deadline, mayRepeat: mayRepeat, caller: continuation))
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

    private var silent: StoreError {
        StoreError(.unavailable, "Redis at \(configuration.address) hasn't answered within \(configuration.deadline)")
    }

    // MARK: The connection

    /// Is connected, and connects again whenever that is over, until the task is cancelled.
    private func stay() async {
        var dialling = Dialling(configuration)
        var backoff = configuration.backoff
        var absence = Absence(logger)
        while !Task.isCancelled {
            let trouble: Trouble
            do throws(Trouble) {
                let link = try await dialling.dial()
                let began = ContinuousClock.now
                begin(link)
                absence.end()
                opening.settle(.success(()))
                trouble = await serve(link)
                backoff.held(for: ContinuousClock.now - began)
            } catch {
                trouble = error
            }
            if Task.isCancelled { return }
            end(trouble)
            if trouble.isLasting { opening.settle(.failure(trouble.storeError)) }
            absence.note(trouble)
            try? await Task.sleep(for: backoff.next(chance: .random(in: 0...1)))
        }
    }

    private func begin(_ link: Link) {
        state.withLock { state in
            state.connection = link.connection
            state.isLeaving = false
            state.trouble = nil
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
        let error = StoreError(trouble.code, "\(trouble.words); whether this change was made isn't known")
        for caller in callers { caller.resume(returning: .failure(error)) }
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
                    return error.trouble(at: server.description)
                }
                farewell = taken.refusal?.trouble(at: server.description) ?? farewell
                if let farewell, taken.isLast { return farewell }
            }
            return farewell ?? Trouble(.unavailable, "\(server) is away: it has closed the connection")
        } catch ConnectionError.closed {
            return farewell ?? Trouble(silent.code, silent.description)
        } catch {
            return farewell ?? Trouble(error, server)
        }
    }

    private func settleClosing() {
        let waiting = state.withLock { state in
            guard state.queue.isEmpty else { return [CheckedContinuation<Void, Never>]() }
            defer { state.closing = [] }
            return state.closing
        }
        for continuation in waiting { continuation.resume() }
    }

    // MARK: The time

    /// Sees to it that no call takes longer than it may, and that a dead connection is found out before it's needed.
    private func watch() async {
        while true {
            // A call that comes meanwhile has until after this at the least.
            let next =
                state.withLock { $0.queue.nextDeadline } ?? .now + min(configuration.deadline, configuration.silence)
            try? await Task.sleep(until: next, clock: .continuous)
            if Task.isCancelled { return }
            look()
        }
    }

    private func look() {
        let now = ContinuousClock.now
        let (expired, trouble, dead, isQuiet) = state.withLock { state in
            let expired = state.queue.expired(at: now)
            let dead = state.queue.isOverdue(at: now) ? state.connection : nil
            let isQuiet =
                state.connection != nil && state.queue.isEmpty && now - state.lastHeard >= configuration.silence
            return (expired, state.trouble, dead, isQuiet)
        }
        for caller in expired { caller.resume(returning: .failure(trouble?.storeError ?? silent)) }
        dead?.close()
        if isQuiet { Task { [self] in _ = try? await call(Command("PING"), mayRepeat: true) } }
        if !expired.isEmpty { settleClosing() }
    }
}
