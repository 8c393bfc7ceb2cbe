import Heybot
import HeybotTesting
import Testing

@Suite(.timeLimit(.minutes(1))) struct ScriptSettingTests {
    private struct Weather: Script {
        static let key = ScriptSetting("WEATHER_KEY", "the key", isSecret: true)
        static let url = ScriptSetting("WEATHER_URL", "the service", default: "https://example.org")
        static let days = ScriptSetting("WEATHER_DAYS", "how many days", in: 1...7, default: 3)
        static let isMetric = ScriptSetting("WEATHER_METRIC", "whether to use the metric system", default: true)

        var settings: [any AnyScriptSetting] { [Self.key, Self.url, Self.days, Self.isMetric] }

        func register(on robot: inout RobotBuilder) {
            let text = """
                \(robot.value(of: Self.key) ?? "none") \(robot.value(of: Self.url)) \(robot.value(of: Self.days)) \
                \(robot.value(of: Self.isMetric))
                """
            robot.hear(/weather/) { try await $0.send(text) }
        }
    }

    @Test func `what isn't set has its default`() async {
        #expect(await TestRobot(Weather()).hears("weather") == [.text("none https://example.org 3 true")])
        #expect(
            await TestRobot(settings: ["WEATHER_URL": ""], Weather()).hears("weather")
                == [.text("none https://example.org 3 true")])
    }

    @Test func `what is set has that value`() async {
        let settings = [
            "WEATHER_KEY": "k", "WEATHER_URL": "http://here", "WEATHER_DAYS": "7", "WEATHER_METRIC": "no"
        ]
        #expect(await TestRobot(settings: settings, Weather()).hears("weather") == [.text("k http://here 7 false")])
    }

    @Test(arguments: [("WEATHER_DAYS", "8", "a number from 1 to 7"), ("WEATHER_METRIC", "maybe", "true or false")])
    func `what can't be its value keeps the robot from starting`(_ name: String, _ text: String, _ expected: String) {
        let robot = TestRobot(settings: [name: text], Weather())
        #expect(throws: RobotError.misconfigured(["\(name) can't be used; expected \(expected)"])) {
            try robot.robot.check()
        }
    }

    @Test func `a setting that isn't listed is told`() {
        struct Forgetful: Script {
            func register(on robot: inout RobotBuilder) { _ = robot.value(of: Weather.key) }
        }
        let robot = TestRobot(settings: ["WEATHER_KEY": "k"], Forgetful())
        #expect(
            throws: RobotError.misconfigured([
                "Forgetful asks for its setting WEATHER_KEY, which isn't among its settings: list it"
            ])
        ) { try robot.robot.check() }
    }
}
