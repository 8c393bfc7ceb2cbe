import HeybotTesting
import MetricsTestKit
import Testing

@testable import Heybot

/// Patterns prone to catastrophic backtracking, and slow matchers.
@Suite struct DangerousPatternTests {
    private func problems(_ script: any Script) -> [String] {
        let robot = Robot(adapters: [ManualAdapter()], brain: Brain(store: MemoryStore()), scripts: [script])
        do {
            try robot.check()
            return []
        } catch {
            return error.description.split(separator: "\n").map(String.init)
        }
    }

    @Test func `an exponential pattern is rejected at start, with its script and line`() throws {
        let line = #line + 3
        let problems = problems(
            InlineScript("Danger") {
                $0.hear(/^(\w+\s?)*$/) { _ in }
                $0.respond(/(\d+|\w+)*!/) { _ in }
                $0.hear(/^(\w+\s)*end$/) { _ in }
            })
        #expect(problems.count == 2)
        let first = try #require(problems.first)
        #expect(first.hasPrefix("the script Danger has a pattern that is prone to catastrophic backtracking"))
        #expect(first.contains("DangerousPatternTests.swift:\(line)"))
        #expect(first.contains("in more than one way"))
        #expect(problems.last?.contains("DangerousPatternTests.swift:\(line + 1)") == true)
    }

    @Test func `unchecked patterns are accepted`() {
        #expect(problems(InlineScript { $0.hear(/^(\w+\s?)*$/, unchecked: true) { _ in } }) == [])
    }

    @Test func `a matcher that is slow repeatedly is logged once, and counted`() async throws {
        let adapter = ManualAdapter()
        let log = TestLog()
        let metrics = TestMetrics()
        let clock = ManualClock()
        let robot = Robot(
            name: "Heybot", alias: nil, adapters: [adapter], brain: Brain(store: MemoryStore()),
            scripts: [
                InlineScript("Slow") {
                    $0.listen({ message -> Void? in
                        clock.advance(by: message.text == "hard" ? .milliseconds(50) : .milliseconds(49))
                        return nil
                    }) { _ in }
                    $0.hear(/hard/) { try await $0.send("heard") }
                }
            ],
            admins: [], switches: DisabledScripts(), settings: [:], http: nil, server: nil, limits: Robot.Limits(),
            logger: log.logger, metrics: metrics, timeSource: TimeSource(clock, date: { .now }),
            generator: SeededGenerator(seed: 1), giveUp: {})
        async let running: Void = robot.run()
        func warnings() -> [String] { log.lines(from: .warning).filter { $0.contains("slow") } }
        for text in ["easy", "easy", "easy", "easy", "easy", "hard", "hard", "hard", "hard"] {
            await adapter.handle(text)
        }
        #expect(warnings() == [])
        // Slow matches long ago don't count.
        clock.advance(by: .seconds(600))
        for _ in 0..<4 { await adapter.handle("hard") }
        #expect(warnings() == [])
        for _ in 0..<11 { await adapter.handle("hard") }
        #expect(warnings().count == 1)
        clock.advance(by: .seconds(3_600))
        for _ in 0..<5 { await adapter.handle("hard") }
        #expect(warnings().count == 2)
        #expect(warnings().allSatisfy { $0.contains("listener=Slow.1") && $0.contains("script=Slow") })
        let counter = try metrics.expectCounter(
            "heybot_listener_slow_matches_total", [("listener", "Slow.1"), ("script", "Slow")])
        #expect(counter.totalValue == 24)
        robot.stop()
        try await running
    }
}
