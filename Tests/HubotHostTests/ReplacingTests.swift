import Heybot
import HeybotTesting
import Testing

@testable import HubotHost

/// Hubot scripts that answer commands of scripts in Swift.
@Suite(.timeLimit(.minutes(15))) struct ReplacingTests {
    private let swift = InlineScript("Swift") { robot in
        robot.respond(/hello/, help: "hello - Greets", example: "hello") { try await $0.send("swift hello") }
        robot.respond(/other/, help: "other - Does something else", example: "other") {
            try await $0.send("swift other")
        }
        robot.respond(/weather (.*)/, help: "weather <place> - Forecasts", example: "weather lisbon") {
            try await $0.send("swift weather")
        }
        robot.respond(/score (.*)/, help: "score <name> [room] - Says a score", example: "score swift") {
            try await $0.send("swift score")
        }
        robot.respond(/top ([0-9]+)/, help: "top <number> - Lists scores", example: "top 3") {
            try await $0.send("swift top")
        }
        robot.hear(/\S\+\+/, help: "<name>++ - Gives a point", example: "swift++ for being fast") {
            try await $0.send("swift ++")
        }
        robot.listen(containing: ["--"], help: "<name>-- - Takes a point", example: "\"big boss\"--") { message in
            message.text?.contains("--") == true ? true : nil
        } _: {
            try await $0.send("swift --")
        }
        robot.hear(/https:/, help: "<URL> - Shows a title", example: "see https://example.org/") {
            try await $0.send("swift title")
        }
    }

    private func replacements(_ bot: HubotBot) -> [String] {
        bot.log.lines(from: .notice).filter { $0.contains("replaces") }
    }

    @Test func `a listener of a script replaces a command that it answers`() async throws {
        let bot = try await HubotBot(
            [
                "a.js": """
                module.exports = (robot) => {
                  robot.respond(/hel+o$/i, (res) => res.send('js hello'));
                  robot.hear(/score (\\w+)/i, (res) => res.send('js score'));
                  robot.respond(/top (\\d+)/i, (res) => res.send('js top'));
                };
                """,
                "b.coffee": """
                module.exports = (robot) ->
                  robot.hear /(\\w+)\\+\\+/, (msg) -> msg.send "js ++"
                  robot.hear /^([\\s\\w]*)(--|—)$/, (msg) -> msg.send "js --"
                  robot.hear /(https?:\\/\\/\\S+)/, (msg) -> msg.send "js title"
                """
            ], others: [swift])
        for (text, answer) in [
            ("hubot hello", "js hello"), ("hubot score tea", "js score"), ("hubot top 5", "js top"),
            ("tea++ for the taste", "js ++"), ("tea--", "js --"), ("see https://example.org/", "js title"),
            ("hubot other", "swift other"), ("hubot weather lisbon", "swift weather")
        ] {
            #expect(await bot.says(text) == [answer], "\(text)")
        }
        let (a, b) = (
            "the Hubot script a.js replaces these commands: ", "the Hubot script b.coffee replaces these commands: "
        )
        #expect(
            replacements(bot) == [
                a + #""hello" from Swift, "score swift" from Swift, "top 3" from Swift"#,
                b
                    + #""swift++ for being fast" from Swift, ""big boss"--" from Swift, "see https://example.org/" from Swift"#
            ])
    }

    @Test func `a listener that matches anything, or only waits for a word, replaces nothing`() async throws {
        let bot = try await HubotBot(
            [
                "talk.js": """
                module.exports = (robot) => {
                  robot.respond(/(.*)/, () => {});
                  robot.respond(/(\\S+) (\\S+)/, () => {});
                  robot.hear(/(.*)/, () => {});
                  robot.hear(/weather|score|swift/, (res) => res.send('js heard it'));
                  robot.hear(/^score (.*)/, (res) => res.send('js score'));
                  robot.respond(/\\w+\\+\\+/, (res) => res.send('js ++'));
                };
                """
            ], others: [swift])
        #expect(await bot.says("hubot weather lisbon") == ["swift weather", "js heard it"])
        #expect(await bot.says("hubot score tea") == ["swift score", "js heard it"])
        #expect(await bot.says("tea++") == ["swift ++"])
        #expect(replacements(bot) == [])
    }
}
