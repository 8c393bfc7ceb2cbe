extension Task where Failure == Never, Success == Void {
    /// Runs a task on the current thread until it first waits for something, so that its beginning needs no change of threads.
    ///
    /// - Parameter executor: Where it continues after that; nil for the usual threads.
    package static func immediately(
        on executor: (any TaskExecutor)? = nil, _ work: sending @escaping () async -> Void
    ) {
        #if canImport(Darwin)
            // `Task.immediate` needs a newer system than the package does.
            Task(executorPreference: executor, operation: work)
        #else
            Task.immediate(executorPreference: executor, operation: work)
        #endif
    }
}
