import Synchronization

extension Webhooks {
    /// The gates of all webhooks, by name.
    ///
    /// They aren't persistent.
    final class StormGates: Sendable {
        private static let most = 200

        private let gates = Mutex<[WebhookName: StormGate]>([:])

        /// Uses the gate of a webhook.
        func use<Result: Sendable>(_ name: WebhookName, _ body: (inout StormGate) -> Result) -> Result {
            gates.withLock { gates in
                // Other robots that share the brain may have revoked webhooks.
                if gates.count >= Self.most { gates = gates.filter { !$0.value.isIdle } }
                return body(&gates[name, default: StormGate()])
            }
        }

        /// Forgets the gate of a webhook that was revoked.
        func remove(_ name: WebhookName) {
            gates.withLock { _ = $0.removeValue(forKey: name) }
        }
    }
}
