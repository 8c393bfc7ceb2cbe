import Foundation
import TestServers
import Testing

/// The robot as users of Hubot run it: `heybot -r`, with a folder of scripts, on IRC.
@Suite(.timeLimit(.minutes(20))) struct HubotScriptTests {
    private static let rounds = Soak.rounds(10, soak: 100)
    private static let scripts = URL(filePath: #filePath).deletingLastPathComponent()
        .appending(path: "../HubotHost/scripts").standardized.path
    private static var program: String {
        get throws {
            try #require(Bundle.main.executableURL?.deletingLastPathComponent().appending(path: "heybot").path)
        }
    }

    /// A robot in a channel of an IRC server, with scripts of these paths.
    private func startRobot(_ irc: IRCServer, _ folder: ScratchFolder, scripts: [String]) throws -> ChildProcess {
        let environment = [
            "PATH=/usr/local/bin:/usr/bin:/bin", "HEYBOT_DATA=\(folder.path("data"))", "HEYBOT_IRC_SERVER=127.0.0.1",
            "HEYBOT_IRC_PORT=\(irc.port)", "HEYBOT_IRC_USESSL=false", "HEYBOT_IRC_ROOMS=#dev",
            "HEYBOT_HTTPD=false", "HEYBOT_IRC_RATE_BURST=0", "HEYBOT_IRC_UNFLOOD=0", "HEYBOT_LOG_LEVEL=error",
            "HEYBOT_DEADLINE=600", "HEYBOT_IRC_PING_TIMEOUT=600"
        ]
        return try ChildProcess(
            ["env", "-i"] + environment + [Self.program, "-a", "irc", "-n", "marvin"] + scripts.flatMap { ["-r", $0] },
            isServer: false)
    }

    @Test(.enabled(if: IRCServer.hasNgircd)) func `a folder of scripts on IRC`() async throws {
        let irc = try await IRCServer.ngircd()
        let ada = try RawIRCClient(port: irc.port)
        _ = try await ada.register("ada")
        ada.send("JOIN #dev")
        try await ada.expect("366")
        let (folder, hubot) = (try ScratchFolder(), try HubotFolder())
        let robot = try startRobot(irc, folder, scripts: [hubot.path])
        try await ada.expect(":marvin!", "JOIN")
        for (script, dialogue) in HubotFolder.dialogues.sorted(by: { $0.key < $1.key }) {
            ada.send("PRIVMSG #dev :\(dialogue.isCommand ? "marvin: " : "")\(dialogue.text)")
            // The lines before the answer would be a second one.
            let line = try await ada.expect(":marvin!", " PRIVMSG ")
            #expect(line.contains("PRIVMSG #dev :") && line.contains(dialogue.answer), "\(script): \(line)")
        }
        // What follows /me is a text, as in Hubot's adapter for IRC.
        ada.send("PRIVMSG #dev :\u{1}ACTION has some tea++\u{1}")
        try await ada.expect("PRIVMSG #dev :tea: 2")
        // A topic is one too, and may be addressed to the robot.
        ada.send("TOPIC #dev :marvin: greet everybody")
        try await ada.expect("PRIVMSG #dev :Hello, everybody!")
        try await ada.expect("PRIVMSG #dev :The topic is now marvin: greet everybody")
        for (usage, purpose) in HubotFolder.commands {
            ada.send("PRIVMSG #dev :marvin: help \(purpose)")
            try await ada.expect(":marvin!", "marvin \(usage) - \(purpose)")
        }
        robot.send(SIGTERM)
        #expect(await robot.end(within: .testLimit) == 0)
    }

    @Test(.enabled(if: IRCServer.hasNgircd))
    func
        `kill -9 of Node during a conversation: the robot stays, and every command is answered or its user gets a notice`()
        async throws
    {
        let irc = try await IRCServer.ngircd()
        let bob = try RawIRCClient(port: irc.port)
        _ = try await bob.register("bob")
        bob.send("JOIN #dev")
        try await bob.expect("366")
        let folder = try ScratchFolder()
        try folder.makeFolder("own")
        try folder.write(
            """
            module.exports = (robot) ->
              robot.respond /pid$/, (msg) -> msg.send "process #{process.pid}"
              robot.respond /js (\\d+)/, (msg) -> msg.send "js #{msg.match[1]}"
            """, to: "own/pid.coffee")
        let robot = try startRobot(irc, folder, scripts: [Self.scripts, folder.path("own")])
        try await bob.expect(":marvin!", "JOIN")

        // A script of the folder: CoffeeScript, which is found in the help too.
        bob.send("PRIVMSG #dev :marvin: greet ada")
        try await bob.expect("PRIVMSG #dev :Hello, ada!")

        for round in 1...Self.rounds {
            bob.send("PRIVMSG #dev :marvin: pid")
            let line = try await bob.expect("PRIVMSG #dev :process ")
            let pid = try #require(line.split(separator: " ").last.flatMap { pid_t($0.filter(\.isNumber)) })
            bob.send("PRIVMSG #dev :marvin: js 1\(round)")
            kill(pid, SIGKILL)
            bob.send("PRIVMSG #dev :marvin: ping")
            bob.send("PRIVMSG #dev :marvin: js 2\(round)")
            var missing: Set = ["first", "PONG", "second"]
            while !missing.isEmpty {
                let line = try await bob.next()
                #expect(!line.contains(":marvin!") || !(line.contains(" QUIT ") || line.contains(" PART ")), "\(line)")
                if line.contains("PONG") { missing.remove("PONG") }
                if line.contains("js 1\(round)") { missing.remove("first") }
                if line.contains("js 2\(round)") { missing.remove("second") }
                // Which of the two commands it was depends on when the process was killed.
                if line.contains("has just crashed") { missing.remove(missing.contains("first") ? "first" : "second") }
            }
        }
        robot.send(SIGTERM)
        #expect(await robot.end(within: .testLimit) == 0)
    }

    @Test func `what a script has changed survives kill -9 of everything`() async throws {
        let isSoak = Soak.isOn
        // The guide says a second. A machine that is busy with other tests may need longer.
        let delay = isSoak ? 1.0 : 20.0
        for round in 1...(isSoak ? 200 : 2) {
            let folder = try ScratchFolder()
            try folder.write(
                """
                const fs = require('fs');
                module.exports = (robot) => {
                  robot.brain.on('loaded', () => {
                    const list = robot.brain.data.a = { b: [] };
                    setInterval(() => {
                      list.b.push(list.b.length);
                      fs.appendFileSync(`${__dirname}/pushed`, `${Date.now()}\\n`);
                    }, 20);
                  });
                };
                """, to: "push.js")
            let environment = [
                "PATH=/usr/local/bin:/usr/bin:/bin", "HEYBOT_DATA=\(folder.path("data"))", "HEYBOT_HTTPD=false",
                "HEYBOT_DEADLINE=600"
            ]
            // The robot ends when its input does.
            let input = Pipe()
            defer { try? input.fileHandleForWriting.close() }
            let robot = try ChildProcess(
                ["env", "-i"] + environment + [try Self.program, "-r", folder.path("push.js")],
                input: input.fileHandleForReading.fileDescriptor, isServer: false)
            func pushed() -> [Double] {
                ((try? String(contentsOfFile: folder.path("pushed"), encoding: .utf8)) ?? "").split(separator: "\n")
                    .compactMap { Double($0) }
            }
            let time = delay + 0.2 + Double(round % 50) / 50
            try await wait(for: "changes") {
                pushed().first.map { Date().timeIntervalSince1970 * 1_000 - $0 > time * 1_000 } ?? false
            }
            let killed = Date().timeIntervalSince1970 * 1_000
            robot.send(SIGKILL)
            _ = await robot.end(within: .testLimit)
            let older = pushed().count { $0 < killed - delay * 1_000 }
            let stored = try await ChildProcess.run(
                ["env", "-i"] + environment + [try Self.program, "brain", "get", "hubot", #"["a","b"]"#], in: folder)
            let list = try #require(JSONSerialization.jsonObject(with: Data(stored.utf8)) as? [Int], "\(stored)")
            try #require(list.count >= older && older > 0, "round \(round): \(list.count) of \(older) are stored")
        }
    }

    @Test func `kill -9 of the robot during a script's endless loop: Node and what the script has started end`()
        async throws
    {
        let folder = try ScratchFolder()
        try folder.write(
            """
            const { spawn } = require('child_process');
            const fs = require('fs');
            module.exports = (robot) => {
              const sleep = spawn('sleep', ['1000']);
              fs.writeFileSync(`${__dirname}/pids`, `${process.pid} ${sleep.pid} `);
              setInterval(() => {
                if (!fs.existsSync(`${__dirname}/loop`)) return;
                fs.writeFileSync(`${__dirname}/looping`, '');
                for (;;);
              }, 5);
            };
            """, to: "loop.js")
        // The robot ends when its input does.
        let input = Pipe()
        let robot = try ChildProcess(
            ["env", "-i", "PATH=/usr/local/bin:/usr/bin:/bin", "HEYBOT_DATA=\(folder.path("data"))"]
                + ["HEYBOT_DEADLINE=600", try Self.program, "-n", "marvin", "-r", folder.path("loop.js")],
            input: input.fileHandleForReading.fileDescriptor, isServer: false)
        var pids: [pid_t] = []
        try await wait(for: "the script") {
            let text = (try? String(contentsOfFile: folder.path("pids"), encoding: .utf8)) ?? ""
            pids = text.split(separator: " ").compactMap { pid_t($0) }
            return pids.count == 2 && pids.allSatisfy(ChildProcess.isRunning)
        }
        // Not before: while this test doesn't run for long, the robot ends a process that hangs.
        try folder.write("", to: "loop")
        try await wait(for: "the loop") { FileManager.default.fileExists(atPath: folder.path("looping")) }
        robot.send(SIGKILL)
        try await wait(for: "the end of Node and of what it has started") {
            !pids.contains(where: ChildProcess.isRunning)
        }
        try input.fileHandleForWriting.close()
    }
}
