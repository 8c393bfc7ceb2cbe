import Dispatch
import HeybotSupport
import Synchronization

/// Looks at the inbox while messages wait behind running closures, so that no closure keeps the inbox for longer than two
/// milliseconds.
///
/// Its thread starts when that happens for the first time, and sleeps when it doesn't.
final class InboxWatch: Sendable {
    /// What the thread references; it would keep the watch itself alive.
    private final class Looks: Sendable {
        /// The time until the next look, in microseconds.
        ///
        /// It is the shortest after a look that has found waiting messages, and doubles after each look in vain, because in a
        /// lively chat, many messages wait for some microseconds.
        private static let intervals = 200...1_600
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
                var (inVain, interval) = (0, Self.intervals.lowerBound)
                while inVain < Self.mostInVain {
                    // Before the check, because it may be what takes the signal of `close`.
                    _ = semaphore.wait(timeout: .now() + .microseconds(interval))
                    if isClosed.load(ordering: .acquiring) { return }
                    let isDelayed = look(&last)
                    (inVain, interval) =
                        isDelayed
                        ? (0, Self.intervals.lowerBound) : (inVain + 1, min(interval * 2, Self.intervals.upperBound))
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
