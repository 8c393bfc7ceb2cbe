import Heybot
import HeybotTesting
import Testing

@Suite(.timeLimit(.minutes(15))) struct ScriptSettingTests {
    private struct Weather: Script {
        static let key = ScriptSetting("WEATHER_KEY", "the key", isSecret: true)
        static let url = ScriptSetting(url: "WEATHER_URL", "the service", default: "https://example.org")
        static let other = ScriptSetting(url: "WEATHER_OTHER_URL", "another one")
        static let days = ScriptSetting("WEATHER_DAYS", "how many days", in: 1...7, default: 3)
        static let wind = ScriptSetting("WEATHER_WIND", "its unit", choices: ["kmh", "mph"], default: "kmh")
        static let isMetric = ScriptSetting("WEATHER_METRIC", "whether to use the metric system", default: true)

        var settings: [any AnyScriptSetting] {
            [Self.key, Self.url, Self.other, Self.days, Self.wind, Self.isMetric]
        }

        func register(on robot: inout RobotBuilder) {
            let text = """
                \(robot.value(of: Self.key) ?? "none") \(robot.value(of: Self.url)) \(robot.value(of: Self.days)) \
                \(robot.value(of: Self.wind)) \(robot.value(of: Self.isMetric)) \(robot.value(of: Self.other) ?? "none")
                """
            robot.hear(/weather/) { try await $0.send(text) }
        }
    }

    @Test func `an unset setting has its default`() async {
        #expect(await TestRobot(Weather()).hears("weather") == [.text("none https://example.org 3 kmh true none")])
        #expect(
            await TestRobot(settings: ["WEATHER_URL": ""], Weather()).hears("weather")
                == [.text("none https://example.org 3 kmh true none")])
    }

    @Test func `a setting has its value`() async {
        let settings = [
            "WEATHER_KEY": "k", "WEATHER_URL": "http://here/api//", "WEATHER_OTHER_URL": "HTTPS://there:8080/",
            "WEATHER_DAYS": "7", "WEATHER_METRIC": "no", "WEATHER_WIND": "MPH"
        ]
        #expect(
            await TestRobot(settings: settings, Weather()).hears("weather")
                == [.text("k http://here/api 7 mph false HTTPS://there:8080")])
    }

    @Test(arguments: [
        ("WEATHER_DAYS", "8", "a number from 1 to 7"), ("WEATHER_METRIC", "maybe", "true or false"),
        ("WEATHER_URL", "example.org", "an http or https URL without a user or a query"),
        ("WEATHER_URL", "ftp://example.org", "an http or https URL without a user or a query"),
        ("WEATHER_URL", "https://me:secret@example.org", "an http or https URL without a user or a query"),
        ("WEATHER_URL", "https://example.org?key=1", "an http or https URL without a user or a query"),
        ("WEATHER_OTHER_URL", "https://", "an http or https URL without a user or a query"),
        ("WEATHER_OTHER_URL", "https://a b", "an http or https URL without a user or a query"),
        ("WEATHER_WIND", "knots", "one of kmh, mph")
    ])
    func `an invalid value keeps the robot from starting`(_ name: String, _ text: String, _ expected: String) {
        let robot = TestRobot(settings: [name: text], Weather())
        #expect(throws: RobotError.misconfigured(["\(name) is invalid; expected \(expected)"])) {
            try robot.robot.check()
        }
    }

    @Test func `an unlisted setting is reported`() {
        struct Forgetful: Script {
            func register(on robot: inout RobotBuilder) { _ = robot.value(of: Weather.key) }
        }
        let robot = TestRobot(settings: ["WEATHER_KEY": "k"], Forgetful())
        #expect(
            throws: RobotError.misconfigured([
                "Forgetful reads the setting WEATHER_KEY, but doesn't list it in `settings`: add it to that list"
            ])
        ) { try robot.robot.check() }
    }
}
