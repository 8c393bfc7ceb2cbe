import HeybotSupport
import TestServers
import Testing

@testable import HubotHost

@Suite(.timeLimit(.minutes(15))) struct SerialJobQueuesTests {
    @Test func `a queue is idle when its last job is done, whatever the others do`() async throws {
        let queues = SerialJobQueues()
        let (started, ended) = (OneShotPromise<Void>(), OneShotPromise<Void>())
        #expect(queues.isIdle("a"))
        let isAdded = queues.add(to: "a") {
            started.fulfill(())
            await ended.value()
        }
        #expect(isAdded)
        #expect(!queues.isIdle("a"))
        #expect(queues.isIdle("b"))
        queues.begin()
        await started.value()
        // It isn't in the queue any more, but isn't done either.
        #expect(!queues.isIdle("a"))
        ended.fulfill(())
        try await wait(for: "the end of the job") { queues.isIdle("a") }
    }
}
