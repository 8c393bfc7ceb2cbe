import Synchronization

extension GitHub {
    /// The checks whose last run failed, so that the robot posts when they pass again.
    ///
    /// They aren't persistent.
    final class FailingChecks: Sendable {
        private static let most = 1_000

        /// Oldest first.
        private let keys = Mutex<[String]>([])

        /// Records a result.
        ///
        /// - Returns: Whether the previous run failed.
        func record(_ result: CheckResult) -> Bool {
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
