package import GatewayLink
package import Heybot
import Synchronization

// What the workers know of the adapters without asking.

extension GatewayDriver {
    /// The facts of all adapters, with a number that is greater than those of facts whose reading has begun before.
    struct PresentFacts {
        /// The number.
        let number: Int
        /// The facts.
        let adapters: [AdapterFacts]
    }

    /// How old the facts of adapters may be when the workers get a message.
    static let longestAge: Duration = .milliseconds(100)

    /// Reads the facts of all adapters; nil if they aren't that old.
    func presentFacts(ifOlderThan age: Duration = .zero) -> PresentFacts? {
        let now = timeSource.now()
        let (number, adapters): (Int, [any Adapter]) = state.withLock { state in
            guard let robot = state.robot, now - state.factsTime >= age else { return (0, []) }
            state.factsTime = now
            state.lastFacts += 1
            return (state.lastFacts, robot.adapters)
        }
        return number == 0 ? nil : PresentFacts(number: number, adapters: adapters.map { AdapterFacts($0) })
    }

    /// Tells the workers how many messages wait in the adapters' queues: now, and each second until none does.
    ///
    /// Scripts such as the relay send only while few do.
    func tellQueues() {
        if let facts = presentFacts(ifOlderThan: .milliseconds(10)) {
            change { $0.tell(facts) }
            if facts.adapters.allSatisfy({ $0.queuedMessages == 0 }) { return }
        }
        let isFirst: Bool = state.withLock { state in
            defer { state.looksAtQueues = true }
            return !state.looksAtQueues
        }
        guard isFirst else { return }
        timers.after(.seconds(1)) { [weak self] in
            guard let self else { return }
            Task { [self] in
                state.withLock { $0.looksAtQueues = false }
                tellQueues()
            }
        }
    }

    /// Tells the workers when an adapter's connection is established or lost.
    func watch(_ adapters: [any Adapter]) {
        for adapter in adapters {
            (adapter as? any StatusAnnouncing)?.onStatusChange { [weak self] in
                guard let self else { return }
                Task { [self] in
                    let facts = presentFacts()
                    change { $0.tell(facts) }
                }
            }
        }
    }
}

extension AdapterFacts {
    /// The present facts of an adapter.
    package init(_ adapter: any Adapter) {
        self.init(
            name: adapter.name, status: adapter.status,
            queuedMessages: (adapter as? any OutboundQueueing)?.queuedMessages ?? 0,
            features: (adapter as? any MessageChanging)?.messageFeatures ?? [],
            serverFacts: (adapter as? any ServerFactSharing)?.serverFacts)
    }
}
