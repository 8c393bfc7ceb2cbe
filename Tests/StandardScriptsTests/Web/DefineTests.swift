import Heybot
import HeybotTesting
import StandardScripts
import Testing

@Suite struct DefineTests {
    let web = StubHTTPClient()
    let robot: TestRobot

    init() {
        robot = TestRobot(name: "hubot", web: web, Define())
    }

    func url(_ word: String) -> String { "https://en.wiktionary.org/api/rest_v1/page/definition/\(word)" }

    static let missing = StubHTTPClient.Answer.json(
        #"{"type": "https://mediawiki.org/wiki/HyperSwitch/errors/not_found", "title": "Not found."}"#, status: 404)

    @Test func `the examples are answered`() {
        #expect(robot.brokenExamples() == [])
    }

    // As https://en.wiktionary.org/api/rest_v1/ has it.
    @Test func `three meanings are shown, with the part of speech`() async {
        web.answer(
            url("brass"),
            .json(
                #"""
                {"cs": [{"partOfSpeech": "Noun", "language": "Czech", "definitions": [{"definition": "arms"}]}],
                 "en": [
                    {"partOfSpeech": "Noun", "language": "English", "definitions": [
                        {"definition": ""},
                        {"definition": "A <a rel=\"mw:WikiLink\" href=\"/wiki/metal\" title=\"metal\">metal</a> of copper &amp; zinc.",
                         "parsedExamples": [{"example": "a <b>brass</b> wheel"}]},
                        {"definition": "<span class=\"usage-label-sense\">(<i>music</i>)</span> Loud ones."}]},
                    {"partOfSpeech": "Verb", "language": "English", "definitions": [
                        {"definition": "To coat with it."}, {"definition": "No more."}]}
                ]}
                """#))
        let words = "noun: A metal of copper & zinc.\nnoun: (music) Loud ones.\nverb: To coat with it."
        #expect(await robot.hears("hubot define brass") == [.text(words)])
    }

    @Test func `a word of another language is shown with the language`() async {
        web.answer(
            url("Zahnrad"),
            .json(
                #"""
                {"en": [{"partOfSpeech": "Noun", "language": "English", "definitions": [{"definition": "<br>"}]}],
                 "de": [{"partOfSpeech": "Noun", "language": "German", "definitions": [{"definition": "gear"}]}],
                 "nl": [{"partOfSpeech": "Noun", "language": "Dutch", "definitions": [{"definition": "no"}]}]}
                """#))
        #expect(await robot.hears("hubot define Zahnrad") == [.text("German noun: gear")])
    }

    @Test func `an unintended capital letter doesn't matter`() async {
        web.answer(url("Brass"), Self.missing)
        web.answer(url("brass"), .json(#"{"en": [{"definitions": [{"definition": "A metal."}]}]}"#))
        #expect(await robot.hears("hubot define Brass") == [.text("A metal.")])
    }

    @Test func `an unknown word is reported`() async {
        web.answer(url("qwrtz"), Self.missing)
        #expect(await robot.hears("hubot define qwrtz") == [.reply("I found nothing for qwrtz.")])
        web.answer(url("qwrtz"), .json("{}"))
        #expect(await robot.hears("hubot define qwrtz") == [.reply("I found nothing for qwrtz.")])
        #expect(robot.loggedProblems == [])
    }

    @Test(arguments: Fault.allCases) func `failures are reported`(_ fault: Fault) async {
        web.answer(url("brass"), fault.answer)
        #expect(await robot.hears("hubot define brass") == [.reply(fault.spoken("en.wiktionary.org"))])
    }

    @Test func `hostile meanings are shown safely`() async {
        let huge = String(repeating: "x", count: 100_000)
        web.answer(
            url("brass"),
            .json(
                #"""
                {"en": [{"partOfSpeech": "Noun\u202E\n\#(huge)", "definitions": [
                    {"definition": "<script>alert(1)</script><style>a{}</style>\u0000a\r\nb&#x202E;&lt;i&gt; \#(huge)"}]}]}
                """#))
        let said = await robot.hears("hubot define brass")[0].content
        #expect(said.hasPrefix("noun xxx") && said.contains("x…: a b<i> xxx") && said.hasSuffix("x…"))
        #expect(!said.contains("\n") && said.count <= 60 + 2 + 250)
    }

    @Test(arguments: [
        ("ice cream", "ice_cream"), ("../../w/api.php?x=1#", "..%2F..%2Fw%2Fapi.php%3Fx%3D1%23"),
        ("\"a\" & %", "%22a%22_%26_%25"), ("ß", "%C3%9F")
    ])
    func `hostile words stay one part of the path`(_ word: String, _ part: String) async {
        web.answer(url(part), Self.missing)
        #expect(await robot.hears("hubot define \(word)") == [.reply("I found nothing for \(word).")])
    }

    @Test func `an empty, too long or multi-line query isn't sent`() async {
        let long = String(repeating: "x", count: 10_000)
        #expect(await robot.hears("hubot define \(long)")[0].content.hasPrefix("That's too long to look for"))
        #expect(await robot.hears("hubot define \u{200B}") == [.reply("What should I look for?")])
        #expect(await robot.hears("hubot define") == [])
        #expect(await robot.hears("hubot define a\nb") == [])
        #expect(web.requests.isEmpty)
    }
}
