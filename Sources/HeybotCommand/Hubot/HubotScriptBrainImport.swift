import Heybot
import Logging

/// Imports the brain of the Hubot that this robot replaces, so that its scripts go on with their data.
///
/// It is imported once, at the first start of Hubot scripts beside a Hubot's brain in the robot's Redis. The Hubot's own text stays.
/// If an import was interrupted, the next start imports what is missing; it replaces nothing that scripts have stored meanwhile.
enum HubotScriptBrainImport {
    /// Says whether an import has begun or is done, so that one that was interrupted is repeated.
    private static let marker = StoreKey(name: "hubot.import")
    private static let begun = Array(#""begun""#.utf8)
    private static let done = Array(#""done""#.utf8)

    /// Imports it, unless that was done or the scripts have data already.
    ///
    /// - Parameter store: The robot's store, which isn't open.
    static func runIfNeeded(_ store: any RemoteStore, _ logger: Logger) async {
        do {
            try await store.open()
            if let (name, count) = try await importIfNeeded(store) {
                let entries = "\(count) entr\(count == 1 ? "y" : "ies")"
                logger.notice("imported \(entries) from Hubot's brain at \(name), which stays unchanged")
            }
        } catch {
            logger.error("can't import Hubot's brain completely, so the next start tries again: \(error)")
        }
        await store.close()
    }

    private static func importIfNeeded(_ store: any RemoteStore) async throws -> (name: String, count: Int)? {
        let state = try await store.value(for: marker)
        guard state != done else { return nil }
        if state == nil, try await store.hasEntries(in: StoredHubotBrain.collection) { return nil }
        guard try await store.hasHubotBrain() else { return nil }
        try await store.set(begun, for: marker)
        return try await store.withHubotBrain { name, next in
            var reader = HubotBrainReader()
            var count = 0
            while let piece = try await next() {
                for (key, value) in try reader.read(piece) {
                    if try await store.compareAndSet(value, for: scriptKey(for: key), expecting: nil) { count += 1 }
                }
            }
            try reader.finish()
            try await store.set(done, for: marker)
            return (name, count)
        }
    }

    /// The key in the brain of Hubot scripts for an entry of a Hubot's text.
    static func scriptKey(for key: StoreKey) -> StoreKey {
        let path: [String] =
            switch HubotBrainMember(name: key.collection ?? key.name) {
            case .users: ["users"]
            case .ofPrivate(let member): ["_private", member]
            case .ofData(let member): [member]
            case nil: ["_private", key.collection ?? key.name]
            }
        let whole = key.collection == nil ? path : path + [key.name]
        return StoreKey(collection: StoredHubotBrain.collection, name: StoredHubotBrain.key(whole))
    }
}
