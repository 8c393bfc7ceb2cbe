import Heybot
import HeybotTesting
import StandardScripts
import Testing

@Suite struct WeatherTests {
    let web = StubHTTPClient()
    let robot: TestRobot

    init() {
        robot = TestRobot(name: "hubot", web: web, Weather())
    }

    private static func geocoding(_ name: String) -> String {
        "https://geocoding-api.open-meteo.com/v1/search?name=\(name)&count=1&language=en&format=json"
    }

    private static let forecast =
        "https://api.open-meteo.com/v1/forecast?latitude=41.89193&longitude=12.51133"
        + "&current=temperature_2m%2Cweather_code%2Cwind_speed_10m"
        + "&daily=weather_code%2Ctemperature_2m_max%2Ctemperature_2m_min&timezone=auto&forecast_days=2"

    /// Shaped after https://open-meteo.com/en/docs/geocoding-api.
    private static func places(name: String = "Rome", country: String? = "Italy") -> StubHTTPClient.Answer {
        .json(
            """
            {"results": [{
                "id": 3169070, "name": "\(name)", "latitude": 41.89193, "longitude": 12.51133, "elevation": 20.0,
                "feature_code": "PPLC", "country_code": "IT", "timezone": "Europe/Rome", "population": 2318895
                \(country.map { #", "country": "\#($0)""# } ?? "")
            }], "generationtime_ms": 0.7}
            """)
    }

    /// Shaped after https://open-meteo.com/en/docs.
    private static func weather(
        temperature: String = "30.6", code: String = "0", wind: String = "12.4", lowest: String = "18.5",
        highest: String = "33.2", tomorrow: String = "63"
    ) -> StubHTTPClient.Answer {
        .json(
            """
            {
                "latitude": 41.875, "longitude": 12.5, "generationtime_ms": 0.2, "utc_offset_seconds": 7200,
                "timezone": "Europe/Rome", "timezone_abbreviation": "CEST", "elevation": 20.0,
                "current_units": {"time": "iso8601", "temperature_2m": "°C", "weather_code": "wmo code"},
                "current": {
                    "time": "2026-07-20T12:00", "interval": 900, "temperature_2m": \(temperature),
                    "weather_code": \(code), "wind_speed_10m": \(wind)
                },
                "daily": {
                    "time": ["2026-07-20", "2026-07-21"], "weather_code": [0, \(tomorrow)],
                    "temperature_2m_max": [32.0, \(highest)], "temperature_2m_min": [20.1, \(lowest)]
                }
            }
            """)
    }

    @Test func `help and examples are true`() {
        #expect(robot.brokenExamples() == [])
    }

    @Test(arguments: ["weather in Rome", "weather for Rome", "Weather Rome"])
    func `the weather is shown`(_ command: String) async {
        web.answer(Self.geocoding("Rome"), Self.places())
        web.answer(Self.forecast, Self.weather())
        #expect(
            await robot.hears("hubot \(command)")
                == [.text("Rome, Italy: 31 °C, clear, wind 12 km/h. Tomorrow 19 to 33 °C, rain.")])
    }

    @Test func `it is shown in imperial units too`() async {
        web.answer(Self.geocoding("indianapolis"), Self.places(name: "Indianapolis", country: nil))
        web.answer(Self.forecast + "&temperature_unit=fahrenheit&wind_speed_unit=mph", Self.weather())
        let robot = TestRobot(name: "hubot", settings: ["WEATHER_UNITS": "Imperial"], web: web, Weather())
        #expect(
            await robot.hears("hubot weather indianapolis")
                == [.text("Indianapolis: 31 °F, clear, wind 12 mph. Tomorrow 19 to 33 °F, rain.")])
    }

    @Test func `an invalid unit setting keeps the robot from starting`() {
        let robot = TestRobot(settings: ["WEATHER_UNITS": "kelvin"], Weather())
        #expect(
            throws: RobotError.misconfigured(["WEATHER_UNITS is invalid; expected one of metric, imperial"])
        ) { try robot.robot.check() }
    }

    @Test(arguments: [
        (0, "clear"), (3, "overcast"), (45, "fog"), (55, "drizzle"), (65, "heavy rain"), (67, "freezing rain"),
        (75, "heavy snow"), (82, "violent showers"), (86, "snow showers"), (99, "thunderstorm with hail")
    ])
    func `weather codes have descriptions`(_ code: Int, _ sky: String) async {
        web.answer(Self.geocoding("Rome"), Self.places())
        web.answer(Self.forecast, Self.weather(code: "\(code)"))
        #expect(await robot.hears("hubot weather Rome").first?.content.contains("°C, \(sky), wind") == true)
    }

    @Test func `missing fields are left out`() async {
        web.answer(Self.geocoding("Rome"), Self.places())
        web.answer(
            Self.forecast, Self.weather(temperature: "-0.4", code: "7", wind: "null", lowest: "null", tomorrow: "null"))
        #expect(await robot.hears("hubot weather Rome") == [.text("Rome, Italy: 0 °C.")])
        web.answer(Self.geocoding("Rome"), Self.places())
        web.answer(Self.forecast, .json(#"{"current": {"temperature_2m": 1e300}}"#))
        #expect(await robot.hears("hubot weather Rome") == [.text("Rome, Italy: ? °C.")])
    }

    @Test func `an unknown place is reported`() async {
        web.answer(Self.geocoding("Nowhere"), .json(#"{"generationtime_ms": 0.5}"#))
        #expect(await robot.hears("hubot weather in Nowhere") == [.reply("I found nothing for Nowhere.")])
    }

    @Test func `services of one's own are asked instead`() async {
        web.answer(
            "http://geo.local/v1/search?name=Rome&count=1&language=en&format=json", Self.places())
        web.answer(Self.forecast.replacing("https://api.open-meteo.com", with: "http://sky.local"), Self.weather())
        let settings = ["GEOCODING_URL": "http://geo.local", "WEATHER_URL": "http://sky.local"]
        let robot = TestRobot(name: "hubot", settings: settings, web: web, Weather())
        #expect(await robot.hears("hubot weather Rome").count == 1)
        #expect(web.unconsumed == [])
    }

    @Test(arguments: Fault.allCases) func `failures are reported`(_ fault: Fault) async {
        web.answer(Self.geocoding("Rome"), fault.answer)
        #expect(await robot.hears("hubot weather Rome") == [.reply(fault.spoken("geocoding-api.open-meteo.com"))])
        web.answer(Self.geocoding("Rome"), Self.places())
        web.answer(Self.forecast, fault.answer)
        #expect(await robot.hears("hubot weather Rome") == [.reply(fault.spoken("api.open-meteo.com"))])
    }

    @Test(arguments: [
        (#"a\u0007\u202e\nQUIT :b"#, "a QUIT :b, Italy"),
        (String(repeating: "x", count: 100_000), String(repeating: "x", count: 99) + "…")
    ])
    func `a hostile name is shown in one line`(_ name: String, _ said: String) async {
        web.answer(Self.geocoding("x"), Self.places(name: name))
        web.answer(Self.forecast, Self.weather())
        #expect(await robot.hears("hubot weather x").first?.content.hasPrefix("\(said): 31 °C") == true)
    }

    @Test func `hostile words stay words`() async {
        web.answer(Self.geocoding("%22a%22%26count%3D9%25"), .json("{}"))
        #expect(
            await robot.hears(#"hubot weather "a"&count=9%"#) == [.reply(#"I found nothing for "a"&count=9%."#)])
        #expect(
            await robot.hears("hubot weather " + String(repeating: "x", count: 101))
                == [.reply("That's too long to look for: use at most 100 characters.")])
        #expect(await robot.hears("hubot weather") == [])
        #expect(await robot.hears("hubot weather a\nb") == [])
    }
}
