import Heybot
import HeybotSupport
import HeybotTesting
import TestServers
import Testing

@testable import HubotHost

/// A network with private messages, which keeps what the robot sends.
private final class WhisperingNetwork: PrivateMessaging {
    let name = "irc"
    let delivered = StringRecorder()

    var status: AdapterStatus { .starting }

    func run(_ inbox: Inbox) async throws {
        let (forever, _) = AsyncStream<Never>.makeStream()
        for await _ in forever {}
    }

    func deliver(_ utterance: Utterance, to envelope: Envelope) async throws {
        delivered.add("\(envelope.room.name): \(utterance.content)")
    }

    func privateRoom(of user: User) -> Room {
        Room(id: Room.ID(adapter: name, value: user.name), name: user.name, isPrivate: true)
    }
}

/// A network that plays sounds, with a name of its own.
private final class SoundingNetwork: SoundPlaying {
    let name = "office"
    let delivered = StringRecorder()

    var status: AdapterStatus { .starting }

    func run(_ inbox: Inbox) async throws {
        let (forever, _) = AsyncStream<Never>.makeStream()
        for await _ in forever {}
    }

    func deliver(_ utterance: Utterance, to envelope: Envelope) async throws {
        delivered.add("\(envelope.room.name): \(utterance.content)")
    }

    func text(playing sound: String) -> String { "♫ \(sound)" }
}

/// Hubot scripts in a real Node process: what they hear, and what they say.
@Suite(.timeLimit(.minutes(15))) struct ScriptTests {
    @Test func `respond, hear and reply`() async throws {
        let bot = try await HubotBot([
            "ping.coffee": """
            # Commands:
            #   hubot ping - Answers
            #   tea - Is heard
            module.exports = (robot) ->
              robot.respond /ping$/i, (msg) -> msg.send "PONG"
              robot.hear /\\btea\\b/i, (msg) -> msg.reply "tea, #{msg.message.user.name}?"
            """,
            "emote.js": """
            module.exports = (robot) => {
              robot.respond(/wave (.*)/, (res) => { res.emote(`waves to ${res.match[1]}`); res.topic('waving'); });
            };
            """,
            "modern.mjs": """
            export default (robot) => {
              robot.respond(/slowly$/, async (res) => { await res.send('one'); await res.send('two'); });
            };
            """
        ])
        #expect(await bot.says("hubot ping") == ["PONG"])
        #expect(await bot.says("@Hubot: PING") == ["PONG"])
        #expect(await bot.says("ping") == [])
        #expect(await bot.says("some Tea") == ["tea, alice?"])
        #expect(await bot.robot.hears("hubot wave bob") == [.emote("waves to bob"), .topic("waving")])
        #expect(await bot.robot.hears("some tea", from: "bob", in: "bob") == [.reply("tea, bob?")])
        #expect(await bot.says("ping", from: "bob", in: "bob") == ["PONG"])
        _ = await bot.says("hubot slowly")
        try await bot.waitForText("two")
        #expect(bot.robot.robot.scripts == ["emote.js", "modern.mjs", "ping.coffee", "Hubot"])
        #expect(bot.robot.brokenExamples() == [])
        let help = bot.robot.robot.listeners.flatMap { listener in
            listener.help.map { "\(listener.id) \(listener.trigger) \($0)" }
        }
        #expect(
            help == [
                "ping.coffee.1 respond ping - Answers", "ping.coffee.2 hear tea - Is heard",
                "Hubot.reload respond reload - Reload the Hubot scripts"
            ])
    }

    @Test func `ids and help in the options of listeners`() async throws {
        let bot = try await HubotBot([
            "options.js": """
            // Commands:
            //   hubot brew <tea> - Brews tea
            module.exports = (robot) => {
              robot.respond(/brew (.*)/, { id: 'tea.brew', help: 'hubot brew <tea> - Brews tea' }, () => {});
              const help = ['hubot pour <tea> - Pours it', 'hubot pour - Pours any'];
              robot.respond(/pour(.*)/, { id: 'tea.pour', help }, () => {});
              robot.hear(/thirst/, { help: 'thirst - Is heard' }, () => {});
              robot.respond(/odd/, { help: { no: 'text' } }, () => {});
            };
            """
        ])
        let listeners = bot.robot.robot.listeners.filter { $0.script == "options.js" }
        #expect(listeners.map(\.id) == ["tea.brew", "tea.pour", "options.js.3", "options.js.4"])
        #expect(
            listeners.flatMap { listener in listener.help.map { "\(listener.id) \($0)" } } == [
                "tea.brew brew <tea> - Brews tea", "tea.pour pour <tea> - Pours it", "tea.pour pour - Pours any",
                "options.js.3 thirst - Is heard"
            ])
    }

    @Test func `people who come and go, topics, and what nobody handles`() async throws {
        let bot = try await HubotBot([
            "rooms.js": """
            module.exports = (robot) => {
              robot.enter((res) => res.send(`welcome ${res.message.user.name} to ${res.message.room}`));
              robot.leave((res) => res.send(`bye ${res.message.user.name}`));
              robot.topic((res) => res.send(`topic ${res.message.text}`));
              robot.hear(/^odd topic/, (res) => res.send('heard it'));
              robot.respond(/known$/, (res) => res.send(`known ${res.match[0]}`));
              robot.catchAll((res) => res.send(`what is ${res.message.text}?`));
            };
            """
        ])
        #expect(await bot.robot.enters("ada") == [.text("welcome ada to #test")])
        #expect(await bot.robot.leaves("ada") == [.text("bye ada")])
        #expect(await bot.robot.sees(topic: "odd topic") == [.text("topic odd topic"), .text("heard it")])
        // To Hubot, a topic is a text that may be addressed to it.
        #expect(
            await bot.robot.sees(topic: "Hubot: known") == [.text("topic Hubot: known"), .text("known Hubot: known")])
        #expect(await bot.says("Hubot known") == ["known Hubot known"])
        #expect(await bot.says("hm") == ["what is hm?"])
    }

    @Test func `whatever nothing handles reaches the catch-alls`() async throws {
        let swift = InlineScript("Swift") { robot in
            robot.respond(/known$/) { try await $0.send("swift") }
            robot.catchAll { try await $0.send("swift's catch-all") }
        }
        let bot = try await HubotBot(
            [
                "all.js": """
                const { EnterMessage, LeaveMessage, TopicMessage } = require('hubot');
                module.exports = (robot) => {
                  robot.catchAll((res) => {
                    const kinds = { EnterMessage, LeaveMessage, TopicMessage };
                    const kind = Object.keys(kinds).find((name) => res.message instanceof kinds[name]);
                    res.send(`${kind} of ${res.message.user.name}: ${res.message.text}`);
                  });
                };
                """
            ], others: [swift])
        #expect(await bot.robot.enters("ada") == [.text("EnterMessage of ada: undefined")])
        #expect(await bot.robot.leaves("ada") == [.text("LeaveMessage of ada: undefined")])
        // A topic is no command of the robot's own, and its own catch-alls don't get it.
        #expect(await bot.robot.sees(topic: "hubot known") == [.text("TopicMessage of alice: hubot known")])
        #expect(await bot.says("hm") == ["swift's catch-all", "undefined of alice: hm"])
    }

    @Test func `listeners of both worlds take part in one order`() async throws {
        let swift = InlineScript("Swift") { robot in
            robot.hear(/first/) { try await $0.send("swift heard \($0.message.text ?? "")") }
        }
        let bot = try await HubotBot(
            [
                "order.js": """
                module.exports = (robot) => {
                  robot.hear(/first/, (res) => res.send('js heard first'));
                  robot.hear(/first stop/, (res) => { res.finish(); res.send('js stops'); });
                  robot.hear(/first/, (res) => res.send('js heard it again'));
                  robot.hear(/change/, (res) => { res.message.text = 'changed'; });
                  robot.hear(/^changed$/, (res) => res.send('js heard changed'));
                };
                """
            ], others: [swift])
        #expect(await bot.says("first") == ["swift heard first", "js heard first", "js heard it again"])
        #expect(await bot.says("first stop") == ["swift heard first stop", "js heard first", "js stops"])
        #expect(await bot.says("change") == ["js heard changed"])
    }

    @Test func `listeners in Swift wait for a script's only if they come later, and only for its synchronous part`()
        async throws
    {
        let early = InlineScript("Early") { robot in robot.hear(/spin/) { try await $0.send("early") } }
        let late = InlineScript("Late") { robot in robot.hear(/go/) { try await $0.send("late") } }
        let bot = try await HubotBot(
            [
                "slow.js": """
                module.exports = (robot) => {
                  robot.hear(/go/, async (res) => {
                    await new Promise((release) => robot.once('release', release));
                    await res.send('released');
                  });
                  robot.respond(/release$/, () => { robot.emit('release'); });
                  robot.hear(/spin/, () => { console.log('spins'); for (;;); });
                };
                """
            ], others: [early], later: [late])
        #expect(await bot.says("go") == ["late"])
        _ = await bot.says("hubot release")
        try await bot.waitForText("released")
        async let spinning = bot.says("spin")
        try await bot.waitForLog("spins")
        #expect(bot.robot.lines.last?.utterance.content == "early")
        bot.host.latest.state.withLock { $0.outbox }?.kill()
        #expect(await spinning.first == "early")
    }

    @Test func `a later listener waits until a script's answer is delivered`() async throws {
        let (reached, released) = (OneShotPromise<Void>(), OneShotPromise<Void>())
        let slow = InlineScript("Slow") { robot in
            robot.responseMiddleware { utterance, _, _ in
                guard utterance.content == "answer" else { return utterance }
                reached.fulfill(())
                await released.value()
                return utterance
            }
        }
        let late = InlineScript("Late") { robot in robot.hear(/tea/) { try await $0.send("late") } }
        let bot = try await HubotBot(
            [
                "tea.js": """
                module.exports = (robot) => {
                  robot.hear(/tea/, (res) => res.send('answer'));
                  robot.hear(/milk/, (res) => res.send('white'));
                };
                """
            ], others: [slow], later: [late])
        async let said = bot.says("tea")
        await reached.value()
        // The result of the first run comes before this one's.
        #expect(await bot.says("milk", from: "bob", in: "#other") == ["white"])
        #expect(bot.robot.lines.map(\.utterance.content) == ["white"])
        released.fulfill(())
        #expect(await said == ["answer", "late"])
    }

    @Test func `a robot that stops waits for a promise, but not indefinitely`() async throws {
        let bot = try await HubotBot([
            "pid.js": HubotBot.pid,
            "never.js":
                "module.exports = (robot) => { robot.respond(/never$/, async () => { await new Promise(() => {}) }) }"
        ])
        let pid = try await bot.processID()
        _ = await bot.says("hubot never")
        let driver = bot.host.latest
        #expect(driver.state.withLock { $0.unfinished.count } == 1)
        try await wait(for: "the end of the wait") {
            // Not past a ping that isn't answered yet, which would end the process.
            if driver.state.withLock({ $0.session.ping == nil }) { bot.clock.advance(by: .milliseconds(500)) }
            return driver.state.withLock { $0.unfinished.isEmpty }
        }
        await bot.robot.robot.inFlight.waitUntilIdle()
        #expect(try await bot.processID() == pid)
    }

    @Test func `users see the robot writing while a promise works on the first text of an answer`() async throws {
        let bot = try await HubotBot([
            "slow.js": """
            module.exports = (robot) => {
              const waiting = [];
              const wait = () => new Promise((resolve) => waiting.push(resolve));
              robot.respond(/slow$/, async (res) => { await wait(); res.send('done'); });
              robot.respond(/silent$/, wait);
              robot.respond(/early$/, async (res) => { res.send('first'); await wait(); });
              robot.hear(/hm$/, wait);
              robot.hear(/go$/, () => waiting.forEach((resolve) => resolve()));
            };
            """
        ])
        _ = await bot.says("hubot early", in: "#early")
        _ = await bot.says("hm", in: "#chat")
        _ = await bot.says("hubot silent", in: "#silent")
        _ = await bot.says("hubot slow", in: "#slow")
        let driver = bot.host.latest
        #expect(driver.state.withLock { $0.unfinished.count } == 4)
        #expect(bot.robot.typing == [])
        // Less time than the robot waits for a promise.
        var steps = 0
        try await wait(for: "the writing; there is \(bot.robot.typing)") {
            if steps < 20, driver.state.withLock({ $0.session.ping == nil }) {
                steps += 1
                bot.clock.advance(by: .milliseconds(500))
            }
            return Set(bot.robot.typing.map(\.room)).count >= 2
        }
        _ = await bot.says("go")
        try await wait(for: "the end of the promises") { driver.state.withLock { $0.unfinished.isEmpty } }
        await bot.robot.robot.inFlight.waitUntilIdle()
        let shown = Set(bot.robot.typing.filter(\.isTyping).map(\.room))
        #expect(shown == ["#silent", "#slow"])
        // What was said in the room has ended it.
        #expect(bot.robot.typing.filter { !$0.isTyping }.map(\.room) == ["#silent"])
    }

    @Test func `a later listener in Swift gets the text that a script has changed`() async throws {
        let late = InlineScript("Late") { robot in
            robot.hear(/new/) { try await $0.send("swift heard \($0.message.text ?? "")") }
            robot.hear(/old/) { try await $0.send("swift heard the old text") }
        }
        let bot = try await HubotBot(
            [
                "change.js":
                    "module.exports = (robot) => { robot.hear(/old/, (res) => { res.message.text = 'new text'; }); };"
            ], later: [late])
        #expect(await bot.says("old text") == ["swift heard new text"])
    }

    @Test func `a script can't change a text to one that is longer than the limit`() async throws {
        let late = InlineScript("Late") { robot in
            robot.hear(/./) { try await $0.send("heard \($0.message.text?.count ?? 0)") }
        }
        var limits = Robot.Limits()
        limits.text = 100
        let bot = try await HubotBot(
            [
                "change.js": """
                module.exports = (robot) => {
                  robot.hear(/grow (\\d+)/, (res) => { res.message.text = 'x'.repeat(Number(res.match[1])); });
                };
                """
            ], limits: limits, later: [late])
        #expect(await bot.says("grow 100") == ["heard 100"])
        #expect(await bot.says("grow 101") == ["heard 8"])
        #expect(bot.robot.loggedProblems.contains { $0.contains("exceeds the limit") })
    }

    @Test func `robot.http, with callbacks`() async throws {
        let bot = try await HubotBot([
            "web.coffee": """
            http = require 'http'
            module.exports = (robot) ->
              server = http.createServer (request, response) ->
                response.end JSON.stringify {path: request.url, agent: request.headers['x-agent']}
              server.listen 0, '127.0.0.1'
              server.unref()
              robot.respond /fetch (.*)/, (msg) ->
                msg.http("http://127.0.0.1:#{server.address().port}/find").query(q: msg.match[1])
                  .header('X-Agent', 'test').get() (err, res, body) ->
                    msg.send "#{res.statusCode} #{JSON.parse(body).path} #{JSON.parse(body).agent}"
            """
        ])
        _ = await bot.says("hubot fetch tea")
        try await bot.waitForText("200 /find?q=tea test")
    }

    @Test func `rooms and users of messages that nothing answers`() async throws {
        let bot = try await HubotBot([
            "send.js": """
            module.exports = (robot) => {
              robot.respond(/tell (\\w+) (.*)/, (res) => robot.messageRoom('#' + res.match[1], res.match[2]));
              robot.respond(/later$/, (res) => { setTimeout(() => res.reply('now'), 5); });
              robot.respond(/who is (\\w+)$/, (res) => {
                const user = robot.brain.userForName(res.match[1]);
                res.send(user ? user.id : 'nobody');
              });
              robot.respond(/nowhere$/, (res) => robot.send({}, 'lost').catch((error) => res.send(error.message)));
            };
            """
        ])
        #expect(await bot.says("hubot tell tea hello") == [])
        try await bot.waitForText("hello")
        #expect(bot.robot.said(in: "#tea") == [.text("hello")])
        _ = await bot.says("hubot later")
        try await bot.waitForText("now")
        #expect(await bot.says("hubot who is carol") == ["nobody"])
        _ = await bot.says("I'm just talking", from: "carol", in: "#other")
        #expect(await bot.says("hubot who is carol") == ["carol"])
        _ = await bot.says("hubot nowhere")
        try await bot.waitForText("the message names neither a room nor a user")
    }

    @Test func `a sound is played on a network that plays sounds, whatever its name, and nowhere else`() async throws {
        let network = SoundingNetwork()
        let bot = try await HubotBot(
            [
                "sound.js": """
                module.exports = (robot) => {
                  robot.respond(/horn$/, (res) => { res.play('trombone'); res.send('done'); });
                };
                """
            ], networks: [network])
        #expect(await bot.says("hubot horn") == ["done"])
        let message = Message(
            id: Message.ID(adapter: "office", value: "1"),
            user: User(id: User.ID(adapter: "office", value: "ada"), name: "ada"),
            room: Room(id: Room.ID(adapter: "office", value: "1")), content: .text("hubot horn"))
        await bot.robot.robot.run(message, DelegatedCommand(reachesUser: true))
        try await wait(for: "the sound; the log is \(bot.log.lines())") {
            network.delivered.all == ["1: ♫ trombone", "1: done"]
        }
    }

    @Test(arguments: [true, false])
    func `a private answer to a scheduled command is sent only if it reaches the user`(
        _ reachesUser: Bool
    ) async throws {
        let network = WhisperingNetwork()
        let bot = try await HubotBot(
            [
                "whisper.js": """
                module.exports = (robot) => {
                  robot.respond(/whisper$/, (res) => { robot.send({ user: { id: res.message.user.id } }, 'psst'); });
                };
                """
            ], networks: [network])
        _ = await bot.says("hello")
        let message = Message(
            id: Message.ID(adapter: "irc", value: "1"),
            user: User(id: User.ID(adapter: "irc", value: "ada"), name: "ada"),
            room: Room(id: Room.ID(adapter: "irc", value: "#dev")), content: .text("hubot whisper"))
        await bot.robot.robot.run(message, DelegatedCommand(reachesUser: reachesUser))
        if reachesUser {
            try await wait(for: "the answer; the log is \(bot.log.lines())") {
                network.delivered.all == ["ada: psst"]
            }
        } else {
            try await bot.waitForLog("a Hubot script couldn't send a message: ada isn't seen now")
            #expect(network.delivered.all == [])
        }
    }

    @Test(arguments: [true, false])
    func `scripts get the robot's environment without the variables that are withheld`(isWithheld: Bool) async throws {
        let bot = try await HubotBot(
            [
                "environment.js": """
                module.exports = (robot) => {
                  robot.respond(/has (\\w+)$/, (res) => res.send(String(res.match[1] in process.env)));
                };
                """
            ], withheld: isWithheld ? ["PATH"] : ["ANOTHER"])
        #expect(await bot.says("hubot has PATH") == [String(!isWithheld)])
    }

    @Test func `messages that scripts put into the robot`() async throws {
        let bot = try await HubotBot([
            "inject.js": """
            const { TextMessage } = require('hubot');
            module.exports = (robot) => {
              robot.respond(/do (.*)/, (res) => {
                const message = new TextMessage(res.message.user, res.match[1], 'made');
                message.mark = 'marked';
                robot.receive(message);
              });
              robot.hear(/made (.*)/, (res) => res.send(`${res.match[1]} ${res.message.mark}`));
              robot.hear(/again and again/, (res) => robot.receive(new TextMessage(res.message.user, 'again and again', 'again')));
            };
            """
        ])
        _ = await bot.says("hubot do made tea")
        try await bot.waitForText("tea marked")
        _ = await bot.says("again and again")
        try await bot.waitForLog("a Hubot script couldn't pass a message to the robot: the script triggers itself")
    }
}
