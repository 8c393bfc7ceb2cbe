import Heybot
import HeybotTesting
import Testing

@testable import HubotHost

/// Middleware of one world, and listeners of the other.
@Suite(.timeLimit(.minutes(15))) struct MiddlewareTests {
    private static let guardScript = """
        module.exports = (robot) => {
          robot.receiveMiddleware((context, next, done) => {
            const { message } = context.response;
            if (/spam/.test(message.text)) { message.finish(); return done(); }
            message.text = (message.text || '').replace('darn', 'd***');
            next(done);
          });
          robot.listenerMiddleware((context, next, done) => {
            if (context.listener.options.id === 'locked') { context.response.reply('that is locked'); return done(); }
            next();
          });
          robot.responseMiddleware((context, next, done) => {
            context.strings = context.strings.map((text) => `${text}!`);
            next();
          });
          robot.respond(/js (.*)/, (res) => res.send(res.match[1]));
        };
        """

    @Test func `middleware of scripts runs for listeners in Swift`() async throws {
        let swift = InlineScript("Swift") { robot in
            robot.hear(/say (.*)/) { try await $0.send(String($0.match.1)) }
            robot.hear(/open/, id: "locked") { try await $0.send("never said") }
        }
        let bot = try await HubotBot(["guard.js": Self.guardScript], others: [swift])
        #expect(await bot.says("say darn") == ["d***!"])
        #expect(await bot.says("say spam") == [])
        #expect(await bot.says("open") == ["that is locked!"])
        // For its own listeners the process runs them itself, once.
        #expect(await bot.says("hubot js tea") == ["tea!"])
    }

    @Test func `a script whose access an admin restricts answers only users with the role`() async throws {
        let bot = try await HubotBot([
            "tea.js": """
            module.exports = (robot) => {
              robot.respond(/brew$/, (res) => res.send('brewed'));
              robot.respond(/pour$/, (res) => { robot.respond(/late$/, (res) => res.send('late')); res.send('poured'); });
              robot.hear(/thirsty/, (res) => res.send('tea?'));
            };
            """
        ])
        #expect(await bot.says("hubot pour") == ["poured"])
        #expect(await bot.says("hubot late") == ["late"])
        let alice = User(id: User.ID(adapter: "test", value: "alice"), name: "alice")
        try await bot.robot.robot.setAccess(.role("host"), to: "tea.js", command: nil, by: alice)
        for command in ["hubot brew", "hubot pour"] {
            #expect(await bot.says(command) == ["You need the host role for that."])
        }
        #expect(await bot.says("hubot late") == [])
        #expect(await bot.says("I'm thirsty") == [])
        try await bot.robot.robot.set(role: "host", of: alice, to: true)
        #expect(await bot.says("hubot brew") == ["brewed"])
        #expect(await bot.says("hubot late") == ["late"])
        #expect(await bot.says("I'm thirsty") == ["tea?"])
    }

    @Test func `a listener object of a script's own that declines after Swift middleware leaves the message to others`()
        async throws
    {
        let swift = InlineScript("Swift") { robot in
            robot.listenerMiddleware { _, _ in true }
            robot.catchAll(onlyAddressed: true) { try await $0.send("what?") }
        }
        let bot = try await HubotBot(
            [
                "own.js": """
                module.exports = (robot) => {
                  robot.listeners.push({ call: (message) => {
                    if (message.text !== 'hubot mine') return false;
                    robot.messageRoom('#test', 'own');
                    return true;
                  } });
                };
                """
            ], others: [swift])
        #expect(await bot.says("hubot mine") == ["own"])
        #expect(await bot.says("hubot yours") == ["what?"])
    }

    @Test func `middleware in Swift runs for listeners of scripts, after they have matched`() async throws {
        let seen = StringRecorder()
        let swift = InlineScript("Swift") { robot in
            robot.listenerMiddleware { listener, response in
                seen.add(listener.id)
                return response.message.text?.contains("not") != true
            }
            robot.responseMiddleware { utterance, _, _ in .text("[\(utterance.content)]") }
        }
        let bot = try await HubotBot(
            [
                "a.js": """
                module.exports = (robot) => {
                  robot.listen((message) => message.text === 'never', (res) => res.send('never'));
                  robot.respond(/go (.*)/, { id: 'go' }, (res) => { robot.gone = true; res.send(res.match[1]); });
                  robot.respond(/gone/, (res) => res.send(String(robot.gone)));
                };
                """
            ], others: [swift])
        #expect(await bot.says("hubot go not") == [])
        #expect(await bot.says("hubot gone") == ["[undefined]"])
        #expect(await bot.says("hubot go on") == ["[on]"])
        #expect(seen.all == ["go", "a.js.4", "go"])
    }

    @Test func `response middleware for an answer to a message that is over`() async throws {
        let asking = InlineScript("Asking") { robot in
            robot.respond(/delete$/) { res in
                let answer = try await res.ask("Sure?")
                try await res.send("You said \(answer).")
            }
        }
        let bot = try await HubotBot(
            [
                "loud.js": """
                module.exports = (robot) => {
                  robot.responseMiddleware((context, next, done) => {
                    context.strings = context.strings.map((text) => text.toUpperCase());
                    next(done);
                  });
                };
                """
            ], others: [asking])
        try await bot.waitUntilRunning()
        #expect(await bot.says("hubot delete") == ["SURE?"])
        #expect(await bot.says("yes") == ["YOU SAID YES."])
    }
}
