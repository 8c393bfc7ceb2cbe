extension Webhooks {
    /// The alerts of a webhook that are known to fire.
    struct FiringAlerts: Sendable {
        private static let mostAlerts = 20_000
        private static let mostNames = 1_000

        /// The hashes of the alerts' keys, by name.
        private var keys: [String: Set<Int>] = [:]
        private(set) var count = 0
        /// Whether all are known; false if there were too many since the last time when none fired.
        private(set) var isComplete = true

        /// The number of alerts by name.
        var counts: [String: Int] { keys.mapValues(\.count) }

        /// Records that an alert fires or is resolved.
        ///
        /// An alert that is resolved may have begun to fire before the robot started, so it needn't be known.
        ///
        /// - Returns: Whether this is a change.
        mutating func record(_ alert: Alert) -> Bool {
            let key = alert.key.hashValue
            let isKnown = keys[alert.name]?.contains(key) == true
            if alert.isResolved {
                guard isKnown else { return !alert.isRoutine || !isComplete }
                remove(key, alert.name)
                return true
            }
            guard !isKnown else { return false }
            guard count < Self.mostAlerts, keys[alert.name] != nil || keys.count < Self.mostNames else {
                isComplete = false
                return true
            }
            keys[alert.name, default: []].insert(key)
            count += 1
            return true
        }

        /// Undoes changes that couldn't be posted, so that their repetition is posted.
        ///
        /// Other alerts than routine ones are posted in any case.
        mutating func revert(_ changes: [Alert]) {
            for alert in changes where alert.isRoutine && alert.isResolved {
                if keys[alert.name, default: []].insert(alert.key.hashValue).inserted { count += 1 }
            }
        }

        private mutating func remove(_ key: Int, _ name: String) {
            keys[name]?.remove(key)
            if keys[name]?.isEmpty == true { keys[name] = nil }
            count -= 1
            if count == 0 { isComplete = true }
        }
    }
}
