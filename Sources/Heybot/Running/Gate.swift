import Synchronization

/// Something that happens once; whoever waits for it goes on then.
final class Gate: Sendable {
    private struct State {
        var isOpen = false
        var waiting: [CheckedContinuation<Void, Never>] = []
    }

    private let state = Mutex(State())

    func open() {
        let waiting: [CheckedContinuation<Void, Never>] = state.withLock { state in
            defer { state = State(isOpen: true) }
            return state.waiting
        }
        for continuation in waiting { continuation.resume() }
    }

    func wait() async {
        await withCheckedContinuation { continuation in
            let isOpen = state.withLock {
                if !$0.isOpen { $0.waiting.append(continuation) }
                return $0.isOpen
            }
            if isOpen { continuation.resume() }
        }
    }
}
