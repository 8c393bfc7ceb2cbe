import Logging
import Synchronization

/// Code of a script that observes every message.
package final class MessageObserver: Sendable {
    /// Looks at a message, and returns what to do about it; nil for nothing.
    package typealias Observation = @Sendable (Message, Robot) -> (@Sendable () async throws -> Void)?

    let script: String
    let observation: Observation
    let work = ObserverWorkLimit()
    /// What a crash report names if the observation crashes.
    let crashOrigin: CrashReporter.PreparedOrigin

    init(script: String, observation: @escaping Observation) {
        (self.script, self.observation) = (script, observation)
        crashOrigin = CrashReporter.PreparedOrigin(script: script, part: "observer")
    }
}

/// Limits how much of an observer's work is under way at the same time.
///
/// While the brain is unavailable, each piece of it may wait until its deadline.
final class ObserverWorkLimit: Sendable {
    private static let most = 64

    private let state = Mutex((running: 0, isDropping: false))

    /// Counts work that begins, if there is room for it.
    ///
    /// - Returns: Whether there is room; if not, also whether nothing was dropped since less than half of it was taken.
    func begin() -> (hasBegun: Bool, isFirstDropped: Bool) {
        state.withLock { state in
            guard state.running >= Self.most else {
                state.running += 1
                return (true, false)
            }
            defer { state.isDropping = true }
            return (false, !state.isDropping)
        }
    }

    /// Counts work that has ended.
    func end() {
        state.withLock { state in
            state.running -= 1
            if state.running < Self.most / 2 { state.isDropping = false }
        }
    }
}

/// Code of a script that observes what the robot says.
struct DeliveryObserver: Sendable {
    /// Looks at what the robot has said, where, and whether it replaces what it said before.
    typealias Observation = @Sendable (Utterance, Envelope, _ isEdit: Bool, Robot) async -> Void

    let script: String
    let observation: Observation
}

extension RobotBuilder {
    /// Observes what the robot has said, in answer to a message or not, except what it relays.
    ///
    /// - Parameter observation: Called when the adapter has accepted the utterance. The code that has sent it waits for
    ///   this call, so the call must be short.
    package mutating func observeDeliveries(
        _ observation: @escaping @Sendable (Utterance, Envelope, _ isEdit: Bool, Robot) async -> Void
    ) {
        deliveryObservers.append(DeliveryObserver(script: script, observation: observation))
    }

    /// Observes all messages, of any kind, as the adapters have received them.
    ///
    /// An observer isn't a listener: it neither handles a message nor delays it. It doesn't get the messages of ignored users, in
    /// rooms in which the script is disabled, of scripts, or that the robot runs in the name of a user.
    ///
    /// - Parameter observation: Called for each message before it is matched, perhaps on the adapter's thread, so it must be fast,
    ///   and wait for nothing: the messages of an adapter come one after another. What it returns runs on the script threads,
    ///   with the robot's deadline, while listeners handle the message. It is dropped while 64 runs of this observer's work are
    ///   under way.
    package mutating func observe(_ observation: @escaping MessageObserver.Observation) {
        observers.append(MessageObserver(script: script, observation: observation))
    }
}

extension Dispatcher {
    /// Shows a message to the observers, and starts what they return.
    func observe(_ inbound: InFlightMessage) {
        if inbound.isReceived { observe(inbound.message, inbound) }
    }

    /// Shows a message to the observers, and starts what they return.
    ///
    /// - Parameter inbound: Follows what an observer starts, which is rare; called once for each.
    func observe(_ message: Message, _ inbound: @autoclosure () -> InFlightMessage) {
        let observers = registry.observers
        guard !observers.isEmpty, let robot else { return }
        let (room, switches) = (message.room, toggles.value)
        CrashReporter.enter(message: message.id)
        let areAllOn = switches.disablesNone
        for observer in observers where areAllOn || switches.isOn(observer.script, in: room) {
            CrashReporter.enter(observer.crashOrigin)
            guard let work = observer.observation(message, robot), begins(observer) else { continue }
            let inbound = inbound()
            inbound.beginFollowUp()
            runner.inFlight.begin()
            Task { [runner] in
                await MessageContext.$cause.withValue(MessageContext.Cause(message.id, observer: observer.script)) {
                    _ = await runner.run(RunningScriptPart(script: observer.script, part: "observer"), work)
                }
                observer.work.end()
                runner.inFlight.end()
                inbound.endFollowUp()
            }
        }
        CrashReporter.enter(DispatchTaskHandle.receiving)
    }

    /// Counts work of an observer that begins; false if there is no room for it.
    private func begins(_ observer: MessageObserver) -> Bool {
        let (hasBegun, isFirstDropped) = observer.work.begin()
        if isFirstDropped {
            logger.warning(
                "too much work of an observer is under way, so it misses messages",
                metadata: ["script": "\(observer.script)"])
        }
        return hasBegun
    }
}
