import Heybot
import HeybotTesting
import StandardScripts
import Testing

/// Sends every example in the help to a robot with all scripts, and checks the answers.
@Suite(.timeLimit(.minutes(15))) struct ExampleTests {
    /// A service's response.
    private typealias Answer = (url: String, json: String)

    /// An example, its sender, the services' responses, and the beginning of the robot's answer.
    private struct Example {
        let said: String
        let by: String
        let web: [Answer]
        let answer: String

        init(_ said: String, by user: String = "root", _ answer: String) {
            (self.said, by, web, self.answer) = (said, user, [], answer)
        }

        init(_ said: String, _ web: [Answer], _ answer: String) {
            (self.said, by, self.web, self.answer) = (said, "root", web, answer)
        }
    }

    private static let dogs = "https://dog.ceo/api/breed/pug/images"
    private static let hackers = "https://hacker-news.firebaseio.com/v0"
    private static let picture = #"{"results": [{"url": "https://example.org/a.jpg"}]}"#
    private static let pug = "https://images.example.org/pug.jpg"
    private static let wikipedia =
        "https://de.wikipedia.org/w/api.php?action=query&generator=search&gsrsearch=Ada%20Lovelace&gsrlimit=5"
        + "&prop=extracts%7Cinfo%7Cpageprops&exintro=1&explaintext=1&exlimit=max&inprop=url&ppprop=disambiguation"
        + "&redirects=1&format=json&formatversion=2"

    private static let noAlertmanager = "I don't know your Alertmanager yet: set HEYBOT_ALERTMANAGER_URL"
    private static let noBlocks = "I can't block anybody on test: try \"ignore\"."
    private static let noModeration = "I can't moderate rooms on test."
    private static let noPlayer = "I have no music player yet: set HEYBOT_MPD_ADDRESS"

    /// The examples, in an order in which earlier ones create the data for later ones.
    private static let examples: [Example] = [
        Example("hubot choose tea, coffee or \"milk, warm\"", ""),
        Example("hubot flip a coin", ""),
        Example(
            "hubot convert 10 USD to EUR",
            [
                (
                    "https://www.ecb.europa.eu/stats/eurofxref/eurofxref-daily.xml",
                    "<Cube time='2026-11-20'><Cube currency='USD' rate='1.25'/></Cube>"
                )
            ], "10 USD is 8.00 EUR (rate of 20 November 2026)."),
        Example(
            "hubot define serendipity",
            [
                (
                    "https://en.wiktionary.org/api/rest_v1/page/definition/serendipity",
                    #"{"en": [{"partOfSpeech": "Noun", "definitions": [{"definition": "Luck."}]}]}"#
                )
            ], "noun: Luck."),
        Example("hubot ping", "PONG"), Example("hubot adapter", "test, up since "),
        Example("hubot adapters", "test, up since "), Example("hubot uptime", "I've just started."),
        Example("hubot echo hi there", "hi there"), Example("hubot time in Tokyo", "It's 09:00 in Tokyo"),
        Example("hubot set my timezone to Europe/Berlin", "Your time zone is Europe/Berlin, where it's 01:00."),
        Example("hubot forget my timezone", "Done."),
        Example("hubot roll 3d6+2", ""),
        Example("hubot 8ball will it rain?", ""),
        Example(
            "hubot hn top 3",
            [
                ("\(hackers)/topstories.json", "[1]"),
                ("\(hackers)/item/1.json", #"{"title": "A story", "url": "https://example.org/", "score": 2}"#)
            ], "A story (2 points, 0 comments) - https://example.org/"),
        Example("hubot hello", ""), Example("hubot who are you", "I'm hubot"),
        Example("hubot help score", "hubot score <name> - Show a score"),
        Example("hubot ping", by: "mallory", "PONG"), Example("hubot ping", by: "ada", "PONG"),
        Example("hubot ignore mallory", "I'm ignoring mallory (test:mallory) now."),
        Example("hubot who do you ignore?", "mallory."),
        Example("hubot listen to mallory", "I'm listening to mallory again."),
        Example(
            "hubot image me lighthouse", [("https://api.openverse.org/v1/images/?q=lighthouse", picture)],
            "https://example.org/a.jpg"),
        Example(
            "hubot animate me cat", [("https://api.openverse.org/v1/images/?q=cat&extension=gif", picture)],
            "https://example.org/a.jpg"),
        Example(
            "hubot mustache me Ada Lovelace",
            [("https://api.openverse.org/v1/images/?q=Ada%20Lovelace%20mustache", picture)],
            "https://example.org/a.jpg"),
        Example(
            "hubot map me Brandenburg Gate",
            [
                (
                    "https://nominatim.openstreetmap.org/search?q=Brandenburg%20Gate&format=jsonv2&limit=1",
                    #"[{"display_name": "The gate", "lat": "52.5", "lon": "13.4", "boundingbox": ["52.4", "52.6", "13.3", "13.5"]}]"#
                )
            ], "The gate: https://www.openstreetmap.org/?mlat=52.5"),
        Example(
            "hubot directions from Rome to Milan",
            "https://www.google.com/maps/dir/?api=1&origin=Rome&destination=Milan"),
        Example("hubot calc me (2 + 3) * 4", "20"), Example("hubot more", "That's all."),
        Example("hubot ada is our hero", "OK, ada is our hero."), Example("hubot who is ada?", "ada is our hero."),
        Example("swift++ for being fast", "swift now has 1 (1 for being fast)."),
        Example("\"big boss\"-- for being late", "big boss now has -1 (-1 for being late)."),
        Example("hubot score swift", "swift has 1: 1 for being fast."), Example("hubot top 3", "1. swift: 1"),
        Example("hubot karma swift", "swift has 1: 1 for being fast."), Example("hubot karma best", "1. swift: 1"),
        Example("hubot erase swift", "I've erased the score of swift, which was 1."),
        Example("hubot pug me", [("\(dogs)/random", #"{"message": "\#(pug)"}"#)], pug),
        Example("hubot pug bomb 3", [("\(dogs)/random/3", #"{"message": ["\#(pug)"]}"#)], pug),
        Example(
            "hubot how many pugs are there?", [(dogs, #"{"message": ["\#(pug)"]}"#)], "There is 1 pug."),
        Example("hubot remember ada: it is the bug that found me", "Got it: that's quote 1."),
        Example("hubot quote me bug", "“it is the bug that found me” (ada, quote 1)"),
        Example("hubot quotes by ada", "“it is the bug that found me” (ada, quote 1)"),
        Example("hubot forget quote 12", "There is no quote 12."),
        Example(
            "hubot github me swift argument parser",
            [
                (
                    "https://api.github.com/search/repositories?q=swift%20argument%20parser&per_page=1",
                    #"{"items": [{"full_name": "ada/parser", "stargazers_count": 3}]}"#
                )
            ], "ada/parser (3 stars)"),
        Example(
            "ada/engine#12",
            [
                (
                    "https://api.github.com/repos/ada/engine/issues/12",
                    #"{"title": "It jams", "state": "open", "user": {"login": "grace"}, "html_url": "https://example.org/12"}"#
                )
            ], "ada/engine#12: It jams (open issue by grace) - https://example.org/12"),
        Example("hubot ada has deployer role", "ada (test:ada) now has the deployer role."),
        Example("hubot who has deployer role?", "deployer: ada."),
        Example("hubot what roles do I have?", "Your roles: admin."),
        Example("hubot ada doesn't have deployer role", "ada (test:ada) no longer has the deployer role."),
        Example("hubot what are the three laws", "0. A robot"),
        Example("hubot say in #dev the build is green", "Said in #dev."),
        Example(
            "hubot search me analytical engine",
            [
                (
                    "https://search.example.org/search?q=analytical%20engine&format=json",
                    #"{"results": [{"title": "The engine", "url": "https://example.org/"}]}"#
                )
            ], "The engine - https://example.org/"),
        Example("ship it", "🐿 "), Example("hubot show storage plusplus.scores swift", "Ask me that in private."),
        Example("hubot show users", "Ask me that in private."), Example("hubot scripts", "AccessControl, Accounts, "),
        Example("hubot disable Rules in #dev", "Rules is disabled in #dev."),
        Example("hubot enable Rules in #dev", "Rules is enabled in #dev."),
        Example("tableflip", "┬─┬ノ( º _ ºノ)"), Example("hubot flip the whole plan", "(╯°□°)╯︵ "),
        Example("hubot unflip ʇɟıʍs", "swift ノ( º _ ºノ)"),
        Example(
            "look at https://example.org/", [("https://example.org/", "<title>An example</title>")],
            "“An example” (example.org)"),
        Example(
            "hubot translate to French good morning",
            [
                ("https://translate.example.org/languages", #"[{"code": "fr", "name": "French"}]"#),
                ("https://translate.example.org/translate", #"{"translatedText": "bonjour"}"#)
            ], "\"good morning\" means \"bonjour\"."),
        Example(
            "hubot weather in Rome",
            [
                (
                    "https://geocoding-api.open-meteo.com/v1/search?name=Rome&count=1&language=en&format=json",
                    #"{"results": [{"name": "Rome", "country": "Italy", "latitude": 41.9, "longitude": 12.5}]}"#
                ),
                (
                    "https://api.open-meteo.com/v1/forecast?latitude=41.9&longitude=12.5"
                        + "&current=temperature_2m%2Cweather_code%2Cwind_speed_10m"
                        + "&daily=weather_code%2Ctemperature_2m_max%2Ctemperature_2m_min&timezone=auto&forecast_days=2",
                    #"{"current": {"temperature_2m": 31, "weather_code": 0, "wind_speed_10m": 12}}"#
                )
            ], "Rome, Italy: 31 °C, clear"),
        Example(
            "hubot wiki me in de Ada Lovelace",
            [(wikipedia, #"{"query": {"pages": [{"title": "Ada", "extract": "She counts.", "index": 1}]}}"#)],
            "She counts."),
        Example(
            "hubot xkcd 1969",
            [("https://xkcd.com/1969/info.0.json", #"{"num": 1969, "safe_title": "Not available"}"#)], "Not available"),
        Example(
            "hubot youtube me difference engine",
            [
                (
                    "https://video.example.org/api/v1/search?q=difference%20engine&type=video",
                    #"[{"videoId": "abcdefghijk", "title": "It turns"}]"#
                )
            ], "It turns - https://video.example.org/watch?v=abcdefghijk"),
        Example("hubot github subscribe ada/engine in #dev", "#dev now follows ada/engine."),
        Example("hubot github subscriptions", "ada/engine: #dev"),
        Example("hubot github unsubscribe ada/engine in #dev", "#dev no longer follows ada/engine."),
        Example("hubot webhook for #dev", "Ask me that in private"),
        Example("hubot webhooks", "There are no webhooks yet."),
        Example("hubot revoke webhook 1", "There is no webhook 1."),
        Example("hubot silence HighLatency for 2h", noAlertmanager),
        Example("hubot unsilence HighLatency", noAlertmanager),
        Example("hubot silences", noAlertmanager),
        Example("hubot play", noPlayer),
        Example("hubot pause", noPlayer),
        Example("hubot stop", noPlayer),
        Example("hubot next", noPlayer),
        Example("hubot what's playing?", noPlayer),
        Example("hubot play blue in green", noPlayer),
        Example("hubot play something by Miles Davis", noPlayer),
        Example("hubot play something I like", noPlayer),
        Example("hubot volume 40", noPlayer),
        Example("hubot louder", noPlayer),
        Example("hubot queue", noPlayer),
        Example("hubot shuffle", noPlayer),
        Example("hubot clear the queue", noPlayer),
        Example("hubot who queued this?", noPlayer),
        Example("hubot I like this", noPlayer),
        Example("hubot say now playing in #lounge", noPlayer),
        Example("hubot stop saying now playing in #lounge", "I don't announce songs in #lounge."),
        Example("hubot ping", by: "grace", "PONG"),
        Example("hubot my timezone", "Your time zone is "),
        Example("hubot remind me in 20 minutes to call ada", "OK, I'll remind you at "),
        Example("hubot reminders", "1: you, at "),
        Example("hubot cancel reminder 1", "I've canceled reminder 1: call ada"),
        Example("hubot remind me in 20 minutes to call ada", "OK, I'll remind you at "),
        Example("hubot cancel all reminders", "OK, I've canceled 1 reminder: 2 (call ada)."),
        Example("hubot stop reminders from grace", "There are no reminders from grace for you."),
        Example("hubot cancel all reminders of mallory", "mallory has made no reminders."),
        Example("hubot snooze 10 minutes", "I haven't reminded you of anything since yesterday."),
        Example("hubot every weekday at 9:00 run echo good morning", "OK, I'll run \"echo good morning\" every"),
        Example("hubot run echo good morning every weekday at 9:00", "OK, I'll run \"echo good morning\" every"),
        Example(
            "hubot schedule \"30 9 * * 1-5\" echo good morning", "OK, I'll run \"echo good morning\" by cron 30 9"),
        Example("hubot schedules", "1: echo good morning, every weekday at 09:00"),
        Example("hubot schedule update 1 ping", "OK, schedule 1 has the new command."),
        Example("hubot cancel schedule 1", "I've canceled schedule 1: ping."),
        Example(
            "hubot on call rota ops: ada, grace weekly from monday 9:00",
            "ada is on call for ops until Monday, 8 January at 09:00"),
        Example("hubot on call rota ops", "ops: ada, grace; handover weekly at 09:00."),
        Example("hubot on call rotas", "ops: ada, grace"),
        Example("hubot who is on call for ops?", "ada is on call for ops until Monday, 8 January at 09:00"),
        Example("hubot swap ada and grace in ops", "OK. ops: grace until Monday, 8 January at 09:00"),
        Example("hubot ada is on call for ops until friday 9:00", "OK. ada is on call for ops until Friday, 5 January"),
        Example("hubot page ops the database is down", "ada: Page 1 (ops) from root in #test: the database is down"),
        Example("hubot pages", "Page 1 (ops) from root in #test: the database is down"),
        Example("hubot ack 3", "There is no open page 3."),
        Example("hubot reach me at xmpp:ada@example.org", "I'm not on a network called xmpp. I'm on: test."),
        Example("hubot add bob to on call rota ops", "I don't know anyone called bob."),
        Example("hubot remove grace from on call rota ops", "grace isn't in ops any more."),
        Example("hubot remove on call rota ops", "I've removed the rota ops."),
        Example("hubot poll lunch: pizza, curry", "Poll 1: lunch"),
        Example("hubot vote 2", "Poll 1: you vote for curry."),
        Example("hubot polls", "Poll 1: lunch (1 vote, until "),
        Example("hubot end poll 1", "OK, I'm counting the votes of poll 1."),
        Example(
            "hubot standup every weekday at 9:30: ada, grace",
            "The standup is every weekday at 09:30, with ada, grace, next on "),
        Example("hubot standup", "The standup is every weekday at 09:30, with ada, grace"),
        Example("hubot start standup", "OK, I'll post the answers by "),
        Example("hubot standup: I fix the parser", "No standup is waiting for you."),
        Example("hubot end standup", "OK, here is what I know."),
        Example("hubot add bob to standup", "I don't know anyone called bob."),
        Example("hubot remove bob from standup", "I don't know anyone called bob."),
        Example("hubot remove standup", "OK, I'll post the answers, and then there are no more standups here."),
        Example(
            "hubot feed add example.org/feed.xml",
            [
                (
                    "https://example.org/feed.xml",
                    #"{"version": "https://jsonfeed.org/version/1.1", "title": "News", "items": []}"#
                )
            ], "#test follows 1. News (example.org). "),
        Example("hubot feeds", "1. News (example.org)"),
        Example("hubot feed remove 1", "#test no longer follows News."),
        Example("hubot allow say in for ops in #ops", "Access to \"say in\": ops, in test:#ops."),
        Example("hubot access to say in", "Access to \"say in\": ops, in test:#ops (changed by test:root)."),
        Example("hubot access changes", "\"say in\" (Say): ops, in test:#ops, by test:root"),
        Example("hubot reset access to say in", "Access to \"say in\" is as the script says again: admins."),
        Example("hubot approve 1", "Nothing with that number waits for approval."),
        Example("hubot approvals", "Nothing waits for your approval."),
        Example("hubot deploy shop/fix to staging", "shop 1: not deployed. I have no GitHub token for ada/shop: "),
        Example("hubot roll back shop in staging", "I know of nothing else that was live in staging."),
        Example("hubot deploy status", "Nothing is being deployed."),
        Example("hubot what's deployed in staging", "I haven't deployed anything there yet."),
        Example("hubot where can I deploy shop", "staging: deployer"),
        Example("hubot deployers", "deployer: "),
        Example("hubot deploys of shop in staging", "shop 1: fix to staging for root, not started just now"),
        Example("hubot lock staging we are measuring", "staging is locked."),
        Example("hubot locks", "staging: root just now: we are measuring"),
        Example("hubot unlock staging", "staging is unlocked."),
        Example("hubot audit shop", "2001-01-01 00:00 "),
        Example("hubot seen ada", "ada last spoke here at "),
        Example("hubot who was here today?", "Today I've seen ada, grace, "),
        Example("hubot forget me", "I've forgotten when I saw you."),
        Example("hubot don't track me", "OK. I've forgotten when I saw you"),
        Example("hubot tell ada the build is green again", "OK, I'll tell ada when they next speak or come in."),
        Example("hubot messages I left", "ada: the build is green again"),
        Example("hubot don't tell ada", "OK, I've thrown your message for ada away."),
        Example("hubot remove messages by mallory", "No message by mallory is waiting."),
        Example("hubot remember deploys are on tuesday", "OK: deploys are on tuesday"),
        Example("hubot facts about deploys", "deploys are on tuesday"),
        Example("hubot forget deploys", "OK, I've forgotten that deploys are on tuesday"),
        Example(
            "hubot when I say retro say What went well, <user>?",
            "OK, \"retro\" is a command in this room now."),
        Example("hubot only ops may say retro", "OK. Who may use \"retro\": ops."),
        Example("hubot custom commands", "retro: say What went well, <user>?, by root (ops)"),
        Example("hubot when I say retro do nothing", "OK, I've forgotten \"retro\"."),
        Example("hubot link xmpp:ada@example.org", "Say that to me in private."),
        Example("hubot unlink xmpp:ada@example.org", "xmpp:ada@example.org isn't linked."),
        Example("hubot who am I", "You're root (test:root). Your roles: admin."),
        Example(
            "hubot relay #dev with xmpp:dev@conference.example.org",
            "I'm not on a network called xmpp. I'm on: test."),
        Example("hubot relays", "I relay no rooms."),
        Example("hubot stop relaying #dev", "I don't relay #dev."),
        Example("hubot op ada", noModeration), Example("hubot voice ada", noModeration),
        Example("hubot kick mallory spamming", noModeration), Example("hubot bans", noModeration),
        Example("hubot ban mallory for 2h spamming", noModeration), Example("hubot unban mallory", noModeration),
        Example("hubot quiet mallory for 1h", noModeration), Example("hubot unquiet mallory", noModeration),
        Example("hubot topic tea at four", noModeration),
        Example("hubot block mallory@example.org", noBlocks), Example("hubot unblock mallory@example.org", noBlocks),
        Example("hubot blocks", noBlocks),
        Example("hubot retract", noModeration), Example("hubot retract mallory", noModeration),
        Example("hubot join #dev", "I can't join or leave rooms on test."),
        Example("hubot leave #dev", "I can't join or leave rooms on test."),
        Example("hubot die", "Goodbye, cruel world.")
    ]

    @Test func `each is answered as promised`() async throws {
        let apps = try AppsFile(#"{"shop": {"repository": "ada/shop", "environments": ["staging"]}}"#)
        let settings = [
            "TITLES_ON": "true", "GITHUB_UNFURL": "true", "GITHUB_SECRET": "s", "DEPLOY_APPS_JSON": apps.path,
            "SEARCH_URL": "https://search.example.org",
            "TRANSLATE_URL": "https://translate.example.org", "INVIDIOUS_URL": "https://video.example.org"
        ]
        let web = StubHTTPClient()
        let robot = TestRobot(name: "hubot", admins: ["root"], settings: settings, web: web, standardScripts)
        let said = Set(Self.examples.map(\.said))
        let unsaid = robot.robot.listeners.compactMap { listener in
            listener.example.map { listener.trigger == .respond ? "hubot \($0)" : $0 }
        }.filter { !said.contains($0) }
        #expect(unsaid == [])
        for example in Self.examples {
            for (url, body) in example.web {
                let method: HTTPMethod = url.hasSuffix("/translate") ? .post : .get
                let type = body.hasPrefix("<title>") ? "text/html" : "application/json"
                web.answer(method, url, .init(200, headers: ["Content-Type": type], body.utf8))
            }
            let answers = await robot.hears(example.said, from: example.by).map(\.content)
            #expect(answers.count == 1, "\(example.said): \(answers)")
            let answer = answers.first ?? ""
            #expect(answer.hasPrefix(example.answer), "\(example.said): \(answer)")
            #expect(web.unconsumed == [])
        }
    }
}
