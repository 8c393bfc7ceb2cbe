import Foundation
import Synchronization
import TestServers
import Testing

/// `kill -9` of robots that deliver reminders, with two robots on one brain: 4 times, 200 times with `bin/test --soak`.
@Suite(.timeLimit(.minutes(55))) struct ReminderCrashTests {
    private static let rounds = Soak.rounds(4, soak: 200)
    private static let countPerRound = 5
    private static let measurements = Soak.rounds(6, soak: 100)
    /// The longest time between a delivery and its record on a busy machine; a lease lasts much longer.
    private static let longestWindow = Duration.seconds(10)
    private static let shortestLease = Duration.seconds(60)

    @Test(.enabled(if: IRCServer.hasNgircd), arguments: SharedBrain.usable)
    func `after kill -9 no reminder is lost, and none comes twice unless it was delivered but not recorded`(
        _ brain: SharedBrain
    ) async throws {
        let robots = try await ReminderRobots(brain)
        do {
            try await measureWindow(robots, brain)
            let confirmed = try await killRepeatedly(robots)
            try await wait(for: "all reminders to be delivered") {
                let delivered = Set(robots.deliveries.map(\.text))
                return confirmed.isSubset(of: delivered)
            }
            // Those that were delivered but not recorded come again when their lease has ended.
            let end = ContinuousClock.now + .testLimit
            while try await !robots.hasDeliveredAll() {
                try #require(ContinuousClock.now < end, "there are timers left")
                try await Task.sleep(for: .milliseconds(100))
            }
            check(robots, confirmed, brain)
        } catch {
            await robots.stop()
            throw error
        }
        await robots.stop()
    }

    /// Measures the time between a delivery and its record, in which a kill makes a reminder come twice.
    private func measureWindow(_ robots: ReminderRobots, _ brain: SharedBrain) async throws {
        var windows: [Duration] = []
        for index in 0..<Self.measurements {
            let text = "qwindow\(Self.letters(index))"
            let number = try #require(try await robots.ask(ReminderRobots.names[index % 2], for: text, inSeconds: 1))
            let recorded = try await robots.waitForRecord(ofReminder: number)
            try await wait(for: "the delivery of \(text)") { robots.deliveries.contains { $0.text == text } }
            let delivered = try #require(robots.deliveries.first { $0.text == text })
            windows.append(recorded - delivered.time)
        }
        windows.sort()
        let (median, longest) = (windows[windows.count / 2], windows[windows.count - 1])
        print(
            "reminders, \(brain): recorded \(Self.milliseconds(median)) ms after they were delivered (median), "
                + "\(Self.milliseconds(longest)) ms at most")
    }

    /// Asks for reminders and kills robots, in all rounds.
    ///
    /// - Returns: The texts of the reminders that were confirmed.
    private func killRepeatedly(_ robots: ReminderRobots) async throws -> Set<String> {
        var confirmed: Set<String> = []
        var number = 0
        for round in 0..<Self.rounds {
            try await robots.waitForRoom()
            let victim = ReminderRobots.names[Int.random(in: 0...1)]
            // At any moment, or just when it has delivered something.
            let isMeantForWindow = round.isMultiple(of: 2)
            let delivered = robots.deliveries.count
            let killing = Task {
                let patience = Duration.milliseconds(isMeantForWindow ? 6_000 : Int.random(in: 0..<4_000))
                let end = ContinuousClock.now + patience
                while ContinuousClock.now < end {
                    let hasDelivered = robots.deliveries.dropFirst(delivered).contains { $0.robot == victim }
                    if isMeantForWindow, hasDelivered { break }
                    try await Task.sleep(for: .microseconds(300))
                }
                if isMeantForWindow { try await Task.sleep(for: .microseconds(Int.random(in: 0..<3_000))) }
                try await robots.kill(victim)
            }
            for _ in 0..<Self.countPerRound {
                number += 1
                let text = "q\(Self.letters(number))"
                let asked = ReminderRobots.names[Int.random(in: 0...1)]
                guard robots.isRunning(asked) else { continue }
                let seconds = Int.random(in: 1...3)
                if try await robots.ask(asked, for: text, inSeconds: seconds) != nil { confirmed.insert(text) }
            }
            try await killing.value
            try await robots.start(victim)
        }
        return confirmed
    }

    /// Checks what was delivered, and prints a summary.
    private func check(_ robots: ReminderRobots, _ confirmed: Set<String>, _ brain: SharedBrain) {
        let deliveries = Dictionary(grouping: robots.deliveries, by: \.text)
        #expect(confirmed.subtracting(deliveries.keys) == [])
        var windows: [Duration] = []
        for (text, times) in deliveries where times.count > 1 {
            // All but the last one must be from a robot that was killed at once; the next one comes after its lease.
            for (delivery, next) in zip(times, times.dropFirst()) {
                let isAfterLease = next.time - delivery.time > Self.shortestLease
                let death = robots.deaths.first { death in
                    // A line that was written before the kill may arrive after it.
                    let passed = death.time - delivery.time
                    let isAtOnce = passed <= Self.longestWindow && passed >= .zero - Self.longestWindow
                    return death.robot == delivery.robot && isAtOnce
                }
                if let death, isAfterLease {
                    windows.append(death.time - delivery.time)
                } else {
                    Issue.record("\(text) was delivered more than once, but not because of a kill: \(times)")
                }
            }
        }
        let longest = windows.max().map { "; killed \(Self.milliseconds($0)) ms after the delivery at most" } ?? ""
        print(
            "kill -9, \(brain): \(Self.rounds) rounds, \(confirmed.count) reminders, none lost, "
                + "\(windows.count) delivered twice\(longest)")
    }

    private static func milliseconds(_ duration: Duration) -> Double {
        (duration / .microseconds(1)).rounded() / 1_000
    }

    /// A number as letters, so that it can't be a part of a time.
    private static func letters(_ number: Int) -> String {
        let letters = Array("bcdfghkmnp")
        return String("\(number)".compactMap(\.wholeNumberValue).map { letters[$0] })
    }
}
