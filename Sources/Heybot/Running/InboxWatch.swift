import Dispatch
import HeybotSupport
import Synchronization

/// Looks at the inbox every 200 µs while messages wait behind running closures, so that no closure keeps the inbox for long.
///
/// Its thread starts when that happens for the first time, and sleeps when it doesn't.
final class InboxWatch: Sendable {
    /// What the thread references; it would keep the watch itself alive.
    private final class Looks: Sendable {
        /// In microseconds.
        private static let interval = 200
        /// The number of looks in vain after which the thread sleeps: messages wait only briefly, but many times in a flood.
        private static let mostInVain = 8

        private let look: @Sendable (inout Int) -> Bool
        private let isAwake = Atomic(false)
        private let isClosed = Atomic(false)
        private let hasThread = Mutex(false)
        private let semaphore = DispatchSemaphore(value: 0)

        init(_ look: @escaping @Sendable (inout Int) -> Bool) { self.look = look }

        func wake() {
            guard !isAwake.exchange(true, ordering: .sequentiallyConsistent) else { return }
            let isStarted = hasThread.withLock { hasThread in
                if !hasThread { hasThread = OSThread.start { self.run() } }
                return hasThread
            }
            // Without a thread, the watchdog of the script threads takes the inbox, later; the next call tries again.
            if isStarted { semaphore.signal() } else { isAwake.store(false, ordering: .sequentiallyConsistent) }
        }

        func close() {
            isClosed.store(true, ordering: .releasing)
            semaphore.signal()
        }

        private func run() {
            var last = 0
            while true {
                semaphore.wait()
                var inVain = 0
                while inVain < Self.mostInVain {
                    // Before the check, because it may be what takes the signal of `close`.
                    _ = semaphore.wait(timeout: .now() + .microseconds(Self.interval))
                    if isClosed.load(ordering: .acquiring) { return }
                    inVain = look(&last) ? 0 : inVain + 1
                }
                isAwake.store(false, ordering: .sequentiallyConsistent)
                // Messages may have begun to wait just before, when it still counted as awake.
                if look(&last) { wake() }
            }
        }
    }

    private let looks: Looks

    /// - Parameter look: Looks at the inbox, given what the last look left; returns whether messages wait behind closures.
    init(_ look: @escaping @Sendable (inout Int) -> Bool) { looks = Looks(look) }

    deinit { looks.close() }

    /// Looks at the inbox from now on, until no messages wait behind closures any more.
    func wake() { looks.wake() }
}
