import Heybot
import HeybotTesting
import StandardScripts
import Testing

/// Commands that users of Hubot are used to: from the help of its own scripts, and of the forty most used other scripts.
@Suite(.timeLimit(.minutes(15))) struct HubotHabitsTests {
    enum Outcome: Equatable {
        /// The robot does it, or names the missing setting.
        case answered
        /// The script requests it from a web service.
        case asksWeb(String)
        /// The robot suggests a command whose usage begins with this text.
        case suggested(String)
        /// The robot says that it doesn't understand.
        case unknown
    }

    static let habits: [(said: String, outcome: Outcome)] = [
        // hubot-help, hubot-diagnostics, hubot-rules
        ("help", .answered), ("help image", .answered), ("help all", .answered), ("ping", .answered),
        ("PING", .answered), ("ping?", .answered), ("adapter", .answered), ("echo hello world", .answered),
        ("time", .answered), ("what time is it", .answered), ("die", .answered), ("the rules", .answered),
        ("what are the rules", .answered), ("the three laws", .answered), ("what are the 3 laws?", .answered),
        ("the apple rules", .unknown),
        // hubot-google-images
        ("image me kittens", .asksWeb("Images")), ("image kittens", .asksWeb("Images")),
        ("img me kittens", .asksWeb("Images")), ("animate me a cat", .asksWeb("Images")),
        ("mustache me https://example.org/a.png", .answered), ("mustache me Ada", .asksWeb("Images")),
        ("mustachify me Ada", .asksWeb("Images")), ("mustachify Ada", .asksWeb("Images")),
        ("gif me cats", .suggested("animate me")),
        ("image me", .answered),
        // hubot-maps
        ("map me Berlin", .asksWeb("Maps")), ("map Berlin", .asksWeb("Maps")),
        ("satellite map me Berlin", .asksWeb("Maps")), ("terrain map Berlin", .asksWeb("Maps")),
        ("directions from Rome to Milan", .answered), ("directions me from \"Rome\" to \"Milan\"?", .answered),
        ("directions Rome Milan", .suggested("directions from")),
        // hubot-google-translate
        ("translate me bonjour", .answered), ("translate me from French into English bonjour", .answered),
        ("translate me into Simplified Chinese hello", .answered),
        ("translate me from Haitian Creole to Spanish bonjou", .answered),
        ("translate", .suggested("translate <text>")),
        // hubot-pugme, hubot-shipit, hubot-youtube
        ("pug me", .asksWeb("Pugs")), ("pug", .asksWeb("Pugs")), ("pug bomb 3", .asksWeb("Pugs")),
        ("pug bomb", .asksWeb("Pugs")), ("how many pugs are there?", .asksWeb("Pugs")), ("ship it", .answered),
        ("shipit", .answered), ("youtube me robots", .answered), ("yt robots", .answered),
        ("youtube", .suggested("youtube me")),
        // hubot-plusplus, hubot-karma
        ("bob++", .answered), ("bob ++", .answered), ("bob —", .answered), ("karma bob", .answered),
        ("karma best", .answered),
        ("bob++ for being kind", .answered), ("bob-- because it rains", .answered),
        ("score bob", .answered), ("score for bob", .answered), ("top 5", .answered), ("top", .answered),
        ("bottom 5", .answered), ("erase bob", .answered),
        // hubot-auth
        ("alice has deployer role", .answered), ("alice doesn't have deployer role", .answered),
        ("what roles does alice have?", .answered), ("what roles do I have", .answered),
        ("who has admin role", .answered), ("alice has role deployer", .unknown),
        // hubot-seen, hubot-schedule, hubot-insulter
        ("seen bob", .answered), ("when was bob last seen?", .answered), ("seen in last 24h", .answered),
        ("schedule add \"0 9 * * *\" stand up", .answered),
        ("schedule list", .answered), ("schedule upd 1 ping", .answered), ("insult bob", .unknown),
        // Play, Spotify and MPD scripts
        ("play", .answered), ("play Daft Punk", .answered), ("play next", .answered), ("pause", .answered),
        ("resume", .answered), ("skip", .answered), ("what's playing", .answered), ("what is playing?", .answered),
        ("what's next?", .answered), ("volume?", .answered), ("volume 11", .answered), ("turn it up", .answered),
        ("I like this song", .answered), ("I hate this", .answered), ("play what is love", .answered),
        // hubot-scripts
        ("weather London", .asksWeb("Weather")), ("weather for London", .asksWeb("Weather")),
        ("forecast London", .asksWeb("Weather")), ("forecast", .suggested("weather in")), ("xkcd", .asksWeb("XKCD")),
        ("xkcd latest", .asksWeb("XKCD")), ("xkcd 614", .asksWeb("XKCD")),
        ("wiki me Ada Lovelace", .asksWeb("Wikipedia")),
        ("wikipedia Ada Lovelace", .asksWeb("Wikipedia")), ("wiki", .suggested("wiki me")), ("roll", .answered),
        ("roll 2d6", .answered), ("roll one", .answered), ("roll dice", .answered), ("dice", .unknown),
        ("choose tea or coffee", .answered), ("decide tea or coffee", .answered),
        ("decide \"tea\" \"coffee\"", .answered),
        ("flip a coin", .answered), ("throw a coin", .answered), ("flip coin", .answered),
        ("8ball will it rain?", .answered),
        ("remember wifi is hunter2", .answered), ("remember", .suggested("remember <subject>")),
        ("what do you remember?", .answered),
        ("what is wifi", .unknown), ("what is wifi?", .unknown), ("what is 2 + 2", .answered),
        ("what is 2 + 2?", .answered),
        ("forget wifi", .answered), ("tell bob hello", .answered),
        ("tell me a joke", .suggested("tell <name>")), ("ambush bob: hello", .unknown),
        ("remind me in 5 minutes to eat", .answered), ("remind to eat in 5m", .answered),
        ("what are your reminders", .answered), ("forget reminder 3", .answered),
        ("urban me yolo", .suggested("define")),
        ("define yolo", .asksWeb("Define")), ("math me 2 + 2", .answered), ("calc 2 + 2", .answered),
        ("calculate 2 + 2", .answered), ("calc", .suggested("calc me")), ("convert me 5 km to miles", .answered),
        ("google me robots", .answered), ("search robots", .answered), ("google", .suggested("google me")),
        ("lmgtfy robots", .unknown), ("show me issues for heybot", .unknown), ("show me pulls", .unknown),
        ("github open pulls", .suggested("github me")), ("jenkins list", .unknown), ("jenkins build web", .unknown),
        ("pager me trigger it burns", .suggested("page")), ("is example.org up?", .unknown),
        ("base64 encode hello", .unknown),
        ("ascii me hi", .unknown), ("stock me AAPL", .unknown), ("who's on call?", .answered),
        ("who is bob?", .answered),
        ("who am I", .answered), ("alice is awesome", .answered), ("9gag", .unknown), ("meme me", .unknown),
        ("hn top 3", .asksWeb("HackerNews")), ("hn", .suggested("hn top")), ("quote", .answered),
        ("quote me", .answered),
        ("chuck norris", .unknown), ("fortune me", .unknown), ("commit message", .unknown), ("beer me", .unknown),
        ("deploy web to production", .answered), ("todo add milk", .unknown), ("zen me", .unknown),
        ("sudo make me a sandwich", .unknown), ("tableflip", .answered), ("uptime", .answered), ("version", .unknown),
        ("hello", .answered), ("hi!", .answered), ("good morning", .answered), ("thanks", .answered),
        ("who are you?", .answered), ("how are you?", .answered), ("", .answered)
    ]

    @Test func `there are at least 107`() {
        #expect(Self.habits.count >= 107)
        #expect(Set(Self.habits.map(\.said)).count == Self.habits.count)
    }

    @Test(arguments: habits) func `every habit gets an answer`(_ said: String, _ outcome: Outcome) async {
        let robot = TestRobot(name: "hubot", standardScripts)
        _ = await robot.hears("hubot ping")
        if case .asksWeb(let script) = outcome {
            let found = robot.robot.listeners(matching: "hubot \(said)").compactMap { $0.split(separator: ".").first }
            #expect(found.map(String.init) == [script], "\(said)")
            return
        }
        for room in ["#test", "alice"] {
            let text = room == "alice" && !said.isEmpty ? said : "hubot \(said)"
            let answers = await robot.hears(text, in: room).map(\.content)
            #expect(answers.count == 1, "\(text): \(answers)")
            let answer = answers.first ?? ""
            let prefix = room == "alice" ? "" : "hubot "
            let isHint = answer == "I don't understand that. Say \"\(prefix)help\" to see what I can do."
            let usage = ["Usage: ", "Did you mean \""].first { answer.hasPrefix($0) }.map { answer.dropFirst($0.count) }
            switch outcome {
            case .answered: #expect(!isHint && usage == nil, "\(text): \(answer)")
            case .suggested(let wanted): #expect(usage?.hasPrefix(wanted) == true, "\(text): \(answer)")
            case .unknown: #expect(isHint, "\(text): \(answer)")
            case .asksWeb: break
            }
        }
    }
}
