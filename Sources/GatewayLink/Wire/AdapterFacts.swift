package import Heybot

/// What a worker knows of one of the gateway's adapters without asking.
package struct AdapterFacts: Codable, Hashable, Sendable {
    /// The adapter's name.
    package var name: String
    /// The status of its connection.
    package var status: AdapterStatus
    /// The number of messages in its outbound queue.
    package var queuedMessages: Int
    /// The names of its ``Heybot/MessageFeature``s, sorted.
    private var features: [String]
    /// What its server has said, as `ServerFactSharing` names it.
    package var serverFacts: [String: String]?

    /// Creates the facts of an adapter.
    package init(
        name: String, status: AdapterStatus, queuedMessages: Int = 0, features: Set<MessageFeature> = [],
        serverFacts: [String: String]? = nil
    ) {
        (self.name, self.status, self.queuedMessages) = (name, status, queuedMessages)
        self.features = features.map(\.rawValue).sorted()
        self.serverFacts = serverFacts
    }

    /// What its service can do with messages, as far as this version knows it.
    package var messageFeatures: Set<MessageFeature> { Set(features.compactMap { MessageFeature(rawValue: $0) }) }
}
