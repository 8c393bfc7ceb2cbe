import Foundation
import Heybot
import HeybotSupport
import HeybotTesting
import TestServers
import Testing

@testable import HubotHost

/// Scripts and processes that fail.
@Suite(.timeLimit(.minutes(15))) struct TroubleTests {
    @Test func `a script that can't be loaded is named, and the others are loaded`() async throws {
        let bot = try await HubotBot([
            "a.js": "module.exports = (robot) => { robot.respond(/a$/, (res) => res.send('A')) }",
            "b.coffee": "module.exports = (robot) ->\n  robot.respond /b$/, (res) -> res.send(",
            "c.js": "module.exports = (robot) => {\n  nothing.here();\n}"
        ])
        #expect(await bot.says("hubot a") == ["A"])
        let problems = bot.log.lines(from: .error)
        #expect(problems.count == 2)
        #expect(problems.contains { $0.contains("b.coffee: unmatched OUTDENT (b.coffee:") })
        #expect(problems.contains { $0.hasSuffix("c.js: nothing is not defined (c.js:2)") })
    }

    @Test func `an error of a listener is logged with its place, and the user gets a notice`() async throws {
        let bot = try await HubotBot([
            "bad.js": """
            module.exports = (robot) => {
              robot.respond(/fail$/, () => { throw new Error('broken'); });
              robot.respond(/reject$/, async () => { throw new Error('rejected'); });
            };
            """
        ])
        #expect(await bot.says("hubot fail") == ["Sorry, something went wrong (bad.js)."])
        #expect(
            bot.robot.loggedProblems.contains {
                $0.contains("script bad.js failed: broken (") && $0.contains("bad.js:2)")
            })
        _ = await bot.says("hubot reject")
        try await bot.waitForLog("script bad.js failed: rejected")
        try await wait(for: "two apologies") { bot.robot.lines.count == 2 }
    }

    @Test func `kill -9 between two commands, again and again`() async throws {
        let bot = try await HubotBot([
            "pid.js": HubotBot.pid,
            "ping.coffee": "module.exports = (robot) -> robot.respond /ping$/, (msg) -> msg.send 'PONG'"
        ])
        for _ in 1...10 {
            let pid = try await bot.processID()
            try await bot.killProcess(pid)
            #expect(await bot.says("hubot ping") == ["PONG"])
            #expect(try await bot.processID() != pid)
        }
        // Nothing was registered twice.
        #expect(bot.robot.robot.listeners.filter { $0.script == "ping.coffee" }.count == 1)
        #expect(bot.robot.loggedProblems == [])
    }

    @Test func `kill -9 while a command runs: the user gets a notice, and commands in Swift are answered`() async throws
    {
        let swift = InlineScript("Swift") { $0.respond(/swift$/) { try await $0.send("swift") } }
        let bot = try await HubotBot(
            [
                "pid.js": HubotBot.pid,
                "loop.js":
                    "module.exports = (robot) => { robot.respond(/loop$/, () => { console.log('loops'); for (;;); }) }"
            ], others: [swift])
        let pid = try await bot.processID()
        async let looping = bot.says("hubot loop", from: "bob", in: "#loop")
        try await bot.waitForLog("loops")
        #expect(await bot.says("hubot swift") == ["swift"])
        kill(pid, SIGKILL)
        #expect(await looping == ["Sorry, loop.js has just crashed. Please say that again."])
        #expect(await bot.says("hubot swift") == ["swift"])
        // A command that is said while there is no process waits for the next one.
        async let waiting = bot.says("hubot pid")
        try await bot.restart()
        #expect(await waiting.count == 1)
    }

    @Test func `a command whose first candidate was lost is answered by the next, without a notice`() async throws {
        let hint = InlineScript("Hint") { $0.catchAll(onlyAddressed: true) { try await $0.send("what?") } }
        let bot = try await HubotBot(
            [
                "pid.js": HubotBot.pid,
                "loop.js":
                    "module.exports = (robot) => { robot.respond(/loop$/, () => { console.log('loops'); for (;;); }) }",
                "num.js": """
                module.exports = (robot) => {
                  robot.respond(/num (\\d+)$/, (res) => res.send(`num ${res.match[1]}`));
                  robot.respond(/anum (\\d+)$/, (res) => res.send(`anum ${res.match[1]}`));
                };
                """
            ], others: [hint])
        let pid = try await bot.processID()
        async let looping = bot.says("hubot loop", from: "bob", in: "#loop")
        try await bot.waitForLog("loops")
        async let counting = bot.says("hubot anum 5", from: "ann", in: "#num")
        try await wait(for: "both questions") { bot.host.latest.state.withLock { $0.waiting.count } == 2 }
        kill(pid, SIGKILL)
        // Nothing else answers, so the user learns why.
        #expect(await looping == ["Sorry, loop.js has just crashed. Please say that again."])
        try await bot.restart()
        #expect(await counting == ["anum 5"])
    }

    @Test func `a process that hangs is killed, and started again`() async throws {
        let bot = try await HubotBot([
            "pid.js": HubotBot.pid,
            "loop.js":
                "module.exports = (robot) => { robot.respond(/loop$/, () => { console.log('loops'); for (;;); }) }"
        ])
        let pid = try await bot.processID()
        async let looping = bot.says("hubot loop", from: "bob", in: "#loop")
        try await bot.waitForLog("loops")
        try await wait(for: "the end of the process") {
            bot.clock.advance(by: .seconds(1))
            return !bot.host.isRunning
        }
        #expect(await looping == ["Sorry, loop.js has just crashed. Please say that again."])
        // Whether the process has reported the script in time depends on the machine's speed.
        try await wait(for: "the script's name in \(bot.log.lines())") {
            bot.log.lines().contains {
                $0.contains("process stopped responding, and is being killed; ") && $0.contains("loop.js")
            }
        }
        try await bot.restart()
        #expect(try await bot.processID() != pid)
    }

    @Test func `what a script sends before it hangs is delivered at once`() async throws {
        let bot = try await HubotBot([
            "pid.js": HubotBot.pid,
            "loop.js":
                "module.exports = (robot) => { robot.respond(/loop$/, (res) => { res.send('looping'); for (;;); }) }"
        ])
        let pid = try await bot.processID()
        async let looping = bot.says("hubot loop", from: "bob", in: "#loop")
        try await bot.waitForText("looping")
        kill(pid, SIGKILL)
        #expect(await looping == ["looping", "Sorry, loop.js has just crashed. Please say that again."])
    }

    @Test func `a script that uses up the memory is named, and the others go on`() async throws {
        let bot = try await HubotBot(
            [
                "eat.js":
                    "module.exports = (robot) => { robot.respond(/eat$/, () => { const all = []; for (;;) all.push({ a: [1, 2, 3] }); }) }",
                "ping.js": "module.exports = (robot) => { robot.respond(/ping$/, (res) => res.send('PONG')) }"
            ], memory: 64)
        #expect(await bot.says("hubot eat") == ["Sorry, eat.js has just crashed. Please say that again."])
        // The process may end before it has reported how much memory it uses.
        try await wait(for: "the script's name in \(bot.log.lines())") {
            bot.log.lines().contains { $0.contains("signal 6; ") && $0.contains("eat.js") }
        }
        try await bot.restart()
        #expect(await bot.says("hubot ping") == ["PONG"])
    }

    @Test func `a command has a deadline`() async throws {
        let bot = try await HubotBot([
            "loop.js":
                "module.exports = (robot) => { robot.respond(/loop$/, () => { console.log('loops'); for (;;); }) }"
        ])
        async let looping = bot.says("hubot loop")
        try await bot.waitForLog("loops")
        _ = await bot.robot.advance(by: .seconds(31))
        #expect(await looping == ["That took too long, so I gave up on it (loop.js)."])
    }

    @Test func `a flood of output`() async throws {
        let bot = try await HubotBot([
            "flood.js": """
            const fs = require('fs');
            module.exports = (robot) => {
              robot.respond(/flood$/, (res) => {
                // Node doesn't wait for a full pipe.
                try { for (let line = 0; line < 20000; line += 1) { fs.writeSync(2, `error ${line}\\n`); } } catch {}
                for (let line = 0; line < 20000; line += 1) { console.log(`line ${line}`); }
                process.stdout.write('x'.repeat(3000000) + '\\n');
                res.send('done');
              });
            };
            """
        ])
        let first = await bot.says("hubot flood")
        #expect(first == ["done"])
        bot.clock.advance(by: .seconds(1))
        let second = await bot.says("hubot flood")
        #expect(second == ["done"], "\(bot.log.lines(from: .warning)) \(bot.robot.loggedProblems)")
        try await bot.waitForLog("lines of the Hubot scripts' output")
        let lines = bot.log.lines()
        #expect(lines.count < 6_000)
        #expect(lines.allSatisfy { $0.utf8.count < 9_000 })
    }

    @Test func `what scripts remember survives kill -9, and another robot has it`() async throws {
        let karma = """
            module.exports = (robot) ->
              robot.brain.on 'loaded', -> robot.brain.data.karma ?= {}
              robot.hear /(\\w+)\\+\\+/, (msg) ->
                points = robot.brain.data.karma[msg.match[1]] = (robot.brain.data.karma[msg.match[1]] or 0) + 1
                robot.brain.set 'last', msg.match[1]
                robot.brain.save()
                msg.send "#{points}"
              robot.respond /last$/, (msg) -> msg.send "#{robot.brain.get 'last'}"
            """
        let store = MemoryStore()
        let bot = try await HubotBot(["karma.coffee": karma, "pid.js": HubotBot.pid], brain: Brain(store: store))
        #expect(await bot.says("tea++") == ["1"])
        #expect(await bot.says("tea++") == ["2"])
        let pid = try await bot.processID()
        await bot.host.finishStoring()
        try await bot.killProcess(pid)
        #expect(await bot.says("tea++") == ["3"])
        #expect(await bot.says("hubot last") == ["tea"])
        await bot.host.finishStoring()
        let kept = try await Brain(store: store).recall(HubotHost.brain, "[\"karma\",\"tea\"]")
        #expect(kept == .integer(3))

        bot.robot.robot.stop()
        try await waitUntilClosed(store)
        let other = try await HubotBot(["karma.coffee": karma], brain: Brain(store: store))
        #expect(await other.says("tea++") == ["4"])
    }

    @Test func `scripts have time to save when the robot stops`() async throws {
        let store = MemoryStore()
        let bot = try await HubotBot(
            [
                "save.js":
                    "module.exports = (robot) => robot.brain.on('close', () => { robot.brain.set('at', 'end'); robot.brain.save(); })"
            ],
            brain: Brain(store: store))
        #expect(await bot.says("anything") == [])
        bot.robot.robot.stop()
        try await waitUntilClosed(store)
        let brain = Brain(store: store)
        try await brain.open()
        let kept = try await brain.recall(HubotHost.brain, "[\"_private\",\"at\"]")
        #expect(kept == .string("end"))
    }

    /// Waits until a robot that was stopped has ended, which closes its store: only then another one may open that.
    private func waitUntilClosed(_ store: MemoryStore) async throws {
        while true {
            do { _ = try await store.value(for: StoreKey(name: "any")) } catch { return }
            try await Task.sleep(for: .milliseconds(5))
        }
    }

    @Test func `without Node there is one line, and the robot starts`() async throws {
        let folder = try ScratchFolder()
        try folder.write("module.exports = () => {}", to: "a.js")
        var files = HubotFiles(in: folder.path)
        try files.add(path: "a.js")
        let log = TestLog()
        let launched = await HubotHost.launch(
            files, for: .init(name: "Hubot", alias: nil, adapters: ["test"]), .init(),
            dataFolder: folder.path("data"),
            environment: ["PATH": "/nowhere"], logger: log.logger)
        #expect(launched.host == nil)
        let line = "these Hubot scripts weren't loaded: a.js: Node isn't installed: run sudo apt-get install nodejs"
        #expect(log.lines() == [line])
        #expect(launched.problems == [line])
    }
}
