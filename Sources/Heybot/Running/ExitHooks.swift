import Synchronization

/// Clean-up that must run even if the process exits immediately, such as restoring the terminal.
package enum ExitHooks {
    private static let work = Mutex<[@Sendable () -> Void]>([])

    /// Adds a hook.
    ///
    /// It must not block.
    package static func add(_ body: @escaping @Sendable () -> Void) {
        work.withLock { $0.append(body) }
    }

    /// Runs all hooks.
    package static func run() {
        for body in work.withLock({ $0 }) { body() }
    }
}
