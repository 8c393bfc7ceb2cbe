package import NIOCore
import NIOPosix

/// The one thread that does all I/O of this process; it starts with the first connection and never ends.
package enum EventLoopThread {
    /// NIO's own shared group would have as many threads as there are cores.
    package static let group: any EventLoopGroup = MultiThreadedEventLoopGroup(numberOfThreads: 1)
    static let loop: any EventLoop = group.next()
    static let executor = EventLoopExecutor(loop)
}

/// Runs tasks on the event loop's thread.
final class EventLoopExecutor: TaskExecutor {
    private let loop: any EventLoop

    init(_ loop: any EventLoop) {
        self.loop = loop
    }

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        // From the loop's own thread this wakes nobody: it runs before the loop sleeps again.
        loop.execute { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
    }
}

extension TimeAmount {
    /// As near as it comes; a hundred years for more than that.
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
