import Synchronization

/// What must be put right even if the process ends at once: the state of a terminal, say.
package enum LastMoment {
    private static let work = Mutex<[@Sendable () -> Void]>([])

    /// To be done before such an end; must not wait for anything.
    package static func add(_ body: @escaping @Sendable () -> Void) {
        work.withLock { $0.append(body) }
    }

    package static func run() {
        for body in work.withLock({ $0 }) { body() }
    }
}
