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
    /// - Parameter kind: The listener's kind, or `catchAll` if nothing has matched the message.
    /// - Returns: Whether later listeners don't get the message.
    /// - Throws: ``SkipListener`` if the listener doesn't match; ``UnconfirmedMatchError`` if the process ended before it said
    ///   so and the user expects an answer.
    @discardableResult
    func call(
        _ listener: ListenerKey, _ call: RemoteListenerCall, kind: AnnouncedListener.Kind
    ) async throws -> Bool {
        if let other = newerDriver(for: call.routed.number) {
            return try await other.call(listener, call, kind: kind)
        }
        let holds = call.hasConditions
        let isCommand = kind == .respond
        let (run, promise) = begin(call) { state in
            let message = self.wire(
                call.routed, kind: kind.question(about: call.message), command: call.command, &state)
            return state.session.ask(listener, about: message, hold: holds, expectsAnswer: isCommand)
        }
        var result: RunResult
        do {
            result = try await wait(for: promise, of: run)
        } catch let error as HostLost {
            // Only a command's user expects an answer.
            guard isCommand else { throw SkipListener() }
            let lost = HostLost(script: listener.script)
            throw error.hasMatched ? lost : UnconfirmedMatchError(lost)
        } catch is HostReplaced {
            guard let other = successor else { throw HostLost(script: listener.script) }
            return try await other.call(listener, call, kind: kind)
        }
        guard result.matched == true else { throw SkipListener() }
        if result.held == true {
            guard try await mayRun(call, run) else { return false }
            do {
                result = try await resume(run)
            } catch is HostLost {
                guard isCommand else { return false }
                throw HostLost(script: listener.script)
            }
            guard result.matched == true else { throw SkipListener() }
        }
        if let text = result.text { call.replaceText(text) }
        if result.finished == true { call.finish() }
        if let error = result.error { throw HubotListenerError(description: error) }
        return result.finished == true
    }

    private func mayRun(_ call: RemoteListenerCall, _ run: Int) async throws -> Bool {
        do {
            guard try await call.mayRun() else {
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
        let isOld = state.withLock { state in
            let isKnown = message.map { state.told.contains($0) } ?? false
            return state.session.isClosing || state.session.isRetiring && !isKnown
        }
        return isOld ? successor : nil
    }

    /// The driver of the scripts' present version, if this one is a previous version's.
    var successor: HostSessionDriver? {
        guard let latest = state.withLock({ $0.host })?.latest, latest !== self else { return nil }
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
            let (run, actions) = state.session.ask(
                MiddlewareQuestion(kind, message, listenerID: listenerID, method: method, strings: strings))
            if routed.depth > 0 { state.noteDepth(routed.depth, of: run) }
            return (run, actions)
        }
        let limit = Task {
            try await Task.sleep(for: Self.middlewareTime)
            promise.fulfill(.failure(HostLost(script: "middleware")))
        }
        defer { limit.cancel() }
        do {
            return try await wait(for: promise, of: run)
        } catch is HostReplaced {
            return try await successor?.ask(
                kind, about: routed, listenerID: listenerID, method: method, strings: strings)
        } catch is HostLost {
            perform { $0.cancel(run) }
            logger.warning("the Hubot scripts' \(kind.rawValue) middleware didn't respond in time, so it was skipped")
            return nil
        }
    }

    private func begin(
        _ call: RemoteListenerCall?, _ ask: (inout State) -> (run: Int, [HostAction])
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
        var message = state.names.wire(
            routed.message, number: number, kind: kind, command: command, token: injection?.token)
        message.disabled = disabledScripts(in: routed.message.room, state)
        return message
    }

    /// The scripts that are off, everywhere or in a room; nil if there are none.
    func disabledScripts(in room: Room?, _ state: State) -> [String]? {
        guard let switches = state.robot?.switches, !switches.off.isEmpty || !switches.offInRoom.isEmpty else {
            return nil
        }
        let scripts = state.session.scripts.map(\.id).filter { script in
            switches.off.contains(script) || room.map { !switches.isOn(script, in: $0) } ?? false
        }
        return scripts.isEmpty ? nil : scripts
    }

    /// A user was seen.
    func saw(_ message: Message) {
        change { state in
            state.names.remember(message)
            self.carryOut(state.session.saw(state.names.wire(message.user)), &state)
        }
    }
}
