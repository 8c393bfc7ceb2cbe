import FoundationEssentials
import Heybot
import HeybotTesting
import Testing

@testable import StandardScripts

@Suite struct ClockTests {
    let web = StubHTTPClient()
    let robot: TestRobot

    init() {
        robot = TestRobot(
            name: "hubot", admins: ["root"], settings: ["TIME_ZONE": "Europe/Berlin"], web: web, Clock(), Diagnostics())
    }

    @Test(arguments: ["time", "time?", "what time is it?", "what's the time"])
    func `the time is shown in the robot's zone`(_ question: String) async {
        #expect(await robot.hears("hubot \(question)") == [.text("It's 01:00 on Monday, 1 January (CET).")])
    }

    @Test(arguments: [
        ("Tokyo", "It's 09:00 in Tokyo, on Monday, 1 January (JST)."),
        ("new york", "It's 19:00 in New York, on Sunday, 31 December (EST)."),
        ("Asia/Kathmandu?", "It's 05:45 in Kathmandu, on Monday, 1 January (UTC+0545)."),
        ("utc", "It's 00:00 in UTC, on Monday, 1 January (UTC)."),
        ("PST", "It's 16:00 in Los Angeles, on Sunday, 31 December (PST).")
    ])
    func `the time in another place is shown`(_ place: String, _ answer: String) async {
        #expect(await robot.hears("hubot time in \(place)") == [.text(answer)])
    }

    @Test func `cities that no zone is named after are looked up`() async {
        let url = "https://geocoding-api.open-meteo.com/v1/search?name=Munich&count=1&language=en&format=json"
        web.answer(
            url,
            .json(
                #"{"results": [{"name": "Munich", "country": "Germany", "latitude": 48, "longitude": 11, "timezone": "Europe/Berlin"}]}"#
            ))
        #expect(
            await robot.hears("hubot time in Munich")
                == [.text("It's 01:00 in Munich, Germany, on Monday, 1 January (CET).")])
        web.answer(url.replacing("Munich", with: "Nowhere"), .json("{}"))
        #expect(
            await robot.hears("hubot time in Nowhere")
                == [.reply("I don't know where Nowhere is. Try a city, or a name like Europe/Berlin.")])
    }

    @Test func `a person has a zone, and a room`() async {
        #expect(
            await robot.hears("hubot set my timezone to Tokyo")
                == [.reply("Your time zone is Asia/Tokyo, where it's 09:00.")])
        #expect(await robot.hears("hubot time") == [.text("It's 09:00 on Monday, 1 January (JST).")])
        #expect(await robot.hears("hubot time", from: "bob") == [.text("It's 01:00 on Monday, 1 January (CET).")])
        #expect(
            await robot.hears("hubot set the room's time zone to Europe/London", from: "bob")
                == [
                    .reply(
                        "Only my admins may set the room's time zone. "
                            + "To set yours, say \"set my timezone to Europe/London\".")
                ])
        #expect(
            await robot.hears("hubot set the room's time zone to Europe/London", from: "root")
                == [.reply("This room's time zone is Europe/London, where it's 00:00.")])
        #expect(await robot.hears("hubot time", from: "bob") == [.text("It's 00:00 on Monday, 1 January (GMT).")])
        #expect(
            await robot.hears("hubot time", from: "bob", in: "#ops") == [
                .text("It's 01:00 on Monday, 1 January (CET).")
            ])
        let mine = [Utterance.reply("Your time zone is Asia/Tokyo, where it's 09:00.")]
        for question in ["my timezone", "what's my time zone?"] {
            #expect(await robot.hears("hubot \(question)") == mine)
        }
        #expect(
            await robot.hears("hubot the room's time zone")
                == [.reply("This room's time zone is Europe/London, where it's 00:00.")])
        #expect(await robot.hears("hubot forget my timezone") == [.reply("Done.")])
        #expect(await robot.hears("hubot time") == [.text("It's 00:00 on Monday, 1 January (GMT).")])
    }

    @Test(arguments: [
        "my time zone is Europe/Rome", "set my time zone to europe/rome", "my timezone Rome",
        "set my timezone Europe/Rome"
    ])
    func `a person can set their zone in several ways`(_ words: String) async {
        #expect(
            await robot.hears("hubot \(words)") == [.reply("Your time zone is Europe/Rome, where it's 01:00.")])
    }

    @Test func `the uptime is shown in words`() async {
        #expect(await robot.hears("hubot uptime") == [.text("I've just started.")])
        _ = await robot.advance(by: .seconds(3 * 3_600 + 120))
        #expect(
            await robot.hears("hubot uptime") == [.text("I've been up for 3 hours and 2 minutes, since 01:00.")])
        _ = await robot.advance(by: .seconds(2 * 86_400))
        #expect(
            await robot.hears("hubot uptime")
                == [.text("I've been up for 2 days and 3 hours, since Monday at 01:00.")])
    }

    @Test func `a zone that isn't one is refused at the start`() {
        #expect(!Clock.timeZone.accepts("Europe/Atlantis"))
        #expect(!Clock.timeZone.accepts("../../../etc/passwd"))
        #expect(!Clock.timeZone.accepts("America"))
        #expect(Clock.timeZone.accepts("europe/berlin"))
    }
}

@Suite struct LocalTimeTests {
    @Test func `times are formatted for people`() throws {
        let zone = try #require(IANATimeZone(named: "UTC"))
        let now = FormattedLocalTime(Date(timeIntervalSince1970: 1_795_400_000), in: zone)
        func said(_ secondsAgo: Double) -> String {
            FormattedLocalTime(Date(timeIntervalSince1970: 1_795_400_000 - secondsAgo), in: zone).said(at: now)
        }
        #expect(said(60) == "02:12")
        #expect(said(10_800) == "yesterday at 23:13")
        #expect(said(3 * 86_400) == "Friday at 02:13")
        #expect(said(30 * 86_400) == "24 October at 02:13")
        #expect(said(400 * 86_400) == "19 October 2025")
        #expect(FormattedLocalTime(.distantPast, in: zone).said(at: now) == "1 January 1")
    }

    @Test func `times that are ahead are formatted for people`() throws {
        let zone = try #require(IANATimeZone(named: "UTC"))
        let now = FormattedLocalTime(Date(timeIntervalSince1970: 1_795_400_000), in: zone)
        func upcoming(_ seconds: Double) -> String {
            FormattedLocalTime(Date(timeIntervalSince1970: 1_795_400_000 + seconds), in: zone).upcoming(at: now)
        }
        #expect(upcoming(60) == "at 02:14")
        #expect(upcoming(86_400) == "tomorrow at 02:13")
        #expect(upcoming(3 * 86_400) == "on Thursday at 02:13")
        #expect(upcoming(7 * 86_400) == "on 30 November at 02:13")
        #expect(upcoming(60 * 86_400) == "on 22 January 2027 at 02:13")
    }
}
