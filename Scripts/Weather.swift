public import Heybot

/// Shows the weather, from Open-Meteo (https://open-meteo.com/en/docs).
public struct Weather: Script {
    static let geocoding = ScriptSetting(
        url: "GEOCODING_URL", "base URL of Open-Meteo's geocoding API", default: "https://geocoding-api.open-meteo.com")
    static let service = ScriptSetting(
        url: "WEATHER_URL", "base URL of Open-Meteo's forecast API", default: "https://api.open-meteo.com")
    static let units = ScriptSetting(
        "WEATHER_UNITS", "the units in weather reports: `metric` or `imperial`", choices: ["metric", "imperial"],
        default: "metric")

    public init() {}

    public var topic: ScriptTopic { .lookup }
    public var settings: [any AnyScriptSetting] { [Self.geocoding, Self.service, Self.units] }

    public func register(on robot: inout RobotBuilder) {
        let geocoder = Geocoder(service: robot.value(of: Self.geocoding))
        let service = robot.value(of: Self.service)
        let isMetric = robot.value(of: Self.units) == "metric"

        robot.respond(
            /(?:weather|forecast)(?: in| for)? (?!(?:in|for)$)(?<place>.+)$/,
            help: """
                weather in <place> - Show the weather in a place
                weather <place> - Show the weather in a place
                """,
            example: "weather in Rome", deadline: .seconds(50)
        ) { res in
            let query = try SearchQuery(res.match.place, limit: 100)
            guard let place = try await geocoder.place(called: query, res.http) else {
                throw query.nothingFound
            }
            let forecast = try await res.http.get(
                "\(service)/v1/forecast", query: Forecast.query(of: place, isMetric: isMetric))
            try await res.send("\(place.label): \(try forecast.json(Forecast.self).words(isMetric: isMetric))")
        }
    }
}
