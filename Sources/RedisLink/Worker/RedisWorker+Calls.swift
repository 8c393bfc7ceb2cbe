import GatewayHost
package import GatewayLink
package import Heybot
import HeybotSockets
import HeybotSupport
import Synchronization

// What the robot wants from the adapters of gateways.

extension RedisWorker: GatewayClient {
    package func run(_ inbox: Inbox) async { await begin(inbox) }

    package func call(_ operation: AdapterOperation, of adapter: String) async throws -> CallOutcome {
        let (cause, observer, isNotice) = (MessageContext.message, MessageContext.observer, MessageContext.isNotice)
        let promise = OneShotPromise<Outcome>()
        let (call, route, key) = state.withLock { state in
            let (call, route) = state.session.call(
                operation, of: adapter, for: cause, observer: observer, isNotice: isNotice)
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
        // The caller's thread waits once, for the outcome.
        Task.immediately(on: Connection.executor) { [self] in
            let isMade = await begin(call, route, isNotice: isNotice, promise)
            // When the robot has stopped, the message of a call that isn't in Redis is left to another worker.
            if let cause, route.isForMessage, !isClosed {
                change { $0.session.settled(call.call, of: cause, isMissing: !isMade) }
            }
        }
        do {
            let outcome = try await promise.result()
            forget(key, promise)
            return try outcome.value
        } catch {
            forget(key, promise)
            // Its deadline has passed.
            if let cause, !isNotice, error is CancellationError {
                state.withLock { $0.session.canceled(call.call, of: cause) }
            }
            throw error
        }
    }

    private func forget(_ key: LinkWorkerSession.CallKey, _ promise: OneShotPromise<Outcome>) {
        // If the message is handled again, its next call has the same key.
        state.withLock { if $0.waiters[key] === promise { $0.waiters[key] = nil } }
    }

    static let lost = AdapterError(.notConnected, "another process handles this message now")

    /// Makes a call; if Redis is unavailable, one for a message is made when it is back.
    ///
    /// An answer is made also if nobody waits for its outcome any more. A notice isn't, since its message is handled again then.
    ///
    /// - Parameter promise: Fulfilled if the outcome is known already, or if there will be none.
    /// - Returns: Whether it is made, or never can be; false if it was a notice that nobody waited for any more.
    private func begin(
        _ call: AdapterCall, _ route: LinkWorkerSession.Route, isNotice: Bool, _ promise: OneShotPromise<Outcome>
    ) async -> Bool {
        while true {
            do {
                if isNotice, case .failure? = promise.fulfilledValue {
                    // This fails until Redis is back: its message is handled again only then.
                    try await database.wake(id)
                    return false
                }
                switch try await make(call, route) {
                case .underway: break
                case .over(let outcome): promise.fulfill(.success(outcome))
                case .lost:
                    if case .message(_, let partition, let token, _) = route {
                        change { $0.session.refused(partition, token: token) }
                    }
                    promise.fulfill(.failure(Self.lost))
                case .full:
                    let reason = "too much waits for \(call.adapter): its gateway is away, or too slow"
                    promise.fulfill(.failure(AdapterError(.notConnected, reason)))
                }
                return true
            } catch let error as StoreError where error.passes && route.isForMessage {
                errorLog.log(error, "can't write to Redis")
                if isClosed {
                    promise.fulfill(.failure(error))
                    return false
                }
                try? await Task.sleep(for: Self.pause)
            } catch {
                promise.fulfill(.failure(error))
                return true
            }
        }
    }

    private var isClosed: Bool { state.withLock { $0.isClosed } }

    private func make(_ call: AdapterCall, _ route: LinkWorkerSession.Route) async throws -> LinkDatabase.CallState {
        switch route {
        case .lost: .lost
        case .request(let entry, let partition):
            try await database.request(
                call, for: entry, in: partition, of: id, hasOutcome: true, limit: limits.calls)
        case .message(let entry, let partition, let token, let place):
            try await database.begin(
                call, for: entry, in: partition, token, place: place, of: id, limit: limits.calls)
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

extension LinkWorkerSession.Route {
    /// Whether it is made once for a message.
    fileprivate var isForMessage: Bool { if case .message = self { true } else { false } }
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
