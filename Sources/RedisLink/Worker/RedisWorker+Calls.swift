import GatewayHost
package import GatewayLink
package import Heybot
import HeybotSupport
import Synchronization

// What the robot wants from the adapters of gateways.

extension RedisWorker: GatewayClient {
    package func run(_ inbox: Inbox) async { await begin(inbox) }

    package func call(_ operation: AdapterOperation, of adapter: String) async throws -> CallOutcome {
        let (cause, observer) = (MessageContext.message, MessageContext.observer)
        let promise = OneShotPromise<Outcome>()
        let (call, route, key) = state.withLock { state in
            let (call, route) = state.session.call(operation, of: adapter, for: cause, observer: observer)
            let key: LinkWorkerSession.CallKey? =
                switch route {
                case .message(let entry, let partition, _, let place):
                    .message(entry: entry, partition: partition, place: place)
                case .request: .number(call.call)
                case .lost: nil
                }
            if let key { state.waiters[key] = promise }
            return (call, route, key)
        }
        guard let key else { throw Self.lost }
        defer { _ = state.withLock { $0.waiters.removeValue(forKey: key) } }
        switch try await begin(call, route, for: cause) {
        case .over(let outcome): return try outcome.value
        case .lost:
            if case .message(_, let partition, let token, _) = route {
                change { $0.session.refused(partition, token: token) }
            }
            throw Self.lost
        case .full:
            throw AdapterError(.notConnected, "too much waits for \(adapter): its gateway is away, or too slow")
        case .underway: return try await promise.result().value
        }
    }

    static let lost = AdapterError(.notConnected, "another process handles this message now")

    /// Makes a call; if Redis is unavailable, one for a message is made when it is back.
    private func begin(
        _ call: AdapterCall, _ route: LinkWorkerSession.Route, for cause: Message.ID?
    ) async throws -> LinkDatabase.CallState {
        switch route {
        case .lost: return .lost
        case .request(let entry, let partition):
            return try await database.request(
                call, for: entry, in: partition, of: id, hasOutcome: true, limit: limits.calls)
        case .message(let entry, let partition, let token, let place):
            while true {
                do {
                    return try await database.begin(
                        call, for: entry, in: partition, token, place: place, of: id, limit: limits.calls)
                } catch let error as StoreError where error.passes {
                    errorLog.log(error, "can't write to Redis")
                    do {
                        try await Task.sleep(for: Self.pause)
                    } catch {
                        // A closure is canceled at its deadline; then its message is handled again.
                        state.withLock { $0.session.answerFailed(for: cause) }
                        throw error
                    }
                }
            }
        }
    }

    package func send(_ operation: AdapterOperation, of adapter: String) {
        change { state in
            let call = state.session.call(operation, of: adapter, for: nil, observer: nil).0
            // What is shown only for a moment isn't kept for long.
            if state.steps.count < 1_000 { state.steps.append(.send(call)) }
            return []
        }
    }

    package func facts(of adapter: String) -> AdapterFacts? {
        state.withLock { state in
            guard var facts = state.adapters[adapter] else { return nil }
            if state.held?.contains(adapter) == false {
                facts.status.markDown("no gateway has its connection", at: timeSource.date())
            }
            return facts
        }
    }

    package func queuedMessages(of adapter: String) -> Int {
        state.withLock { $0.isClosed ? 0 : $0.adapters[adapter]?.queuedMessages ?? 0 }
    }

    package func teach(_ adapter: any Adapter) {
        let teaching = state.withLock { state in
            state.own.insert(adapter.name)
            return state.adapters.add(adapter)
        }
        teaching?()
    }

    // MARK: Questions of gateways

    /// Answers a gateway; a question of a newer version isn't answered.
    func answer(_ question: [UInt8], _ gateway: String) {
        guard let robot = state.withLock({ $0.robot }),
            case .commands(let number, let user, let room)? = try? LinkCoder.gatewayFrame(FrameBytes(json: question))
        else { return }
        // A script's code may list them.
        Task {
            let lines = robot.commands(for: user, in: room).map(\.line).sorted()
            try? await database.answer(.commands(number, lines), to: gateway)
        }
    }
}

extension CallOutcome {
    /// The outcome, unless it is a failure.
    fileprivate var value: CallOutcome {
        get throws {
            if let failure { throw failure.error }
            return self
        }
    }
}
