import Heybot
import HeybotTesting
import TestServers
import Testing

@testable import HubotHost

/// Listeners that scripts add in handlers of events.
@Suite(.timeLimit(.minutes(15))) struct LateListenerTests {
    private static func script(_ name: String) -> String {
        """
        module.exports = (robot) => {
          robot.brain.on('loaded', () => {
            if (robot.has\(name)) return;
            robot.has\(name) = true;
            robot.respond(/first \(name)$/, (res) => res.send('first \(name)'));
            robot.hear(/second \(name)$/, (res) => res.send('second \(name)'));
            robot.respond(/both$/, (res) => { res.send('both \(name)'); res.finish(); });
            robot.respond(/fail$/, (res) => { if ('\(name)' === 'a') throw new Error('broken'); res.send('fail \(name)'); });
          });
        };
        """
    }

    @Test func `all of them answer, also after kill -9 and a reload, and those of a script that is off don't`()
        async throws
    {
        let bot = try await HubotBot(["a.js": Self.script("a"), "b.js": Self.script("b"), "pid.js": HubotBot.pid])
        func check() async throws {
            // Scripts add them when they have got the brain.
            try await wait(for: "the listeners") {
                bot.host.latest.state.withLock { $0.session.lateListeners.count } == 8
            }
            for name in ["a", "b"] {
                #expect(await bot.says("hubot first \(name)") == ["first \(name)"])
                #expect(await bot.says("second \(name)") == ["second \(name)"])
            }
            // The first one finishes the message.
            #expect(await bot.says("hubot both") == ["both a"])
            // An error of one doesn't keep the others from answering.
            #expect(await bot.says("hubot fail").contains("fail b"))
        }
        try await check()
        try await bot.killProcess(try await bot.processID())
        try await check()
        _ = try await bot.host.reload()
        try await check()
        try await bot.robot.robot.turn("a.js", on: false)
        #expect(await bot.says("hubot first a") == [])
        #expect(await bot.says("hubot both") == ["both b"])
    }
}
