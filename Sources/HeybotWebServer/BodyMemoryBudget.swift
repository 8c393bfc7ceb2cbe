import Synchronization

/// The memory limit for the bodies of all requests.
///
/// Requests whose memory is given to others are canceled.
final class BodyMemoryBudget: Sendable {
    private struct State: ~Copyable {
        var quota: BodyEvictionPolicy
        var endings: [Int: @Sendable () -> Void] = [:]
    }

    private let state: Mutex<State>

    /// - Parameter longest: The largest body that a route accepts, in bytes; one such body always fits if there is no other.
    init(longest: Int) {
        // One client may use a third of it on one route.
        state = Mutex(State(quota: BodyEvictionPolicy(total: max(128 << 20, min(longest, .max / 8) * 3))))
    }

    var held: Int { state.withLock { $0.quota.held } }

    /// Registers a body, and returns its id.
    func begin(route: String, client: String) -> Int {
        state.withLock { $0.quota.begin(route: route, client: client, .now) }
    }

    /// Sets a closure that is called if a body is evicted to make room for another.
    ///
    /// An evicted body's further bytes are refused.
    func onEviction(_ id: Int, _ ending: @escaping @Sendable () -> Void) {
        state.withLock { $0.endings[id] = ending }
    }

    /// Reserves bytes for a body; false if there is no room.
    func reserve(_ count: Int, for id: Int) -> Bool {
        let (isGranted, endings) = state.withLock { state in
            let grant = state.quota.reserve(count, for: id, .now)
            return (grant.isGranted, grant.evicted.compactMap { state.endings.removeValue(forKey: $0) })
        }
        for ending in endings { ending() }
        return isGranted
    }

    /// Marks a body as complete, so that it can't be evicted.
    func complete(_ id: Int) {
        state.withLock {
            $0.quota.complete(id)
            $0.endings[id] = nil
        }
    }

    /// Releases a body's memory.
    func end(_ id: Int) {
        state.withLock {
            $0.quota.end(id)
            $0.endings[id] = nil
        }
    }
}
