import Heybot
import NetworkAdapter
import Synchronization
import Testing

/// How far sent messages have come, and who waits for that.
@Suite(.timeLimit(.minutes(15))) struct DeliveryTrackerTests {
    private final class Shared: Sendable {
        private let tracker = Mutex(DeliveryTracker())

        func act(_ change: (inout DeliveryTracker) -> Void) { tracker.withLock { change(&$0) } }

        /// - Parameter isOver: Whether the limit is over before the wait begins.
        func wait(for id: String, _ stage: DeliveryStage, isOver: Bool = false) async -> Bool {
            let number = tracker.withLock { $0.nextNumber() }
            if isOver { act { $0.abandon(number) } }
            return await withCheckedContinuation { continuation in
                tracker.withLock { $0.wait(number, for: id, stage, continuation) }
            }
        }
    }

    private let shared = Shared()

    @Test func `a user who has seen a message has received it, and has seen the earlier ones`() async {
        shared.act {
            for (id, user) in [("1", "ada"), ("2", "bob"), ("3", "ada"), ("4", "ada")] { $0.track(id, in: user) }
            $0.confirm("2", .delivered)
            $0.confirm("3", .seen)
            // A late receipt takes nothing back.
            $0.confirm("3", .delivered)
            $0.confirm("unknown", .seen)
        }
        for id in ["1", "3"] {
            #expect(await shared.wait(for: id, .delivered))
            #expect(await shared.wait(for: id, .seen))
        }
        #expect(await shared.wait(for: "2", .delivered))
        async let isTwoSeen = shared.wait(for: "2", .seen)
        async let isFourThere = shared.wait(for: "4", .delivered)
        shared.act {
            // It has arrived before.
            $0.fail("2")
            $0.confirm("2", .seen)
            $0.fail("4")
        }
        #expect(await isTwoSeen)
        #expect(await !isFourThere)
    }

    @Test func `callers wait until the message has come so far`() async {
        shared.act { $0.track("1", in: "ada") }
        async let isThere = shared.wait(for: "1", .delivered)
        async let isSeen = shared.wait(for: "1", .seen)
        shared.act { $0.confirm("1", .delivered) }
        #expect(await isThere)
        shared.act { $0.confirm("1", .seen) }
        #expect(await isSeen)
    }

    @Test func `a wait whose limit is over before it begins ends at once`() async {
        shared.act { $0.track("1", in: "ada") }
        #expect(await !shared.wait(for: "1", .delivered, isOver: true))
        shared.act { $0.confirm("1", .delivered) }
        #expect(await shared.wait(for: "1", .delivered, isOver: true))
    }

    @Test func `a message that isn't tracked, or not any more, is never confirmed`() async {
        #expect(await !shared.wait(for: "1", .delivered))
        shared.act {
            for number in 0...200 { $0.track("\(number)", in: "ada") }
            $0.confirm("0", .seen)
            $0.confirm("1", .seen)
        }
        #expect(await !shared.wait(for: "0", .delivered))
        #expect(await shared.wait(for: "1", .seen))
    }
}
