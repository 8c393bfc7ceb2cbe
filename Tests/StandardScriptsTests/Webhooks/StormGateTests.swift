import FoundationEssentials
import Heybot
import Testing

@testable import StandardScripts

/// A storm of alerts becomes a few lines, and the end of no alert gets lost.
@Suite struct StormGateTests {
    private let start = Date(timeIntervalSinceReferenceDate: 0)

    private func alert(_ name: String, _ number: Int, isResolved: Bool = false) -> Webhooks.Alert {
        Webhooks.Alert(
            key: "\(name) \(number)", name: name, place: "host-\(number)", isResolved: isResolved,
            line: "\(Webhooks.Alert.word(isResolved: isResolved)) \(name) on host-\(number)")
    }

    /// A gate, with the lines that a room gets.
    private struct Room {
        var gate = Webhooks.StormGate()
        var lines: [String] = []
        var timers = 0

        mutating func receive(_ notice: Webhooks.Notice, at date: Date) {
            switch gate.admit(notice, label: "ops", at: date).decision {
            case .post(let new): lines += new
            case .summarize(let isNew): timers += isNew ? 1 : 0
            case .skip: break
            }
        }

        mutating func receive(_ alert: Webhooks.Alert, at date: Date) {
            receive(Webhooks.Notice(alerts: [alert]), at: date)
        }

        mutating func receive(_ text: String, at date: Date) {
            receive(Webhooks.Notice(texts: [text]), at: date)
        }

        mutating func summarize(at date: Date) {
            lines += gate.takeSummary(label: "ops", at: date)?.lines ?? []
        }
    }

    @Test func `10,000 alerts in a minute are a handful of lines, and the last one says what still fires`() {
        var room = Room()
        for number in 0..<10_000 {
            let date = start.addingTimeInterval(Double(number) * 60 / 10_000)
            // Half a minute after the first notice of a summary, its timer fires.
            if number == 5_000 { room.summarize(at: date) }
            // Each alert fires and is resolved, except those of three hosts.
            let pair = number / 2
            if number % 2 == 1, pair >= 4_997 { continue }
            room.receive(alert(pair % 3 == 0 ? "DiskFull" : "HighLatency", pair, isResolved: number % 2 == 1), at: date)
        }
        room.summarize(at: start.addingTimeInterval(60))
        #expect(room.timers == 2)
        #expect(room.lines.count <= 8)
        #expect(room.lines.first == "[ops] FIRING DiskFull on host-0")
        #expect(room.lines.last?.hasSuffix("Firing now: 3 (HighLatency 2, DiskFull 1).") == true)
        // Each alert is in a line of its own, or counted.
        let told = room.lines.filter { $0.contains("] FIRING ") }.count
        let counted = room.lines.compactMap { $0.firstMatch(of: /([0-9]+) fired/).flatMap { Int($0.1) } }.reduce(0, +)
        #expect(told + counted == 5_000)
        let toldResolved = room.lines.filter { $0.contains("] resolved ") }.count
        let countedResolved = room.lines.compactMap { $0.firstMatch(of: /([0-9]+) resolved/).flatMap { Int($0.1) } }
        #expect(toldResolved + countedResolved.reduce(0, +) == 4_997)
    }

    @Test func `10,000 alerts in one payload are a few lines`() {
        var room = Room()
        let alerts = (0..<10_000).map { alert("Alert\($0 % 20)", $0, isResolved: $0 % 10 == 0) }
        room.receive(Webhooks.Notice(alerts: alerts), at: start)
        #expect(room.lines.count == 5)
        #expect(room.lines.first == "[ops] FIRING Alert1 (500) on host-1, host-21, host-41 and more")
        #expect(room.lines.last == "[ops] and 8000 more alerts: 7000 firing, 1000 resolved")
    }

    @Test func `a few notices too many are posted as they are, later`() {
        var room = Room()
        for number in 1...8 { room.receive("message \(number)", at: start) }
        #expect(room.lines.count == 5)
        #expect(room.timers == 1)
        room.summarize(at: start.addingTimeInterval(30))
        #expect(room.lines == (1...8).map { "[ops] message \($0)" })
    }

    @Test func `many messages are counted, and the last one is shown`() {
        var room = Room()
        for number in 1...100 { room.receive("message \(number)", at: start) }
        room.summarize(at: start.addingTimeInterval(30))
        #expect(room.lines.last == "[ops] In 30 seconds: 95 messages, the last: message 100")
    }

    @Test func `while a summary is pending, nothing overtakes it`() {
        var room = Room()
        for number in 1...6 { room.receive("message \(number)", at: start) }
        room.receive("message 7", at: start.addingTimeInterval(29))
        room.summarize(at: start.addingTimeInterval(30))
        #expect(room.lines == (1...7).map { "[ops] message \($0)" })
    }

    @Test func `after a pause, lines are posted at once again`() {
        var room = Room()
        for number in 1...6 { room.receive("message \(number)", at: start) }
        room.summarize(at: start.addingTimeInterval(30))
        room.receive("later", at: start.addingTimeInterval(41))
        #expect(room.lines.last == "[ops] later")
        // Also if the clock is set back.
        room.receive("earlier", at: start)
        #expect(room.lines.last == "[ops] earlier")
    }

    @Test func `a timer that was lost is set again`() {
        var room = Room()
        for number in 1...7 { room.receive("message \(number)", at: start) }
        #expect(room.timers == 1)
        room.receive("message 8", at: start.addingTimeInterval(200))
        #expect(room.timers == 2)
    }

    @Test func `what is reported twice is posted once`() {
        var room = Room()
        var notice = Webhooks.Notice(texts: ["shop #18 failed"])
        notice.id = "shop 18"
        for _ in 0..<3 { room.receive(notice, at: start) }
        #expect(room.lines == ["[ops] shop #18 failed"])
    }

    @Test func `a routine success is posted only after a failure`() {
        var room = Room()
        func pipeline(_ isResolved: Bool) -> Webhooks.Alert {
            Webhooks.Alert(
                key: "main", name: "pipeline", isResolved: isResolved, line: isResolved ? "passing again" : "failed",
                isRoutine: true)
        }
        for isResolved in [true, false, true, true] { room.receive(pipeline(isResolved), at: start) }
        #expect(room.lines == ["[ops] failed", "[ops] passing again"])
    }

    @Test func `what couldn't be posted is posted when it is repeated`() {
        var gate = Webhooks.StormGate()
        let failed = Webhooks.Notice(alerts: [
            Webhooks.Alert(key: "main", name: "pipeline", isResolved: false, line: "failed", isRoutine: true)
        ])
        let passed = Webhooks.Notice(
            id: "passed",
            alerts: [
                Webhooks.Alert(key: "main", name: "pipeline", isResolved: true, line: "passing again", isRoutine: true)
            ])
        _ = gate.admit(failed, label: "ops", at: start)
        let (_, changes) = gate.admit(passed, label: "ops", at: start)
        gate.revert(passed, changes)
        guard case .post(let lines) = gate.admit(passed, label: "ops", at: start).decision else {
            Issue.record("it isn't posted")
            return
        }
        #expect(lines == ["[ops] passing again"])
    }

    @Test func `a summary claims nothing about alerts that may have fired before the robot started`() {
        var room = Room()
        for number in 0..<20 { room.receive(alert("DiskFull", number, isResolved: true), at: start) }
        room.summarize(at: start.addingTimeInterval(30))
        let counts = "15 resolved (DiskFull 15). None that I know of is firing now."
        #expect(room.lines.last == "[ops] Alerts in 30 seconds: \(counts)")
    }

    @Test func `a summary that couldn't be posted is part of the next one`() throws {
        var gate = Webhooks.StormGate()
        for number in 1...6 {
            _ = gate.admit(Webhooks.Notice(texts: ["message \(number)"]), label: "ops", at: start)
        }
        let taken = gate.takeSummary(label: "ops", at: start)
        let first = try #require(taken)
        let isTried = gate.putBack(first.summary, at: start)
        #expect(isTried)
        _ = gate.admit(Webhooks.Notice(texts: ["message 7"]), label: "ops", at: start)
        let second = gate.takeSummary(label: "ops", at: start)
        #expect(second?.lines == ["[ops] message 6", "[ops] message 7"])
    }

    @Test func `a summary that can never be posted is dropped`() throws {
        var gate = Webhooks.StormGate()
        for number in 1...6 {
            _ = gate.admit(Webhooks.Notice(texts: ["message \(number)"]), label: "ops", at: start)
        }
        var tries = 0
        while let taken = gate.takeSummary(label: "ops", at: start), tries < 100 {
            tries += 1
            if !gate.putBack(taken.summary, at: start) { break }
        }
        #expect(tries == 20)
        let left = gate.takeSummary(label: "ops", at: start)
        #expect(left == nil)
    }

    @Test func `more alerts than can be known are admitted to be unknown`() {
        var firing = Webhooks.FiringAlerts()
        for number in 0..<25_000 { _ = firing.record(alert("A", number)) }
        #expect(firing.count == 20_000)
        #expect(!firing.isComplete)
    }
}
