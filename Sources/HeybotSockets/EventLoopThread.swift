package import NIOCore
import NIOPosix

/// The single I/O thread of the process; it starts with the first connection and never ends.
package enum EventLoopThread {
    /// NIO's shared group would have one thread per core.
    package static let group: any EventLoopGroup = MultiThreadedEventLoopGroup(numberOfThreads: 1)
    static let loop: any EventLoop = group.next()
    static let executor = EventLoopTaskExecutor(loop)
}

/// Runs tasks on the event loop's thread.
final class EventLoopTaskExecutor: TaskExecutor {
    private let loop: any EventLoop

    init(_ loop: any EventLoop) {
        self.loop = loop
    }

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        // Called on the event loop's thread, this needs no wakeup.
        loop.execute { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
    }
}

extension TimeAmount {
    /// Converts a duration, limited to the range from zero to a hundred years.
    package init(clamping duration: Duration) {
        let limit: Int64 = 100 * 365 * 86_400
        let (seconds, attoseconds) = duration.components
        self =
            if seconds >= limit {
                .seconds(limit)
            } else if seconds < 0 {
                .zero
            } else {
                .seconds(seconds) + .nanoseconds(max(attoseconds, 0) / 1_000_000_000)
            }
    }
}
