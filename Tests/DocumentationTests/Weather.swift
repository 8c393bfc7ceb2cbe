public import Heybot

/// Tells the weather.
public struct Weather: Script {
    private struct Report: Decodable {
        let celsius: Int
    }

    public init() {}

    public func register(on robot: inout RobotBuilder) {
        robot.respond(
            /weather in (.+)$/, help: "weather in <city> - Tell the weather", example: "weather in Rome"
        ) { res in
            let city = String(res.match.1)
            let answer = try await res.http.get("https://api.example.org/weather", query: ["city": city])
            let report = try answer.json(Report.self)
            try await res.reply("It's \(report.celsius) °C in \(city).")
        }
    }
}
