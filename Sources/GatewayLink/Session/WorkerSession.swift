package import Heybot

/// A worker's side of the link, as a value.
///
/// It does no I/O, and knows no clock.
package struct WorkerSession: Sendable {
    private enum Phase: Hashable {
        /// It waits for the gateway's welcome.
        case greeting
        /// The robot is being made.
        case preparing
        case running
        /// Another worker has taken over; questions are left at this time.
        case draining(until: Duration)
        case over
    }

    /// A message that the robot handles.
    private struct OpenMessage {
        let id: Message.ID
        /// The number of calls that it has caused in each place.
        var calls: [String: Int] = [:]
    }

    /// How long questions may stay open when another worker has taken over.
    private let drainTime: Duration
    private let versions: LinkVersions
    private var phase = Phase.greeting
    private var open: [Int: OpenMessage] = [:]
    /// The numbers of the open messages.
    private var numbers: [Message.ID: Int] = [:]
    private var claims: [Claim] = []
    /// Whether open questions are waited for when another worker has taken over.
    private var keepsQuestions = true
    /// Whether it is waited until no code of the robot runs.
    private var awaitsIdle = false
    /// Whether messages that aren't done were left to the next worker.
    private var hasLeft = false
    /// Whether the connection to the gateway has ended.
    private var isCut = false
    /// The calls whose outcomes haven't come.
    private var calls: Set<Int> = []
    private var lastCall = 0

    /// Creates the session of a worker that has just started.
    ///
    /// - Parameters:
    ///   - drainTime: How long questions may stay open when another worker has taken over.
    ///   - versions: The versions of the link that it speaks.
    package init(drainTime: Duration = .seconds(60), versions: LinkVersions = .own) {
        (self.drainTime, self.versions) = (drainTime, versions)
    }

    /// Whether it has ended, or is about to.
    package var isOver: Bool { phase == .over }

    // MARK: The gateway

    /// Begins.
    ///
    /// - Parameter process: The id of this process.
    package func start(process: Int) -> [WorkerAction] { [.send(.hello(versions, process: process))] }

    /// The gateway has sent a frame.
    package mutating func received(_ frame: GatewayFrame, at now: Duration) -> [WorkerAction] {
        if case .result(let call, let outcome) = frame {
            return calls.remove(call) == nil ? [] : [.finish(call: call, outcome)]
        }
        guard phase != .over else { return [] }
        switch frame {
        case .welcome(let welcome): return take(welcome)
        case .message(let message):
            open[message.number] = OpenMessage(id: message.message.id)
            numbers[message.message.id] = message.number
            return [.hear(message)]
        case .adapters(let adapters): return [.adaptersChanged(adapters)]
        case .reload: return [.reload]
        case .endTimers: return [.stopTimers]
        case .ping(let number): return [.answerPing(number)]
        case .report(let number): return [.report(number)]
        case .commands(let number, let user, let room): return [.listCommands(number, user, room)]
        case .drain(let keepsQuestions):
            self.keepsQuestions = self.keepsQuestions && keepsQuestions
            if nextTick != nil { return leaveIfDone() }
            phase = .draining(until: now + drainTime)
            return [.endTimers] + leaveIfDone()
        case .result, .unknown: return []
        }
    }

    private mutating func take(_ welcome: Welcome) -> [WorkerAction] {
        guard phase == .greeting else { return [] }
        guard versions.oldest...versions.newest ~= welcome.version else {
            return leave("the gateway speaks version \(welcome.version) of the link, which this program doesn't know")
        }
        phase = .preparing
        return [.prepare(welcome)]
    }

    /// The robot can handle messages.
    package mutating func isReady() -> [WorkerAction] {
        guard phase == .preparing else { return [] }
        phase = .running
        return [.send(.ready)]
    }

    /// The robot was asked to stop, or has to: messages that it refuses from now on aren't done.
    ///
    /// - Parameter isWhole: Whether the gateway is to stop too, because a script has asked for it.
    package mutating func robotStops(isWhole: Bool) -> [WorkerAction] {
        switch phase {
        // The gateway has said so, or sees that the worker couldn't start.
        case .greeting, .preparing, .over: return []
        case .running, .draining:
            phase = .over
            return isWhole ? [.send(.stop)] : []
        }
    }

    /// The connection to the gateway has ended.
    package mutating func gatewayEnded() -> [WorkerAction] {
        isCut = true
        let lost = CallOutcome(failure: .init(code: "notConnected", reason: "the gateway has ended"))
        let actions = calls.sorted().map { WorkerAction.finish(call: $0, lost) }
        calls = []
        return phase == .over ? actions : actions + leave("the gateway has ended")
    }

    // MARK: Messages

    /// Everything that messages have caused has ended, or waits for a user's answer.
    package mutating func ended(_ numbers: [Int]) -> [WorkerAction] {
        let done = numbers.filter { number in
            guard let message = open.removeValue(forKey: number) else { return false }
            if self.numbers[message.id] == number { self.numbers[message.id] = nil }
            return true
        }
        guard phase != .over, !done.isEmpty else { return [] }
        return [.send(.done(done))] + leaveIfDone()
    }

    /// A question is open.
    package mutating func claimed(_ claim: Claim) -> [WorkerAction] {
        claims.append(claim)
        return phase == .over ? [] : [.send(.claim(claim))]
    }

    /// A question was answered, or left.
    package mutating func released(_ claim: Claim) -> [WorkerAction] {
        guard let index = claims.firstIndex(of: claim) else { return [] }
        claims.remove(at: index)
        guard phase != .over else { return [] }
        return [.send(.release(claim))] + leaveIfDone()
    }

    // MARK: Calls

    /// The robot wants something from an adapter.
    ///
    /// - Parameters:
    ///   - message: The message that has caused it; nil if none has.
    ///   - observer: The script whose observer's code wants it; nil if it isn't an observer's.
    /// - Returns: The call's number, and what to do. If it has an outcome, that comes as ``WorkerAction/finish(call:_:)``.
    package mutating func call(
        _ operation: AdapterOperation, of adapter: String, for message: Message.ID?, observer: String? = nil
    ) -> (call: Int, actions: [WorkerAction]) {
        lastCall += 1
        var call = AdapterCall(call: lastCall, adapter: adapter, operation: operation)
        if observer != nil { (call.observed, call.observer) = (message, observer) }
        let number = message.flatMap { numbers[$0] }
        // The next worker handles what isn't done. The rest, such as timers, goes on until the robot has stopped.
        guard !isCut, number == nil || !hasLeft else {
            let failure = CallOutcome.Failure(code: "notConnected", reason: "the robot is stopping")
            let end = WorkerAction.finish(call: lastCall, CallOutcome(failure: failure))
            return (lastCall, operation.hasOutcome ? [end] : [])
        }
        if let number, let place = call.place, let open = open[number] {
            let index = open.calls[place, default: 0]
            (call.number, call.index) = (number, index)
            self.open[number]?.calls[place] = index + 1
        }
        if operation.hasOutcome { calls.insert(lastCall) }
        return (lastCall, [.send(.call(call))])
    }

    /// A call can't be sent, such as one that is too long.
    package mutating func refused(_ call: AdapterCall, _ outcome: CallOutcome) -> [WorkerAction] {
        // The next call in its place takes its index, so that the gateway misses none.
        if let number = call.number, let place = call.place { open[number]?.calls[place] = call.index }
        return calls.remove(call.call) == nil ? [] : [.finish(call: call.call, outcome)]
    }

    // MARK: Time

    /// When ``tick(at:)`` has to be called; nil if nothing depends on the time.
    package var nextTick: Duration? { if case .draining(let end) = phase { end } else { nil } }

    /// Does what is due.
    package mutating func tick(at now: Duration) -> [WorkerAction] {
        guard case .draining(let end) = phase, end <= now else { return [] }
        // What isn't done goes to the next worker.
        return leave(nil)
    }

    private mutating func leaveIfDone() -> [WorkerAction] {
        guard isDone else { return [] }
        // A robot that stops gives the rest of its code time itself.
        if !keepsQuestions { return leave(nil) }
        guard !awaitsIdle else { return [] }
        awaitsIdle = true
        return [.waitUntilIdle]
    }

    /// No code of the robot runs, such as that of timers and web routes.
    package mutating func becameIdle() -> [WorkerAction] {
        awaitsIdle = false
        return isDone ? leave(nil) : []
    }

    /// Whether it may leave.
    private var isDone: Bool {
        guard case .draining = phase else { return false }
        return open.isEmpty && (claims.isEmpty || !keepsQuestions)
    }

    private mutating func leave(_ reason: String?) -> [WorkerAction] {
        phase = .over
        hasLeft = true
        let end = WorkerAction.leave(reason: reason)
        return reason == nil ? [.send(.drained), end] : [end]
    }
}
