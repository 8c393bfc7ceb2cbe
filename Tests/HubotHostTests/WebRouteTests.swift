import Foundation
import Heybot
import HeybotTesting
import TestServers
import Testing

@testable import HubotHost

/// Web routes of Hubot scripts.
@Suite(.timeLimit(.minutes(15))) struct WebRouteTests {
    @Test func `scripts answer the requests that no route in Swift answers`() async throws {
        let swift = InlineScript("Swift") { $0.get("/swift") { _ in .text("swift") } }
        let bot = try await HubotBot(
            [
                "web.js": """
                module.exports = (robot) => {
                  robot.router.get('/hubot/version', (req, res) => res.send(`version ${robot.version} for ${req.query.who}`));
                  robot.router.post('/hubot/say/:room', (req, res) => {
                    robot.messageRoom(req.params.room, req.body.text);
                    res.status(201).json({ said: req.body.text });
                  });
                  robot.router.get('/hubot/cookies', (req, res) => res.cookie('a', '1').cookie('b', '2').end());
                  robot.router.get('/swift', (req, res) => res.send('javascript'));
                };
                """
            ], others: [swift])
        try await bot.waitUntilRunning()
        let version = await bot.robot.receives(.get, "/hubot/version?who=ada")
        #expect(version.status == 200)
        #expect(String(decoding: version.body, as: UTF8.self) == "version 14.1.0 for ada")
        let said = await bot.robot.receives(
            .post, "/hubot/say/%23tea", body: try .json(["text": "water boils"]))
        #expect(said.status == 201)
        #expect(String(decoding: said.body, as: UTF8.self) == #"{"said":"water boils"}"#)
        try await bot.waitForText("water boils")
        let cookies = await bot.robot.receives(.get, "/hubot/cookies")
        #expect(cookies.headers.values(of: "Set-Cookie") == ["a=1; Path=/", "b=2; Path=/"])
        #expect(String(decoding: await bot.robot.receives(.get, "/swift").body, as: UTF8.self) == "swift")
        #expect(await bot.robot.receives(.get, "/nothing").status == 404)
        #expect(bot.robot.robot.needsServer)
    }

    @Test func `routes of a script that is off don't answer, and routes in Swift leave other methods to scripts`()
        async throws
    {
        let swift = InlineScript("Swift") { $0.get("/both") { _ in .text("swift") } }
        let route = { (path: String) in
            "module.exports = (robot) => { robot.router.post('\(path)', (req, res) => res.send('javascript')) }"
        }
        let bot = try await HubotBot(["a.js": route("/a"), "both.js": route("/both")], others: [swift])
        try await bot.waitUntilRunning()
        #expect(await bot.robot.receives(.post, "/both").status == 200)
        #expect(String(decoding: await bot.robot.receives(.get, "/both").body, as: UTF8.self) == "swift")
        #expect(await bot.robot.receives(.put, "/both").status == 405)
        #expect(await bot.robot.receives(.post, "/a").status == 200)
        try await bot.robot.robot.turn("a.js", on: false)
        #expect(await bot.robot.receives(.post, "/a").status == 404)
        #expect(await bot.robot.receives(.post, "/both").status == 200)
    }

    @Test func `a request whose process dies is refused, and the next one waits for another process`() async throws {
        let bot = try await HubotBot([
            "pid.js": HubotBot.pid,
            "web.js": """
            module.exports = (robot) => {
              robot.router.get('/never', () => console.log('asked'));
              robot.router.get('/ok', (req, res) => res.send('ok'));
            };
            """
        ])
        let pid = try await bot.processID()
        async let never = bot.robot.receives(.get, "/never")
        try await bot.waitForLog("asked")
        kill(pid, SIGKILL)
        #expect(await never.status == 503)
        async let waiting = bot.robot.receives(.get, "/ok")
        try await bot.restart()
        #expect(await waiting.status == 200)
    }

    @Test func `the data store is the robot's`() async throws {
        let store = MemoryStore()
        let bot = try await HubotBot(
            [
                "store.js": """
                module.exports = (robot) => {
                  robot.respond(/keep (\\w+)$/, async (res) => {
                    await robot.datastore.set('word', res.match[1]);
                    await robot.datastore.setObject('object', res.match[1], 1);
                    await robot.datastore.setArray('list', [res.match[1]]);
                    res.send('kept');
                  });
                  robot.respond(/show$/, async (res) => {
                    const values = [await robot.datastore.get('word'), await robot.datastore.get('object'), await robot.datastore.get('list')];
                    res.send(JSON.stringify(values));
                  });
                };
                """
            ], brain: Brain(store: store))
        _ = await bot.says("hubot show")
        try await bot.waitForText("[null,null,null]")
        for (number, word) in ["a", "b"].enumerated() {
            _ = await bot.says("hubot keep \(word)")
            try await wait(for: "kept") { bot.robot.lines.count { $0.utterance.content == "kept" } == number + 1 }
        }
        _ = await bot.says("hubot show")
        try await bot.waitForText(#"["b",{"a":1,"b":1},["a","b"]]"#)
    }

    @Test func `the process sees no file descriptor of the robot's`() async throws {
        let pipe = Pipe()
        defer { withExtendedLifetime(pipe) {} }
        let bot = try await HubotBot([
            "fds.js": """
            const fs = require('fs');
            module.exports = (robot) => {
              robot.respond(/files$/, (res) => {
                const links = fs.readdirSync('/proc/self/fd').map((fd) => {
                  try { return fs.readlinkSync(`/proc/self/fd/${fd}`) } catch { return '' }
                });
                res.send(links.filter((link) => /^socket|^pipe/.test(link)).length + '');
              });
              robot.respond(/has (\\S+)$/, (res) => {
                const links = fs.readdirSync('/proc/self/fd').map((fd) => {
                  try { return fs.readlinkSync(`/proc/self/fd/${fd}`) } catch { return '' }
                });
                res.send(String(links.includes(res.match[1])));
              });
            };
            """
        ])
        #if os(Linux)
            let link = try FileManager.default.destinationOfSymbolicLink(
                atPath: "/proc/self/fd/\(pipe.fileHandleForReading.fileDescriptor)")
            #expect(await bot.says("hubot has \(link)") == ["false"])
        #endif
    }
}
