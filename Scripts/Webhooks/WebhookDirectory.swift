import Heybot

extension Webhooks {
    /// The webhooks, stored in the brain by their names.
    struct WebhookDirectory: Sendable {
        private static let webhooks = BrainCollection<Webhook>("webhooks.addresses")
        /// The lines of summaries that robots hadn't posted when they stopped.
        private static let pending = BrainCollection<[String]>("webhooks.pending")
        private static let most = 100
        private static let mostPendingLines = 20

        let brain: Brain

        /// Stores a webhook, and returns its name.
        ///
        /// - Parameter chosen: The name; nil for the lowest number that is free.
        /// - Throws: A ``Refusal`` if the name is taken, or if there are too many webhooks.
        func add(_ webhook: Webhook, named chosen: WebhookName?) async throws -> WebhookName {
            let taken = Set(try await all().map(\.name))
            guard taken.count < Self.most else {
                throw Refusal("I have \(Self.most) webhooks, and can't have more: revoke some of them first.")
            }
            let free = (1...Self.most * 2).map(WebhookName.init(number:)).filter { !taken.contains($0) }
            for name in chosen.map({ [$0] }) ?? free {
                let isFree: Bool = try await brain.update(Self.webhooks, name.description) { entry in
                    guard entry == nil else { return false }
                    entry = webhook
                    return true
                }
                if isFree { return name }
            }
            let name = chosen?.description ?? ""
            throw Refusal("There is already a webhook \(name). Choose another name, or say: revoke webhook \(name).")
        }

        /// Returns the webhook of a name; nil if there is none.
        func webhook(_ name: WebhookName) async throws -> Webhook? {
            try await brain.recall(Self.webhooks, name.description)
        }

        /// Stores the lines of a summary that isn't posted, for the next start.
        func store(pending lines: [String], of name: WebhookName) async throws {
            try await brain.update(Self.pending, name.description, default: []) { stored in
                stored = Array((stored + lines).suffix(Self.mostPendingLines))
            }
        }

        /// The webhooks with lines that were stored for the next start.
        func pendingNames() async throws -> [WebhookName] {
            var names: [WebhookName] = []
            for try await (name, _) in brain.entries(Self.pending) {
                if let name = WebhookName(name) { names.append(name) }
            }
            return names
        }

        /// Removes the lines that were stored for a webhook, and returns them: only one robot gets them.
        func takePending(of name: WebhookName) async throws -> [String] {
            let taken: [String]? = try await brain.update(Self.pending, name.description) { entry in
                defer { entry = nil }
                return entry
            }
            return taken ?? []
        }

        /// Removes a webhook, and returns it; nil if there is none.
        func remove(_ name: WebhookName) async throws -> Webhook? {
            try await brain.forget(Self.pending, name.description)
            let removed: Webhook? = try await brain.update(Self.webhooks, name.description) { entry in
                defer { entry = nil }
                return entry
            }
            return removed
        }

        /// Returns all webhooks, sorted by room and name.
        func all() async throws -> [(name: WebhookName, webhook: Webhook)] {
            var found: [(name: WebhookName, webhook: Webhook)] = []
            for try await (name, webhook) in brain.entries(Self.webhooks) {
                if let name = WebhookName(name) { found.append((name, webhook)) }
            }
            return found.sorted {
                ($0.webhook.room.description, $0.name.description) < ($1.webhook.room.description, $1.name.description)
            }
        }
    }
}
