import Foundation
import Heybot
import HeybotTesting
import TestServers
import Testing

@testable import HubotHost

/// Scripts that change while the robot runs.
@Suite(.timeLimit(.minutes(15))) struct ReloadTests {
    private static func greeter(_ word: String) -> String {
        """
        // Commands:
        //   hubot greet - Greets with \(word)
        module.exports = (robot) => {
          robot.respond(/greet$/, (res) => res.send('\(word)'));
          robot.respond(/slow$/, (res) => { setTimeout(() => res.send('slow \(word)'), 300); });
          robot.respond(/count$/, (res) => res.send(String(robot.brain.data.count = (robot.brain.data.count || 0) + 1)));
        };
        """
    }

    @Test func `changed, new and removed files are loaded, and the brain is kept`() async throws {
        let bot = try await HubotBot([
            "a.js": Self.greeter("hello"), "b.js": "module.exports = (r) => { r.respond(/b$/, (res) => res.send('B')) }"
        ])
        #expect(await bot.says("hubot greet") == ["hello"])
        #expect(await bot.says("hubot b") == ["B"])
        #expect(await bot.says("hubot count") == ["1"])
        try bot.change("a.js", Self.greeter("good day"))
        try bot.change("b.js", nil)
        try bot.change("c.coffee", "module.exports = (robot) -> robot.respond /c$/, (res) -> res.send 'C'")
        #expect(await bot.says("hubot reload", from: "bob") == ["Only my admins may use that."])
        #expect(await bot.says("hubot reload", from: "root") == ["Loaded 2 Hubot scripts."])
        #expect(await bot.says("hubot greet") == ["good day"])
        #expect(await bot.says("hubot b") == [])
        #expect(await bot.says("hubot c") == ["C"])
        #expect(await bot.says("hubot count") == ["2"])
        #expect(bot.robot.robot.scripts == ["a.js", "c.coffee", "Hubot"])
        let help = bot.robot.robot.listeners.flatMap { $0.help.map(\.description) }
        #expect(help == ["greet - Greets with good day", "reload - Reload the Hubot scripts"])
    }

    @Test func `what was begun is finished by the old process`() async throws {
        let bot = try await HubotBot(["a.js": Self.greeter("old")])
        _ = await bot.says("hubot slow")
        try bot.change("a.js", Self.greeter("new"))
        _ = try await bot.host.reload()
        #expect(await bot.says("hubot greet") == ["new"])
        try await bot.waitForText("slow old")
    }

    @Test func `scripts that can't be loaded are named, and the others are loaded`() async throws {
        let bot = try await HubotBot(["a.js": Self.greeter("hello")])
        try bot.change("b.js", "module.exports = () => { nothing.here() }")
        let answer = await bot.says("hubot reload", from: "root")
        #expect(answer.count == 1)
        #expect(
            answer[0].hasPrefix(
                "Loaded 1 Hubot script.\nProblems:\nthese Hubot scripts couldn't be loaded: b.js: nothing is not"))
        #expect(await bot.says("hubot greet") == ["hello"])
    }

    @Test func `a script that hangs while it is loaded is left out, and doesn't prevent the next reload`() async throws
    {
        let bot = try await HubotBot(["a.js": Self.greeter("old")])
        try await bot.waitUntilRunning()
        try bot.change("a.js", Self.greeter("new"))
        try bot.change("b.js", "module.exports = () => { console.log('b hangs'); for (;;); }")
        let host = bot.host
        let reload = Task { try await host.reload() }
        try await bot.waitForLog("b hangs")
        try await wait(for: "the end of the script") {
            // Not past a ping of the previous process, which would end that one.
            if host.latest.state.withLock({ $0.session.ping == nil }) { bot.clock.advance(by: .seconds(1)) }
            return bot.log.lines(from: .error).contains { $0.contains("so the robot no longer loads b.js") }
        }
        // Only until the next process is started, which needs real time to load the others.
        try await wait(for: "the other script") {
            let hasProcess = host.next.map { driver in driver.state.withLock { $0.outbox != nil } } ?? true
            if !hasProcess { bot.clock.advance(by: .milliseconds(10)) }
            return bot.log.lines().count { $0.contains("loaded 1 Hubot script with 3 listeners") } == 2
        }
        let answer = try await reload.value
        #expect(answer.contains("these Hubot scripts couldn't be loaded: b.js: it didn't finish loading"), "\(answer)")
        #expect(await bot.says("hubot greet") == ["new"])
        try bot.change("b.js", nil)
        #expect(try await bot.host.reload() == "Loaded 1 Hubot script.")
    }

    @Test func `if there are no scripts any more, the previous ones stay`() async throws {
        let bot = try await HubotBot(["a.js": Self.greeter("hello")])
        try bot.change("a.js", nil)
        let answer = await bot.says("hubot reload", from: "root")
        #expect(
            answer.count == 1 && answer[0].hasPrefix("I can't reload the scripts, so the previous ones keep running: "))
        #expect(await bot.says("hubot greet") == ["hello"])
    }

    @Test func `a reload while the process waits for its restart leaves one process`() async throws {
        let bot = try await HubotBot([
            "pid.js": HubotBot.pid,
            "web.js":
                "module.exports = (robot) => { robot.router.get('/pid', (req, res) => res.send(`${process.pid}`)) }"
        ])
        let pid = try await bot.processID()
        kill(pid, SIGKILL)
        try await wait(for: "the end of the process") { !bot.host.isRunning }
        // A command and a web request that wait for the old process are answered by the new one.
        async let waiting = bot.says("hubot pid", in: "#waiting")
        async let page = bot.robot.receives(.get, "/pid")
        try await wait(for: "the questions") { bot.host.latest.waitingCount == 2 }
        _ = try await bot.host.reload()
        let new = try await bot.processID()
        #expect(await waiting == ["\(new)"])
        #expect(String(decoding: await page.body, as: UTF8.self) == "\(new)")
        try await wait(for: "the end of the old version") {
            bot.pass(.seconds(1))
            return bot.host.retiringCount == 0
        }
        // Only that the process was killed: no other one was started and ended.
        #expect(bot.log.lines(from: .error).count == 1)
        #expect(try await bot.processID() == new)
    }

    @Test func `a second reload at the same time is refused, and one after the robot has stopped too`() async throws {
        let bot = try await HubotBot(["a.js": Self.greeter("hello")])
        try await bot.waitUntilRunning()
        let results = await withTaskGroup(of: String.self) { group in
            for _ in 0..<2 {
                group.addTask {
                    do { return try await bot.host.reload() } catch { return "\(error)" }
                }
            }
            return await group.reduce(into: []) { $0.append($1) }
        }
        #expect(results.sorted() == ["Loaded 1 Hubot script.", "the Hubot scripts are already being reloaded"])
        await bot.host.finish()
        await #expect(throws: HubotReloadError.notRunning) { _ = try await bot.host.reload() }
    }

    @Test func `users whom the previous version knew are known`() async throws {
        let find = """
            module.exports = (robot) => {
              robot.respond(/find (\\w+)$/, (res) => res.send(robot.brain.userForName(res.match[1])?.id ?? 'nobody'));
            };
            """
        let bot = try await HubotBot(["find.js": find])
        try await bot.waitUntilRunning()
        _ = await bot.says("hello", from: "bob")
        #expect(await bot.says("hubot find bob") == ["bob"])
        _ = try await bot.host.reload()
        #expect(await bot.says("hubot find bob") == ["bob"])
    }

    @Test func `listeners in Swift that a script replaces come back when the script goes`() async throws {
        let swift = InlineScript("Swift") {
            $0.respond(/greet$/, help: "greet - Greets", example: "greet") { try await $0.send("swift") }
        }
        let bot = try await HubotBot(
            ["a.js": Self.greeter("js"), "b.js": "module.exports = () => {}"], others: [swift])
        #expect(await bot.says("hubot greet") == ["js"])
        try bot.change("a.js", nil)
        _ = try await bot.host.reload()
        #expect(await bot.says("hubot greet") == ["swift"])
    }

    @Test(.timeLimit(.minutes(10))) func `50 reloads during a conversation: each command is answered exactly once`()
        async throws
    {
        let rounds = Soak.rounds(5, soak: 50)
        let script = { (round: Int) in
            "// \(round)\nmodule.exports = (robot) => { robot.respond(/say (\\d+)$/, (res) => res.send(res.match[1])) }"
        }
        let bot = try await HubotBot(["a.js": script(0)])
        try await bot.waitUntilRunning()
        let reloads = Task {
            for round in 1...rounds {
                try bot.change("a.js", script(round))
                _ = try await bot.host.reload()
            }
        }
        var count = 0
        while count < rounds * 40 || !isDone(reloads, bot) {
            count += 1
            let answer = await bot.says("hubot say \(count)")
            try #require(answer == ["\(count)"])
            if count >= 20_000 { break }
        }
        try await reloads.value
        #expect(bot.robot.loggedProblems == [])
        #expect(bot.robot.robot.listeners.count { $0.script == "a.js" } == 1)
    }

    private func isDone(_ task: Task<Void, any Error>, _ bot: HubotBot) -> Bool {
        bot.log.lines().count { $0.contains("loaded 1 Hubot script") } > 5
    }
}
