import Heybot
import HeybotTesting
import StandardScripts
import Testing

@Suite struct PugsTests {
    let web = StubHTTPClient()
    let robot: TestRobot
    private static let images = "https://dog.ceo/api/breed/pug/images"

    init() {
        robot = TestRobot(name: "hubot", web: web, Pugs())
    }

    /// Shaped after https://dog.ceo/dog-api/documentation/breed.
    private static func pictures(_ urls: [String]) -> StubHTTPClient.Answer {
        .json(#"{"message": [\#(urls.map { "\"\($0)\"" }.joined(separator: ", "))], "status": "success"}"#)
    }

    private static func urls(_ count: Int) -> [String] {
        (1...count).map { "https://images.dog.ceo/breeds/pug/\($0).jpg" }
    }

    @Test func `help and examples are true`() {
        #expect(robot.brokenExamples() == [])
    }

    @Test func `a pug is shown`() async {
        let url = "https://images.dog.ceo/breeds/pug/IMG_1.jpg"
        web.answer("\(Self.images)/random", .json(#"{"message": "\#(url)", "status": "success"}"#))
        #expect(await robot.hears("hubot pug me") == [.text(url)])
    }

    @Test(arguments: [("pug bomb", 5), ("pug bomb 1", 1), ("PUG bomb 010", 10)])
    func `so many are shown`(_ command: String, _ count: Int) async {
        web.answer("\(Self.images)/random/\(count)", Self.pictures(Self.urls(count)))
        #expect(await robot.hears("hubot \(command)") == [.text(Self.urls(count).joined(separator: "\n"))])
    }

    @Test(arguments: ["0", "11", "99999999999999999999999"])
    func `a pug bomb has limits`(_ count: String) async {
        #expect(await robot.hears("hubot pug bomb \(count)") == [.reply("I can show 1 to 10 pugs.")])
    }

    @Test(arguments: ["pug me please", "pug bomb -1", "pug bomb many", "pugs", "pug bomb 1\n2"])
    func `other texts are ignored`(_ command: String) async {
        #expect(await robot.hears("hubot \(command)") == [])
    }

    @Test(arguments: [(0, "There are 0 pugs."), (1, "There is 1 pug."), (200, "There are 200 pugs.")])
    func `they are counted`(_ count: Int, _ said: String) async {
        web.answer(Self.images, Self.pictures(count == 0 ? [] : Self.urls(count)))
        #expect(await robot.hears("hubot how many pugs are there?") == [.reply(said)])
    }

    @Test func `only web addresses are shown, and no more than asked for`() async {
        let odd = ["javascript:alert(1)", "https://a.example/ b", #"https://a.example/\n/quit"#, "https://ok.example/1"]
        web.answer("\(Self.images)/random/4", Self.pictures(odd + Self.urls(9)))
        #expect(await robot.hears("hubot pug bomb 4") == [.text("https://ok.example/1")])
        web.answer(
            "\(Self.images)/random/1", Self.pictures(["https://a.example/\(String(repeating: "x", count: 100_000))"]))
        #expect(await robot.hears("hubot pug bomb 1") == [.reply("I found no pugs. Sorry!")])
        web.answer("\(Self.images)/random", .json(#"{"message": "<b>pug</b>"}"#))
        #expect(await robot.hears("hubot pug me") == [.reply("I found no pug. Sorry!")])
    }

    @Test func `pugs of one's own are shown instead`() async {
        web.answer("http://pugs.local/breed/pug/images", Self.pictures(Self.urls(2)))
        let robot = TestRobot(name: "hubot", settings: ["PUGS_URL": "http://pugs.local/"], web: web, Pugs())
        #expect(await robot.hears("hubot how many pugs are there") == [.reply("There are 2 pugs.")])
    }

    @Test(arguments: Fault.allCases) func `failures are reported`(_ fault: Fault) async {
        for (command, path) in [("pug me", "/random"), ("pug bomb", "/random/5"), ("how many pugs are there", "")] {
            web.answer("\(Self.images)\(path)", fault.answer)
            #expect(await robot.hears("hubot \(command)") == [.reply(fault.spoken("dog.ceo"))])
        }
    }
}
