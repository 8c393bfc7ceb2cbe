extension Task where Failure == Never, Success == Void {
    /// Runs a task on the current thread until it first waits for something, so that its beginning needs no change of threads.
    package static func immediately(_ work: sending @escaping () async -> Void) {
        #if canImport(Darwin)
            // `Task.immediate` needs a newer system than the package does.
            Task(operation: work)
        #else
            Task.immediate(operation: work)
        #endif
    }
}
