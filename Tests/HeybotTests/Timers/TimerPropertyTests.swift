import FoundationEssentials
import HeybotTesting
import TestServers
import Testing

@testable import Heybot

/// Two robots that share a brain, with random timers, restarts and absences.
@Suite(.timeLimit(.minutes(15))) struct TimerPropertyTests {
    @Test(arguments: UInt64(0)..<12) func `each timer fires exactly once at each of its times`(
        _ seed: UInt64
    ) async throws {
        var random = SeededGenerator(seed: seed)
        let base = MemoryStore()
        let notes = StringRecorder()
        let script = InlineScript("Tea") { robot in
            robot.on(tea) { timer, _ in notes.add("\(timer.payload.name) \(second(timer.date))") }
        }
        var now = Duration.zero
        var robots: [TestRobot] = []
        for _ in 0..<2 { robots.append(await TestRobot.started(after: now, SharedStore(base), script)) }
        var once: [String] = []
        var repeated: [String] = []

        for step in 0..<60 {
            let index = random.below(2)
            switch random.below(8) {
            case 0:
                // A restart of one.
                robots[index].robot.stop()
                robots[index] = await TestRobot.started(after: now, SharedStore(base), script)
            case 1:
                // An absence of both.
                for robot in robots { robot.robot.stop() }
                now += .seconds(random.below(4_000))
                for index in robots.indices {
                    robots[index] = await TestRobot.started(after: now, SharedStore(base), script)
                }
            case 2:
                let name = "repeated\(step)"
                repeated.append(name)
                let interval = Duration.seconds(60 + random.below(2_000))
                try await robots[index].robot.schedule(tea, Cup(name: name), id: name, every: interval)
            case 3, 4, 5:
                for number in 0..<random.below(20) {
                    let delay = random.below(5_000)
                    let name = "once\(step).\(number)"
                    once.append("\(name) \(Int(now.components.seconds) + delay)")
                    try await robots[index].robot.schedule(tea, Cup(name: name), after: .seconds(delay))
                }
            default:
                let time = Duration.seconds(random.below(900))
                now += time
                await TestRobot.advance(robots[0], robots[1], by: time)
            }
        }
        for name in repeated { try await robots[0].robot.cancelTimer(name, of: tea) }
        _ = await robots[0].advance(by: .seconds(5_100))

        let fired = notes.all
        #expect(fired.filter { $0.hasPrefix("once") }.sorted() == once.sorted())
        #expect(Set(fired).count == fired.count)
        #expect(try await base.firstDue(in: "heybot.timers.tea.ready", limit: 1) == [])
    }
}
