import HeybotMPD
import HeybotSockets
import HeybotSupport
import Logging
import Synchronization

/// The connection of a player: connects, reconnects, and passes bytes between the socket, the session and the callers.
///
/// Its task keeps it alive until ``end()``.
final class PlayerLink: Sendable {
    typealias Outcome = Result<[MPDResponse], PlayerError.Reason>
    typealias Caller = CheckedContinuation<Outcome, Never>

    /// What follows from the session's actions, once the lock is released.
    private struct Consequences {
        var ended: [(caller: Caller, outcome: Outcome)] = []
        var isReady = false
        /// Why the connection can't go on.
        var failure: PlayerError.Reason?
    }

    private struct State {
        var hasEnded = false
        var task: Task<Void, Never>?
        /// The wait before the next attempt to connect.
        var pause: Task<Void, Never>?
        var connection: Connection?
        var session: MPDSession?
        var isReady = false
        /// Why the session can't go on.
        var failure: PlayerError.Reason?
        var lastID = 0
        var callers: [MPDSession.ID: Caller] = [:]
        /// The requests that wait for a connection.
        var waiting: [(id: MPDSession.ID, commands: [MPDCommand])] = []
        var changes: AsyncStream<Void>.Continuation?
    }

    private let address: MPDAddress
    private let password: String?
    private let limits: MPDPlayer.Limits
    private let outage: PlayerOutageLogger
    private let state = Mutex(State())

    init(_ address: MPDAddress, _ password: String?, _ limits: MPDPlayer.Limits, _ logger: Logger) {
        (self.address, self.password, self.limits) = (address, password, limits)
        outage = PlayerOutageLogger(address, logger)
    }

    // MARK: For callers

    nonisolated(nonsending) func perform(_ commands: [MPDCommand]) async throws(PlayerError.Reason) -> [MPDResponse] {
        let id = state.withLock { state in
            state.lastID += 1
            return state.lastID
        }
        let timer = Task { [limits] in
            try await Task.sleep(for: limits.timeout)
            expire(id)
        }
        defer { timer.cancel() }
        let outcome: Outcome = await withTaskCancellationHandler {
            await withCheckedContinuation { add(id, commands, $0) }
        } onCancel: {
            resume(id, with: .failure(.timedOut(mayBeDone: true)))
        }
        return try outcome.get()
    }

    func changes() -> AsyncStream<Void> {
        // One element is enough, because each means: look again.
        let (stream, continuation) = AsyncStream<Void>.makeStream(bufferingPolicy: .bufferingNewest(1))
        let hasEnded = state.withLock { state in
            state.changes = continuation
            return state.hasEnded
        }
        if hasEnded { continuation.finish() } else { start() }
        return stream
    }

    /// Closes the connection; further requests fail.
    func end() {
        let (task, callers) = state.withLock { state in
            state.hasEnded = true
            state.connection?.close()
            state.pause?.cancel()
            state.changes?.finish()
            defer { state.callers = [:] }
            return (state.task, state.callers)
        }
        task?.cancel()
        for caller in callers.values { caller.resume(returning: .failure(.lost(mayBeDone: true))) }
    }

    private func add(
        _ id: MPDSession.ID, _ commands: [MPDCommand], _ caller: Caller
    ) {
        let refusal: PlayerError.Reason? = state.withLock { state in
            // Cancellation before this would find no caller.
            guard !Task.isCancelled, !state.hasEnded else { return .lost(mayBeDone: false) }
            guard state.callers.count < limits.mostRequests else { return .busy }
            state.callers[id] = caller
            request(id, commands, &state)
            return nil
        }
        if let refusal { caller.resume(returning: .failure(refusal)) } else { start() }
    }

    /// Passes a request to the session, or lets it wait for a connection.
    private func request(_ id: MPDSession.ID, _ commands: [MPDCommand], _ state: inout State) {
        if let actions = state.session?.handle(.request(id, commands)) {
            perform(actions, &state)
        } else {
            state.waiting.append((id, commands))
            state.pause?.cancel()
        }
    }

    private func resume(_ id: MPDSession.ID, with outcome: Outcome) {
        let caller = state.withLock { state in
            state.waiting.removeAll { $0.id == id }
            _ = state.session?.handle(.cancel(id))
            return state.callers.removeValue(forKey: id)
        }
        caller?.resume(returning: outcome)
    }

    /// Ends a request without an answer, and the connection with it, since answers come in order.
    private func expire(_ id: MPDSession.ID) {
        let isSent = state.withLock { state in
            guard state.callers[id] != nil, let connection = state.connection else { return false }
            state.failure = state.failure ?? .timedOut(mayBeDone: true)
            connection.close()
            return state.session?.unanswered.sent == id
        }
        resume(id, with: .failure(.timedOut(mayBeDone: isSent)))
    }

    // MARK: Connecting

    private func start() {
        state.withLock { state in
            guard state.task == nil, !state.hasEnded else { return }
            state.task = Task { await run() }
        }
    }

    /// Connects, and reconnects whenever the connection is lost.
    private func run() async {
        var backoff = limits.backoff
        while !Task.isCancelled {
            let reason: PlayerError.Reason
            do throws(ConnectionError) {
                let connection = try await Connection.open(address.endpoint, connectWithin: limits.timeout)
                let began = ContinuousClock.now
                let isReady: Bool
                (reason, isReady) = await serve(connection)
                if isReady { backoff.connectionLasted(ContinuousClock.now - began) }
            } catch {
                reason = .unreachable(error.reason)
            }
            if Task.isCancelled { return }
            endConnection(reason)
            outage.begin(reason)
            await pause(backoff.next(chance: .random(in: 0...1)))
        }
    }

    /// Waits before the next attempt, unless a request is waiting or comes.
    private func pause(_ time: Duration) async {
        let pause: Task<Void, Never>? = state.withLock { state in
            guard state.waiting.isEmpty, !state.hasEnded else { return nil }
            let pause = Task<Void, Never> { try? await Task.sleep(for: time) }
            state.pause = pause
            return pause
        }
        await pause?.value
    }

    /// Ends the requests whose connection was lost, or wasn't established.
    ///
    /// Requests that weren't sent over a lost connection wait for the next one.
    private func endConnection(_ reason: PlayerError.Reason) {
        let callers: [Caller] = state.withLock { state in
            let (sent, unsent) = state.session?.unanswered ?? (nil, [])
            state.waiting = (unsent + state.waiting).filter { state.callers[$0.id] != nil }
            var ended = sent.map { [$0] } ?? []
            let isLost = if case .lost = reason { state.isReady } else { false }
            if !isLost {
                ended += state.waiting.map(\.id)
                state.waiting = []
            }
            state.connection = nil
            state.session = nil
            state.isReady = false
            state.failure = nil
            return ended.compactMap { state.callers.removeValue(forKey: $0) }
        }
        for caller in callers { caller.resume(returning: .failure(reason)) }
    }

    // MARK: Connected

    /// Passes on what the player sends, until the connection ends.
    ///
    /// - Returns: Why it has ended, and whether the player had accepted requests.
    private func serve(_ connection: Connection) async -> (PlayerError.Reason, isReady: Bool) {
        let isWanted = state.withLock { state in
            guard !state.hasEnded else { return false }
            state.connection = connection
            state.session = MPDSession(password: password)
            let waiting = state.waiting
            state.waiting = []
            for (id, commands) in waiting { request(id, commands, &state) }
            return true
        }
        guard isWanted else { return (.lost(mayBeDone: false), false) }
        let watchdog = Task { await watch(connection) }
        defer {
            watchdog.cancel()
            connection.close()
        }
        var reason = PlayerError.Reason.lost(mayBeDone: true)
        do throws(ConnectionError) {
            while let bytes = try await connection.read() {
                let failure = receive(bytes)
                if let failure {
                    reason = failure
                    break
                }
            }
        } catch {
            // It says no more than that the connection is gone.
        }
        return state.withLock { ($0.failure ?? reason, $0.isReady) }
    }

    /// Closes the connection if the player doesn't greet in time, and later tries it now and then.
    private func watch(_ connection: Connection) async {
        try? await Task.sleep(for: limits.timeout)
        let isReady = state.withLock { state in
            if !state.isReady, !Task.isCancelled { state.failure = .timedOut(mayBeDone: false) }
            return state.isReady
        }
        guard isReady else { return connection.close() }
        while !Task.isCancelled {
            do {
                try await Task.sleep(for: limits.pingInterval)
                // Without an answer it ends the connection.
                _ = try await perform([.ping])
            } catch {
                continue
            }
        }
    }

    /// Handles received bytes; returns the reason if the connection can't go on.
    private func receive(_ bytes: ArraySlice<UInt8>) -> PlayerError.Reason? {
        let consequences = state.withLock { state in
            perform(state.session?.handle(.received(bytes)) ?? [], &state)
        }
        if consequences.isReady { outage.end() }
        for (caller, outcome) in consequences.ended { caller.resume(returning: outcome) }
        return consequences.failure
    }

    /// Performs actions under the lock.
    @discardableResult
    private func perform(_ actions: [MPDSession.Action], _ state: inout State) -> Consequences {
        var consequences = Consequences()
        for action in actions {
            switch action {
            case .send(let bytes):
                // If it accepts no more, it is broken, which its reader notices.
                state.connection?.send(bytes)
            case .ready:
                consequences.isReady = true
                state.isReady = true
                // There may have been a change while there was no connection.
                state.changes?.yield()
            case .answer(let id, let outcome):
                if let caller = state.callers.removeValue(forKey: id) { consequences.ended.append((caller, outcome)) }
            case .changed(let parts):
                if parts.contains("player") { state.changes?.yield() }
            case .fail(let reason): consequences.failure = reason
            }
        }
        return consequences
    }
}

extension MPDAddress {
    fileprivate var endpoint: Endpoint {
        switch location {
        case .host(let host, let port): Endpoint(host: host, port: port)
        case .socket(let path): Endpoint(path: path)
        }
    }
}
