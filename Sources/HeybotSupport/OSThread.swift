#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// A thread of the operating system, for work that may block and so must not run on the threads of Swift concurrency.
package enum OSThread {
    /// Starts a detached thread that runs `body` and ends with it; false if the system can't create a thread.
    @discardableResult
    package static func start(_ body: @escaping @Sendable () -> Void) -> Bool {
        let box = Unmanaged.passRetained(ThreadStartBox(body))
        var attributes = pthread_attr_t()
        pthread_attr_init(&attributes)
        pthread_attr_setdetachstate(&attributes, Int32(PTHREAD_CREATE_DETACHED))
        defer { pthread_attr_destroy(&attributes) }
        #if canImport(Darwin)
            var thread: pthread_t?
        #else
            var thread = pthread_t()
        #endif
        let failure = pthread_create(&thread, &attributes, runThreadBody, box.toOpaque())
        if failure != 0 { box.release() }
        return failure == 0
    }
}

private final class ThreadStartBox: Sendable {
    let run: @Sendable () -> Void
    init(_ run: @escaping @Sendable () -> Void) { self.run = run }
}

#if canImport(Darwin)
    private func runThreadBody(_ pointer: UnsafeMutableRawPointer) -> UnsafeMutableRawPointer? {
        Unmanaged<ThreadStartBox>.fromOpaque(pointer).takeRetainedValue().run()
        return nil
    }
#else
    private func runThreadBody(_ pointer: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
        if let pointer { Unmanaged<ThreadStartBox>.fromOpaque(pointer).takeRetainedValue().run() }
        return nil
    }
#endif
