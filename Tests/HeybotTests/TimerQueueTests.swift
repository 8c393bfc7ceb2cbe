import HeybotTesting
import Testing

@testable import Heybot

@Suite(.timeLimit(.minutes(15))) struct TimerQueueTests {
    let clock = ManualClock()
    let timers: TimerQueue
    let notes = StringRecorder()

    init() {
        timers = TimerQueue(TimeSource(clock, date: { .now }))
    }

    private func pass(_ seconds: Int) {
        clock.advance(by: .seconds(seconds))
        timers.fire()
    }

    @Test func `due timers run once, earliest first`() {
        timers.after(.seconds(2)) { notes.add("two") }
        timers.after(.seconds(1)) { notes.add("one") }
        timers.after(.seconds(9)) { notes.add("nine") }
        #expect(timers.nextDue == .seconds(1))
        pass(5)
        pass(1)
        #expect(notes.all == ["one", "two"])
        #expect(timers.nextDue == .seconds(9))
    }

    @Test func `a cancelled timer doesn't run, and is released`() {
        let token = timers.after(.seconds(1)) { notes.add("one") }
        timers.cancel(token)
        timers.cancel(token)
        #expect(timers.nextDue == nil)
        for _ in 0..<10_000 { timers.cancel(timers.after(.hours(1)) {}) }
        timers.after(.seconds(1)) { notes.add("two") }
        pass(1)
        #expect(notes.all == ["two"])
    }

    @Test func `timers fire by themselves`() async {
        let done = Signal()
        timers.after(.seconds(60)) { done.set() }
        timers.after(.seconds(1)) { notes.add("early") }
        while !done.isSet {
            clock.advance(by: .seconds(1))
            await Task.yield()
        }
        #expect(notes.all == ["early"])
    }

    @Test func `a stopped queue fires only the timers that outlast that`() {
        timers.after(.seconds(1)) { notes.add("one") }
        timers.after(.seconds(2), outlastsStop: true) { notes.add("two") }
        timers.stop()
        #expect(timers.nextDue == .seconds(2))
        timers.after(.seconds(3)) { notes.add("three") }
        timers.after(.seconds(4), outlastsStop: true) { notes.add("four") }
        pass(5)
        #expect(notes.all == ["two", "four"])
        timers.close()
        timers.stop()
        timers.after(.seconds(1), outlastsStop: true) { notes.add("five") }
        pass(5)
        #expect(notes.all == ["two", "four"])
    }

    @Test func `a closed queue fires no timers`() {
        timers.after(.seconds(1)) { notes.add("one") }
        timers.close()
        timers.after(.seconds(1)) { notes.add("two") }
        pass(5)
        #expect(notes.all == [])
    }
}
