import Heybot
import HeybotTesting

extension TestRobot {
    /// Advances the clock by a duration.
    ///
    /// - Returns: What the robot said meanwhile, as `#test: words`.
    func words(in duration: Duration) async -> [String] {
        await advance(by: duration).map { "\($0.room): \($0.utterance.content)" }
    }

    /// Advances the clock to half a minute after a time, which is given as the duration since the test began.
    ///
    /// Until half a minute before that time, it is advanced at once, so timers that are due before fire late.
    ///
    /// - Returns: What the robot said meanwhile, as `#test: words`.
    func words(until time: Duration) async -> [String] {
        let before = lines.count
        await jump(to: time - .seconds(30))
        _ = await advance(by: .seconds(60))
        return lines.dropFirst(before).map { "\($0.room): \($0.utterance.content)" }
    }

    /// Advances the clock to a time at once, and lets the robot find out.
    func jump(to time: Duration) async {
        clock.advance(by: max(time - clock.now.offset, .zero))
        _ = await advance(by: .zero)
        robot.timers.fire()
        await robot.inFlight.waitUntilIdle()
        // If the clock was advanced while the robot was looking for timers, it looks again after a millisecond.
        _ = await advance(by: .milliseconds(1))
    }
}
