import Synchronization

/// What all requests may hold of bodies, and how those that lose their place to others are broken off.
final class BodyBudget: Sendable {
    private struct State: ~Copyable {
        var shares: BodyShares
        var endings: [Int: @Sendable () -> Void] = [:]
    }

    private let state: Mutex<State>

    /// - Parameter longest: The longest body that a route takes, in bytes; one such always fits if there is no other.
    init(longest: Int) {
        // A third of it is what one client of one route may have.
        state = Mutex(State(shares: BodyShares(total: max(128 << 20, min(longest, .max / 8) * 3))))
    }

    var held: Int { state.withLock { $0.shares.held } }

    /// A body begins to come; returns what it is called here.
    func begin(route: String, client: String) -> Int {
        state.withLock { $0.shares.begin(route: route, client: client, .now) }
    }

    /// Has a closure called if a body is to make room for another; its next bytes are refused in any case.
    func whenDisplaced(_ id: Int, _ ending: @escaping @Sendable () -> Void) {
        state.withLock { $0.endings[id] = ending }
    }

    /// Takes so many bytes for a body; false if there aren't so many for it.
    func take(_ count: Int, for id: Int) -> Bool {
        let (isHeld, endings) = state.withLock { state in
            let grant = state.shares.take(count, for: id, .now)
            return (grant.isHeld, grant.dropped.compactMap { state.endings.removeValue(forKey: $0) })
        }
        for ending in endings { ending() }
        return isHeld
    }

    func complete(_ id: Int) {
        state.withLock {
            $0.shares.complete(id)
            $0.endings[id] = nil
        }
    }

    func end(_ id: Int) {
        state.withLock {
            $0.shares.end(id)
            $0.endings[id] = nil
        }
    }
}
