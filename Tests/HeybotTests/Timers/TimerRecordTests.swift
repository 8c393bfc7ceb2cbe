import FoundationEssentials
import Testing

@testable import Heybot

@Suite struct TimerRecordTests {
    private func at(_ second: Double) -> Date { Date(timeIntervalSinceReferenceDate: second) }

    private func leasedTimer(interval: Int? = nil) -> TimerRecord {
        var record = TimerRecord(date: at(100), interval: interval, payload: "{}")
        _ = record.takeLease(for: "one", at: at(100.5), until: at(190))
        return record
    }

    @Test func `only a timer that is due is leased, and once`() {
        var record = TimerRecord(date: at(100), payload: "{}")
        let tooEarly = record.takeLease(for: "one", at: at(99.9), until: at(190))
        #expect(!tooEarly && record.attempts == 0 && record.robot == nil)
        let onTime = record.takeLease(for: "one", at: at(100), until: at(190))
        let tooLate = record.takeLease(for: "other", at: at(189), until: at(280))
        #expect(onTime && !tooLate)
        #expect(record.robot == "one" && record.due == at(190) && record.date == at(100) && record.attempts == 1)
        let afterTheLease = record.takeLease(for: "other", at: at(190), until: at(280))
        #expect(afterTheLease && record.robot == "other" && record.attempts == 2)
    }

    @Test func `a lease that the robot didn't know of isn't an attempt`() {
        var record = leasedTimer()
        let isRenewed = record.takeLease(for: "one", at: at(190), until: at(280))
        #expect(isRenewed && record.attempts == 1 && record.due == at(280))
    }

    @Test func `a timer that has fired is removed, or set for its next time`() {
        let leased = leasedTimer()
        var record: TimerRecord? = leased
        TimerRecord.settle(&record, leased: leased, .done(next: nil))
        #expect(record == nil)
        record = leased
        TimerRecord.settle(&record, leased: leased, .done(next: at(500)))
        #expect(record == TimerRecord(date: at(500), payload: "{}"))
    }

    @Test func `a timer that failed keeps its time and the number of attempts`() {
        let leased = leasedTimer()
        var record: TimerRecord? = leased
        let isSettled = TimerRecord.settle(&record, leased: leased, .failed(retry: at(130)))
        #expect(isSettled)
        #expect(record?.date == at(100) && record?.due == at(130) && record?.attempts == 1 && record?.robot == nil)
    }

    @Test func `a timer whose handler wasn't called is as before`() {
        let leased = leasedTimer()
        var record: TimerRecord? = leased
        TimerRecord.settle(&record, leased: leased, .notCalled(retry: at(100)))
        #expect(record == TimerRecord(date: at(100), payload: "{}"))
    }

    @Test func `a timer that was changed, canceled or leased again stays as it is`() {
        let old = leasedTimer()
        var canceled: TimerRecord?
        TimerRecord.settle(&canceled, leased: old, .done(next: at(500)))
        #expect(canceled == nil)
        let replaced = TimerRecord(date: at(700), payload: "{}")
        var record: TimerRecord? = replaced
        TimerRecord.settle(&record, leased: old, .done(next: nil))
        #expect(record == replaced)
        var taken = old
        _ = taken.takeLease(for: "other", at: at(190), until: at(280))
        record = taken
        let isSettled = TimerRecord.settle(&record, leased: old, .done(next: nil))
        #expect(record == taken && !isSettled)
    }

    @Test(arguments: [(100.0, 160.0), (99, 160), (0, 160), (159.9, 160), (160, 220), (10_000, 10_060)])
    func `intervals count from the time that was set`(_ now: Double, _ next: Double) {
        #expect(TimerRecord(date: at(100), interval: 60, payload: "{}").nextTime(after: at(now)) == at(next))
    }

    @Test func `the time in the index is that of the value`() throws {
        let key = StoreKey(collection: "heybot.timers.tea", name: "7")
        let bytes = try BrainCoder.encode(leasedTimer(interval: 60), key)
        #expect(DueTime.of(bytes, for: key) == DueTime.seconds(of: at(190)))
        #expect(DueTime.of(bytes, for: StoreKey(collection: "tea", name: "7")) == nil)
        #expect(DueTime.of(bytes, for: StoreKey(name: "heybot.timers.tea")) == nil)
        #expect(DueTime.of(nil, for: key) == nil)
        #expect(DueTime.of(Array("{\"due\":5}".utf8), for: key) == nil)
    }

    @Test(arguments: [
        (#""date":-1e300,"due":0"#, 0, 60), (#""date":0,"due":1e300"#, 0, 60), (#""date":0,"due":0"#, Int.max, 60),
        (#""date":0,"due":0"#, Int.min, 60), (#""date":0,"due":0"#, 0, 0), (#""date":0,"due":0"#, 0, Int.max)
    ])
    func `a timer with numbers that could overflow isn't one`(_ dates: String, _ attempts: Int, _ interval: Int) {
        let key = StoreKey(collection: "heybot.timers.tea", name: "7")
        let valid = #"{"attempts":2,"date":0,"due":0,"interval":60,"payload":"{}"}"#
        #expect(DueTime.of(Array(valid.utf8), for: key) == DueTime.seconds(of: at(0)))
        let json = #"{"attempts":\#(attempts),\#(dates),"interval":\#(interval),"payload":"{}"}"#
        #expect(DueTime.of(Array(json.utf8), for: key) == nil)
    }
}
