package import GatewayLink
package import Heybot

/// A worker's access to the adapters of gateways.
package protocol GatewayClient: AnyObject, Sendable {
    /// Asks an adapter of a gateway for something, and waits for the outcome.
    ///
    /// - Throws: The adapter's error.
    func call(_ operation: AdapterOperation, of adapter: String) async throws -> CallOutcome

    /// Asks an adapter of a gateway for something without an outcome.
    func send(_ operation: AdapterOperation, of adapter: String)

    /// The latest facts of an adapter; nil if no gateway has such an adapter.
    func facts(of adapter: String) -> AdapterFacts?

    /// The number of messages in an adapter's outbound queue.
    func queuedMessages(of adapter: String) -> Int

    /// Has an adapter without a connection use what the gateway's adapter of the same name has learned from its server.
    func teach(_ adapter: any Adapter)

    /// Has what gateways hear put into the robot's inbox, and waits until the task is canceled.
    ///
    /// Only the first call's inbox gets it.
    func run(_ inbox: Inbox) async
}

/// What a worker knows of the adapters of gateways, and its own adapters that need it.
package struct KnownAdapters {
    private var facts: [String: AdapterFacts] = [:]
    /// The adapters without connections that need what the others have learned, by name.
    private var learners: [String: any ServerFactSharing] = [:]

    /// Creates an empty list.
    package init() {}

    /// The latest facts of an adapter; nil if no gateway has such an adapter.
    package subscript(name: String) -> AdapterFacts? { facts[name] }

    /// Notes the facts of an adapter.
    ///
    /// - Returns: What to do without a lock; nil if that is nothing.
    package mutating func note(_ new: AdapterFacts) -> (@Sendable () -> Void)? {
        facts[new.name] = new
        guard let learner = learners[new.name], let learned = new.serverFacts else { return nil }
        return { learner.adopt(learned) }
    }

    /// Adds an adapter that needs what the gateway's adapter of the same name has learned.
    ///
    /// - Returns: What to do without a lock; nil if that is nothing.
    package mutating func add(_ adapter: any Adapter) -> (@Sendable () -> Void)? {
        guard let learner = adapter as? any ServerFactSharing else { return nil }
        learners[adapter.name] = learner
        return facts[adapter.name]?.serverFacts.map { learned in { learner.adopt(learned) } }
    }
}
