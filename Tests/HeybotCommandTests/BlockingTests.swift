import Foundation
import Testing

/// Runs tests that block their thread, such as those that wait for a process, on threads of their own, eight at a time.
///
/// On the few threads that all other tests share, they would delay those.
struct BlockingTests: TestTrait, SuiteTrait, TestScoping {
    private final class Executor: TaskExecutor {
        private let queue = OperationQueue()

        init() { queue.maxConcurrentOperationCount = 8 }

        func enqueue(_ job: consuming ExecutorJob) {
            let job = UnownedJob(job)
            queue.addOperation { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
        }
    }

    private static let executor = Executor()

    var isRecursive: Bool { true }

    func provideScope(
        for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void
    ) async throws {
        try await withTaskExecutorPreference(Self.executor) { try await function() }
    }
}

extension Trait where Self == BlockingTests {
    static var blocking: Self { Self() }
}
