import Synchronization

/// How many bytes of bodies may be held at once, all requests together: who sends them has proved nothing yet.
final class BodyBudget: Sendable {
    private let left = Mutex(128 << 20)

    /// Takes so many; false where there aren't so many left.
    func take(_ count: Int) -> Bool {
        left.withLock { left in
            guard left >= count else { return false }
            left -= count
            return true
        }
    }

    func giveBack(_ count: Int) {
        left.withLock { $0 += count }
    }
}
