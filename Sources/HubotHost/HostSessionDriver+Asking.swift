import Heybot
import HeybotSupport
import Logging
import Synchronization

// What the robot asks the host, on behalf of a listener or of middleware.

extension HostSessionDriver {
    /// How long middleware of scripts may take for what the robot does itself.
    private static let middlewareTime: Duration = .seconds(5)

    private typealias Promise = OneShotPromise<Result<RunResult, any Error>>

    /// Asks a listener about a message, and runs the robot's middleware if it matches.
    ///
    /// Returns when the listener's synchronous part is over.
    ///
    /// - Parameter kind: The kind of message, as the protocol names it.
    /// - Throws: ``SkipListener`` if the listener doesn't match.
    func call(_ listener: ListenerKey, _ call: RemoteCall, kind: String) async throws {
        if let other = newerDriver(for: call.routed.number) {
            return try await other.call(listener, call, kind: kind)
        }
        let holds = call.hasMiddleware
        let isCommand = call.listener.trigger == .respond
        let (run, promise) = begin(call) { state in
            let message = self.wire(call.routed, kind: kind, command: call.command, &state)
            return state.session.ask(listener, about: message, hold: holds, expectsAnswer: isCommand)
        }
        var result: RunResult
        do {
            result = try await wait(for: promise, of: run)
        } catch is HostLost where !isCommand {
            // Nobody expects an answer.
            throw SkipListener()
        }
        guard result.matched == true else { throw SkipListener() }
        if result.held == true {
            guard try await passesMiddleware(call, run) else { return }
            result = try await resume(run)
        }
        if let text = result.text { call.replaceText(text) }
        if result.finished == true { call.finish() }
        if let error = result.error { throw HubotListenerError(description: error) }
    }

    private func passesMiddleware(_ call: RemoteCall, _ run: Int) async throws -> Bool {
        do {
            guard try await call.passesMiddleware() else {
                abandon(run)
                return false
            }
            return true
        } catch {
            abandon(run)
            throw error
        }
    }

    /// The listener of a run that is held doesn't run.
    private func abandon(_ run: Int) {
        change { state in
            self.carryOut(state.session.resume(run, continues: false), &state)
            state.calls[run] = nil
        }
    }

    /// The driver of the scripts' present version, if this one doesn't answer questions about a message any more.
    func newerDriver(for message: Int?) -> HostSessionDriver? {
        let host = state.withLock { state -> HubotHost? in
            let isKnown = message.map { state.told.contains($0) } ?? false
            return state.session.isOver || state.session.isRetiring && !isKnown ? state.host : nil
        }
        guard let latest = host?.latest, latest !== self else { return nil }
        return latest
    }

    private func resume(_ run: Int) async throws -> RunResult {
        let promise = Promise()
        change { state in
            state.waiting[run] = promise
            self.carryOut(state.session.resume(run, continues: true), &state)
        }
        return try await wait(for: promise, of: run)
    }

    /// Asks the scripts' middleware; nil if it needn't be asked, or doesn't answer.
    func ask(
        _ kind: MiddlewareKind, about routed: InFlightMessageHandle, listenerID: String? = nil, method: String? = nil,
        strings: [String]? = nil
    ) async throws -> RunResult? {
        if let other = newerDriver(for: routed.number) {
            return try await other.ask(kind, about: routed, listenerID: listenerID, method: method, strings: strings)
        }
        guard state.withLock({ $0.session.asksMiddleware(kind) }) else { return nil }
        let (run, promise) = begin(nil) { state in
            let message = self.wire(routed, kind: routed.message.hubotKind, command: nil, &state)
            return state.session.ask(
                MiddlewareQuestion(kind, message, listenerID: listenerID, method: method, strings: strings))
        }
        let limit = Task {
            try await Task.sleep(for: Self.middlewareTime)
            promise.fulfill(.failure(HostLost(script: "middleware")))
        }
        defer { limit.cancel() }
        do {
            return try await wait(for: promise, of: run)
        } catch is HostLost {
            perform { $0.cancel(run) }
            logger.warning("the Hubot scripts' \(kind.rawValue) middleware didn't respond in time, so it was skipped")
            return nil
        }
    }

    private func begin(
        _ call: RemoteCall?, _ ask: (inout State) -> (run: Int, [HostAction])
    ) -> (run: Int, Promise) {
        let promise = Promise()
        let run = change { state in
            let (run, actions) = ask(&state)
            state.waiting[run] = promise
            state.calls[run] = call
            self.carryOut(actions, &state)
            return run
        }
        return (run, promise)
    }

    private func wait(for promise: Promise, of run: Int) async throws -> RunResult {
        do {
            return try await promise.result()
        } catch let error as CancellationError {
            change { state in
                state.waiting[run] = nil
                self.carryOut(state.session.cancel(run), &state)
            }
            throw error
        }
    }

    /// A message as the host gets it, which learns when the robot has finished with it.
    private func wire(_ routed: InFlightMessageHandle, kind: String, command: String?, _ state: inout State)
        -> WireMessage
    {
        let number = routed.number
        state.names.remember(routed.message)
        // Not under the lock: the message may be over, and then the action runs at once.
        if state.told.insert(number).inserted { state.begun.append(routed) }
        // Another process knows nothing of the object that this one has made.
        let injection = routed.injection.flatMap { $0.process == state.process ? $0 : nil }
        return state.names.wire(routed.message, number: number, kind: kind, command: command, token: injection?.token)
    }

    /// A user was seen.
    func saw(_ message: Message) {
        change { state in
            state.names.remember(message)
            self.carryOut(state.session.saw(state.names.wire(message.user)), &state)
        }
    }
}
