import Synchronization

extension GitHub {
    /// Which checks failed the last time, so that it is told when they pass again; forgotten when the robot ends.
    final class FailingChecks: Sendable {
        private static let most = 1_000

        /// Oldest first.
        private let keys = Mutex<[String]>([])

        /// Notes what a check came to.
        ///
        /// - Returns: Whether it failed the last time.
        func note(_ result: CheckResult) -> Bool {
            keys.withLock { keys in
                let place = keys.firstIndex(of: result.key)
                if let place, result.outcome != .other { keys.remove(at: place) }
                if result.outcome == .failed {
                    if keys.count >= Self.most { keys.removeFirst() }
                    keys.append(result.key)
                }
                return place != nil
            }
        }
    }
}
