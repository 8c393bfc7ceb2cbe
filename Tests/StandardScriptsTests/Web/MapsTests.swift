import Heybot
import HeybotTesting
import StandardScripts
import Testing

@Suite struct MapsTests {
    let web = StubHTTPClient()
    let robot: TestRobot

    init() {
        robot = TestRobot(name: "hubot", web: web, Maps())
    }

    private static func url(_ place: String) -> String {
        "https://nominatim.openstreetmap.org/search?q=\(place)&format=jsonv2&limit=1"
    }

    /// Shaped after https://nominatim.org/release-docs/latest/api/Output/#json.
    private static func places(
        name: String = "Brandenburg Gate, Berlin, Germany", latitude: String = "52.5162767",
        longitude: String = "13.3777025", box: String = #"["52.5161170", "52.5164328", "13.3775798", "13.3778251"]"#
    ) -> StubHTTPClient.Answer {
        .json(
            """
            [{
                "place_id": 100149, "licence": "Data © OpenStreetMap contributors", "osm_type": "way", "osm_id": 518071,
                "boundingbox": \(box), "lat": "\(latitude)", "lon": "\(longitude)", "category": "tourism",
                "type": "attraction", "place_rank": 30, "importance": 0.6, "display_name": "\(name)"
            }]
            """)
    }

    @Test func `help and examples are true`() {
        #expect(robot.brokenExamples() == [])
    }

    @Test func `a place is shown on the map`() async throws {
        web.answer(Self.url("brandenburg%20gate"), Self.places())
        #expect(
            await robot.hears("hubot map me brandenburg gate") == [
                .text(
                    "Brandenburg Gate, Berlin, Germany: "
                        + "https://www.openstreetmap.org/?mlat=52.51628&mlon=13.37770#map=18/52.51628/13.37770")
            ])
        #expect(try #require(web.requests.last).headers["Accept-Language"] == "en")
    }

    @Test(arguments: [
        ("satellite map me", "satellite"), ("Satellite-map me", "satellite"), ("terrain map me", "terrain"),
        ("hybrid map me", "satellite")
    ])
    func `other maps are Google's`(_ command: String, _ basemap: String) async {
        web.answer(Self.url("x"), Self.places(name: "X", box: #"["52.3", "52.7", "13.0", "13.8"]"#))
        #expect(
            await robot.hears("hubot \(command) x") == [
                .text(
                    "X: https://www.google.com/maps/@?api=1&map_action=map&center=52.51628%2C13.37770&zoom=10"
                        + "&basemap=\(basemap)")
            ])
    }

    @Test(arguments: [
        (#"["-85", "85", "-180", "180"]"#, 2), (#"["47.27", "55.1", "5.87", "15.04"]"#, 6),
        (#"["52.3382", "52.6755", "13.0884", "13.7611"]"#, 10), (#"["52.5", "52.5", "13.4", "13.4"]"#, 18),
        (#"["36", "47", "9", "10"]"#, 5), (#"["1", "2"]"#, 15), ("null", 15)
    ])
    func `the map shows as much as the place is large`(_ box: String, _ zoom: Int) async {
        web.answer(Self.url("x"), Self.places(name: "X", box: box))
        let said = await robot.hears("hubot map me x").map(\.content)
        #expect(said.count == 1 && said[0].contains("#map=\(zoom)/52.51628/13.37770"))
    }

    @Test(arguments: [
        ("-33.8567844", "151.2152967", "-33.85678/151.21530"), ("0", "-0.000001", "0.00000/0.00000"),
        ("-0.00012", "1e1", "-0.00012/10.00000")
    ])
    func `coordinates have five digits`(_ latitude: String, _ longitude: String, _ written: String) async {
        web.answer(Self.url("x"), Self.places(name: "X", latitude: latitude, longitude: longitude))
        #expect(await robot.hears("hubot map me x").first?.content.hasSuffix("/\(written)") == true)
    }

    @Test func `an unknown place is reported`() async {
        web.answer(Self.url("nowhere"), .json("[]"))
        #expect(await robot.hears("hubot map me nowhere") == [.reply("I found nothing for nowhere.")])
    }

    @Test func `a Nominatim of one's own is asked instead`() async {
        web.answer("http://maps.local/search?q=x&format=jsonv2&limit=1", .json("[]"))
        let robot = TestRobot(name: "hubot", settings: ["NOMINATIM_URL": "http://maps.local/"], web: web, Maps())
        #expect(await robot.hears("hubot map me x") == [.reply("I found nothing for x.")])
    }

    @Test func `it asks once a second at most`() async {
        web.answer(Self.url("a"), .json("[]"))
        _ = await robot.hears("hubot map me a")
        #expect(await robot.hears("hubot map me b", from: "bob") == [.reply("Not so fast: try that again in 1 s.")])
        _ = await robot.advance(by: .seconds(1))
        web.answer(Self.url("b"), .json("[]"))
        #expect(await robot.hears("hubot map me b", from: "bob") == [.reply("I found nothing for b.")])
    }

    @Test(arguments: Fault.allCases) func `failures are reported`(_ fault: Fault) async {
        web.answer(Self.url("x"), fault.answer)
        #expect(await robot.hears("hubot map me x") == [.reply(fault.spoken("nominatim.openstreetmap.org"))])
    }

    @Test(arguments: ["", "north", "NaN", "inf", "-180.5", "1e300"])
    func `invalid coordinates don't become a link`(_ latitude: String) async {
        web.answer(Self.url("x"), Self.places(latitude: latitude))
        #expect(
            await robot.hears("hubot map me x")
                == [.reply("I can't get an answer from nominatim.openstreetmap.org just now.")])
    }

    @Test(arguments: [
        (#"a\u0007\u202e\nQUIT :b"#, "a QUIT :b"),
        (String(repeating: "x", count: 100_000), String(repeating: "x", count: 199) + "…")
    ])
    func `a hostile name is shown in one line`(_ name: String, _ said: String) async {
        web.answer(Self.url("x"), Self.places(name: name))
        #expect(await robot.hears("hubot map me x").first?.content.hasPrefix("\(said): https://") == true)
    }

    @Test func `hostile words stay words`() async {
        web.answer(Self.url("%22a%22%20%26%20b%25%20%23%3F%2F..%2F"), .json("[]"))
        #expect(
            await robot.hears(#"hubot map me "a" & b% #?/../"#) == [.reply(#"I found nothing for "a" & b% #?/../."#)]
        )
        _ = await robot.advance(by: .seconds(1))
        #expect(
            await robot.hears("hubot map me " + String(repeating: "x", count: 201))
                == [.reply("That's too long to look for: use at most 200 characters.")])
        #expect(await robot.hears("hubot map") == [])
        #expect(await robot.hears("hubot map me a\nb") == [])
    }
}
