import FoundationEssentials
import GatewayHost
import GatewayLink
import Heybot
import HeybotSockets
import HeybotSupport
import Logging
import Synchronization

// What workers want from the adapters.

extension RedisGateway {
    /// Reads the calls of workers; false if the gateway has ended, or is about to.
    func read() async -> Bool {
        let (adapters, last, answer, isBusy, limit) = state.withLock { state in
            state.endedSinceReading = []
            let isBusy = state.performing.count >= limits.underway
            return (Array(state.tokens.keys), state.lastRead, state.lastAnswer, isBusy, state.readLimit)
        }
        let own = "to:\(id)"
        do {
            let names = isBusy ? [] : adapters.map { ("out:\($0)", last[$0] ?? "0-0") }
            for (name, entries) in try await database.read(names + [(own, answer)], limit: limit) {
                if name == own {
                    receive(entries)
                    continue
                }
                for entry in entries {
                    guard await isHolding() else { break }
                    begin(entry, of: String(name.dropFirst(4)))
                }
            }
            state.withLock { $0.readLimit = Self.mostRead }
        } catch {
            errorLog.log(error, "can't read from Redis")
            state.withLock { state in
                // A long reply may have been the reason.
                state.readLimit = max(state.readLimit / 4, 1)
                // Another server may give new entries smaller ids, so everything is read again.
                (state.lastRead, state.lastAnswer) = ([:], "0-0")
            }
            try? await Task.sleep(for: Self.pause)
        }
        return !state.withLock { $0.isFinishing || $0.isReplaced } && !Task.isCancelled
    }

    /// Whether it has the adapters for certain: a process that stood still doesn't carry out what another one does meanwhile.
    private func isHolding() async -> Bool {
        if timeSource.now() - state.withLock({ $0.held }) < limits.leaseTime { return true }
        return (try? await holdPresent()) == true
    }

    private func begin(_ entry: StreamEntry, of adapter: String) {
        let call = QueuedCall(entry)
        let key = "\(adapter) \(entry.id)"
        let (robot, message, time): (Robot?, Message?, Int) = state.withLock { state in
            guard !state.isFinishing, !state.endedSinceReading.contains(key), state.performing.insert(key).inserted
            else {
                return (nil, nil, 0)
            }
            state.lastRead[adapter] = entry.id
            let cause = entry.text("k").map { "\($0):\(call.entry)" }
            let time = Int(timeSource.date().timeIntervalSince1970 * 1_000) + state.clockOffset
            return (state.robot, cause.flatMap { state.recent[$0] }, time)
        }
        guard let robot else { return }
        let age = Duration.milliseconds(time - StreamID(entry.id).time)
        Task.immediately(on: Connection.executor) { [self] in
            var outcome = CallOutcome(failure: .init(code: "notConnected", reason: "the gateway was away for too long"))
            if let wanted = call.call {
                if age <= limits.callTime { outcome = await perform(wanted, robot, message) }
            } else {
                logger.error("a worker wants something that can't be read: check that it has the gateway's version")
                outcome.failure = .init(code: "unsupported", reason: "the gateway has another version")
            }
            await finish(call, of: adapter, outcome)
            let promises = state.withLock { state in
                state.performing.remove(key)
                state.endedSinceReading.insert(key)
                return state.takeFlushing()
            }
            for promise in promises { promise.fulfill(()) }
        }
    }

    private func perform(_ call: AdapterCall, _ robot: Robot, _ message: Message?) async -> CallOutcome {
        let observer: String? = call.observed == nil ? nil : call.observer ?? ""
        // What an observer's code sends isn't the message's answer.
        let answered = call.observed == nil ? message : nil
        return await MessageContext.withCause(call.observed ?? answered?.id, observer: observer) {
            await call.perform(with: robot, for: answered)
        }
    }

    /// Removes a call that was carried out, again until it succeeds.
    private func finish(_ call: QueuedCall, of adapter: String, _ outcome: CallOutcome) async {
        // The adapter has disconnected: the next gateway carries it out.
        if outcome.failure?.code == "notConnected", state.withLock({ $0.isFinishing }) { return }
        while true {
            do {
                return try await database.finish(call, of: adapter, outcome)
            } catch let error as StoreError where error.passes {
                if state.withLock({ $0.isClosed }) { return }
                errorLog.log(error, "can't pass on the outcome of a call")
                try? await Task.sleep(for: Self.pause)
            } catch {
                return logger.error("the outcome of a call can't be passed on: \(error)")
            }
        }
    }
}
