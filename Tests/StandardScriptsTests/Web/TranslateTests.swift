import FoundationEssentials
import Heybot
import HeybotTesting
import StandardScripts
import Testing

@Suite struct TranslateTests {
    let web = StubHTTPClient()
    let robot: TestRobot
    private static let host = "https://libretranslate.com"

    init() {
        robot = TestRobot(name: "hubot", settings: ["TRANSLATE_KEY": "k3y"], web: web, Translate())
    }

    /// Shaped after https://docs.libretranslate.com/api/operations/languages/.
    private static let languages = StubHTTPClient.Answer.json(
        """
        [
            {"code": "en", "name": "English", "targets": ["de", "fr"]}, {"code": "fr", "name": "French", "targets": []},
            {"code": "de", "name": "German", "targets": ["en"]},
            {"code": "zh-Hans", "name": "Chinese (simplified)", "targets": ["en"]}
        ]
        """)

    /// Shaped after https://docs.libretranslate.com/guides/api_usage.
    private static func translation(_ text: String, _ language: String? = "fr") -> StubHTTPClient.Answer {
        let detected = language.map { #""detectedLanguage": {"confidence": 90.0, "language": "\#($0)"}, "# } ?? ""
        return .json(#"{\#(detected)"translatedText": "\#(text)"}"#)
    }

    private func expect(_ answer: StubHTTPClient.Answer) {
        web.answer("\(Self.host)/languages", Self.languages)
        web.answer(.post, "\(Self.host)/translate", answer)
    }

    private struct Question: Decodable, Equatable {
        var q: String
        var source: String
        var target: String
        var format = "text"
        var api_key: String?
    }

    private func asked() throws -> Question {
        let body = try #require(web.requests.last?.body)
        #expect(body.type == "application/json")
        return try JSONDecoder().decode(Question.self, from: Data(body.bytes))
    }

    @Test func `help and examples are true`() {
        #expect(robot.brokenExamples() == [])
    }

    @Test(arguments: [
        "translate me bonjour", "translate bonjour", "translate to english bonjour", "translate to EN bonjour"
    ])
    func `it defines a word`(_ command: String) async throws {
        expect(Self.translation("hello"))
        #expect(await robot.hears("hubot \(command)") == [.text(#""bonjour" is French for "hello"."#)])
        #expect(try asked() == Question(q: "bonjour", source: "auto", target: "en", api_key: "k3y"))
    }

    @Test func `both languages can be named`() async throws {
        expect(Self.translation("guten Tag", nil))
        #expect(
            await robot.hears("hubot translate me from French into german bonjour à tous")
                == [.text(#""bonjour à tous" is French for "guten Tag"."#)])
        #expect(try asked() == Question(q: "bonjour à tous", source: "fr", target: "de", api_key: "k3y"))
    }

    @Test(arguments: ["chinese", "zh-hans"]) func `part of a name will do`(_ name: String) async throws {
        expect(Self.translation("你好", "en"))
        #expect(await robot.hears("hubot translate to \(name) hello") == [.text(#""hello" is English for "你好"."#)])
        #expect(try asked().target == "zh-Hans")
    }

    @Test(arguments: ["xx", nil]) func `a language without a name is left out`(_ code: String?) async {
        expect(Self.translation("hello", code))
        #expect(await robot.hears("hubot translate saluton") == [.text(#""saluton" means "hello"."#)])
    }

    @Test func `the languages are asked for once`() async {
        expect(Self.translation("hello"))
        _ = await robot.hears("hubot translate bonjour")
        web.answer(.post, "\(Self.host)/translate", Self.translation("bye"))
        #expect(await robot.hears("hubot translate au revoir") == [.text(#""au revoir" is French for "bye"."#)])
    }

    @Test func `unknown languages are reported`() async {
        web.answer("\(Self.host)/languages", Self.languages)
        let unknown: [Utterance] = [.reply("The translator doesn't know a language called klingon.")]
        #expect(await robot.hears("hubot translate to Klingon hello") == unknown)
        #expect(await robot.hears("hubot translate from Klingon hello") == unknown)
    }

    @Test(arguments: [
        ("into Simplified Chinese hello", nil, "zh-Hans", "hello"),
        ("to traditional chinese hello", nil, "zh-Hant", "hello"),
        ("from Haitian Creole to French bonjou tout moun", "ht", "fr", "bonjou tout moun"),
        ("from ht hello", "ht", "en", "hello"), ("to French", nil, "en", "to French"),
        ("to 3 men", nil, "en", "to 3 men"), ("from", nil, "en", "from")
    ])
    func `a language's name may have several words`(
        _ command: String, _ source: String?, _ target: String, _ text: String
    ) async throws {
        let web = StubHTTPClient()
        web.answer(
            "https://libretranslate.com/languages",
            .json(
                """
                [{"code": "en", "name": "English"}, {"code": "fr", "name": "French"}, {"code": "zh-Hans", "name": "Chinese"},
                {"code": "zh-Hant", "name": "Chinese (traditional)"}, {"code": "ht", "name": "Haitian Creole"}]
                """))
        web.answer(.post, "https://libretranslate.com/translate", .json(#"{"translatedText": "x"}"#))
        let robot = TestRobot(name: "hubot", settings: ["TRANSLATE_KEY": "k3y"], web: web, Translate())
        _ = await robot.hears("hubot translate \(command)")
        let body = try #require(web.requests.last?.body)
        let question = try JSONDecoder().decode(Question.self, from: Data(body.bytes))
        #expect(question == Question(q: text, source: source ?? "auto", target: target, api_key: "k3y"))
    }

    @Test func `without a key, it names the setting`() async {
        let robot = TestRobot(name: "hubot", web: web, Translate())
        #expect(
            await robot.hears("hubot translate hello") == [
                .reply(
                    "I can't translate yet: set HEYBOT_TRANSLATE_KEY to a key for libretranslate.com, "
                        + "or HEYBOT_TRANSLATE_URL to the URL of your own LibreTranslate server.")
            ])
    }

    @Test func `one's own server needs no key`() async throws {
        web.answer("http://words.local/languages", Self.languages)
        web.answer(.post, "http://words.local/translate", Self.translation("Hallo", "en"))
        let settings = ["TRANSLATE_URL": "http://words.local", "TRANSLATE_TO": "German"]
        let robot = TestRobot(name: "hubot", settings: settings, web: web, Translate())
        #expect(await robot.hears("hubot translate hello") == [.text(#""hello" is English for "Hallo"."#)])
        #expect(try asked() == Question(q: "hello", source: "auto", target: "de"))
    }

    @Test func `the service's errors are reported`() async {
        expect(.json(#"{"error": "Breton (br) is not available\n as a target"}"#, status: 400))
        #expect(
            await robot.hears("hubot translate bonjour")
                == [.reply("The translator can't do that: Breton (br) is not available as a target")])
        web.answer(.post, "\(Self.host)/translate", .json(#"{"error": "Invalid API key k3y"}"#, status: 403))
        #expect(
            await robot.hears("hubot translate bonjour")
                == [.reply("The translator doesn't accept my key. Check HEYBOT_TRANSLATE_KEY.")])
        web.answer(.post, "\(Self.host)/translate", .text("<h1>Bad Request</h1>", status: 400))
        #expect(
            await robot.hears("hubot translate bonjour")
                == [.reply("I can't get an answer from libretranslate.com just now.")])
    }

    @Test(arguments: Fault.allCases) func `failures are reported`(_ fault: Fault) async {
        web.answer("\(Self.host)/languages", fault.answer)
        #expect(await robot.hears("hubot translate bonjour") == [.reply(fault.spoken("libretranslate.com"))])
        expect(fault.answer)
        #expect(await robot.hears("hubot translate bonjour") == [.reply(fault.spoken("libretranslate.com"))])
    }

    @Test func `a hostile translation is shown in one line`() async {
        expect(Self.translation(#"a\u0007\u202e\nQUIT :b"#))
        #expect(await robot.hears("hubot translate x") == [.text(#""x" is French for "a QUIT :b"."#)])
        web.answer(.post, "\(Self.host)/translate", Self.translation(String(repeating: "x", count: 100_000)))
        #expect(await robot.hears("hubot translate x").first?.content.count == 2_000 + #""x" is French for ""."#.count)
    }

    @Test func `hostile words stay words`() async throws {
        expect(Self.translation("hi"))
        let text = #""}, "q": "%&"#
        #expect(await robot.hears("hubot translate \(text)") == [.text("\"\(text)\" is French for \"hi\".")])
        #expect(try asked().q == text)
        #expect(
            await robot.hears("hubot translate " + String(repeating: "x", count: 1_001))
                == [.reply("That's too long to translate: use at most 1000 characters.")])
        #expect(await robot.hears("hubot translate") == [])
        #expect(await robot.hears("hubot translate a\nb") == [])
    }

    @Test func `the key is sent to no other host`() async {
        let web = StubHTTPClient()
        let robot = TestRobot(name: "hubot", settings: ["TRANSLATE_KEY": "k"], web: web, Translate())
        web.answer("https://libretranslate.com/languages", .json(#"[{"code": "en", "name": "English"}]"#))
        web.answer(.post, "https://libretranslate.com/translate", .json("{}", status: 308))
        _ = await robot.hears("hubot translate hallo")
        #expect(web.requests.last?.redirects == 0)
    }

    @Test func `an invisible text isn't translated`() async {
        let robot = TestRobot(name: "hubot", settings: ["TRANSLATE_KEY": "k"], Translate())
        #expect(await robot.hears("hubot translate \u{200B}") == [.reply("What should I translate?")])
    }
}
