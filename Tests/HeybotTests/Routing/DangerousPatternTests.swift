import HeybotTesting
import MetricsTestKit
import Testing

@testable import Heybot

/// What is done about patterns that nothing can stop once they are matched.
@Suite struct DangerousPatternTests {
    private func problems(_ script: any Script) -> [String] {
        let robot = Robot(adapters: [HandAdapter()], brain: Brain(store: MemoryStore()), scripts: [script])
        do {
            try robot.check()
            return []
        } catch {
            return error.description.split(separator: "\n").map(String.init)
        }
    }

    @Test func `one that could take for ever is refused at start, with its script and its line`() throws {
        let line = #line + 3
        let problems = problems(
            Inline("Danger") {
                $0.hear(/^(\w+\s?)*$/) { _ in }
                $0.respond(/(\d+|\w+)*!/) { _ in }
                $0.hear(/^(\w+\s)*end$/) { _ in }
            })
        #expect(problems.count == 2)
        let first = try #require(problems.first)
        #expect(first.hasPrefix("the script Danger has a pattern that could take for ever"))
        #expect(first.contains("DangerousPatternTests.swift:\(line)"))
        #expect(first.contains("in more than one way"))
        #expect(problems.last?.contains("DangerousPatternTests.swift:\(line + 1)") == true)
    }

    @Test func `its author may know better`() {
        #expect(problems(Inline { $0.hear(/^(\w+\s?)*$/, unchecked: true) { _ in } }) == [])
    }

    @Test func `a matcher that is slow again and again is named once, and counted`() async throws {
        let adapter = HandAdapter()
        let log = TestLog()
        let metrics = TestMetrics()
        let clock = ManualClock()
        let robot = Robot(
            name: "Heybot", alias: nil, adapters: [adapter], brain: Brain(store: MemoryStore()),
            scripts: [
                Inline("Slow") {
                    $0.listen({ message -> Void? in
                        clock.advance(by: message.text == "hard" ? .milliseconds(50) : .milliseconds(49))
                        return nil
                    }) { _ in }
                    $0.hear(/hard/) { try await $0.send("heard") }
                }
            ],
            admins: [], switches: ScriptSwitches(), settings: [:], http: nil, server: nil, limits: Robot.Limits(),
            logger: log.logger, metrics: metrics, timeline: Timeline(clock, date: { .now }),
            generator: SeededGenerator(seed: 1), giveUp: {})
        async let running: Void = robot.run()
        func warnings() -> [String] { log.lines(from: .warning).filter { $0.contains("slow") } }
        for text in ["easy", "easy", "easy", "easy", "easy", "hard", "hard", "hard", "hard"] {
            await adapter.handle(text)
        }
        #expect(warnings() == [])
        // What was slow long ago doesn't count.
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
