public import Heybot

/// Tells the weather, as Open-Meteo has it (https://open-meteo.com/en/docs).
public struct Weather: Script {
    static let geocoding = ScriptSetting(
        url: "GEOCODING_URL", "where the geocoding of Open-Meteo is", default: "https://geocoding-api.open-meteo.com")
    static let service = ScriptSetting(
        url: "WEATHER_URL", "where the forecasts of Open-Meteo are", default: "https://api.open-meteo.com")
    static let units = ScriptSetting(
        "WEATHER_UNITS", "what the weather is measured in", choices: ["metric", "imperial"], default: "metric")
    private static let longest = 100

    public init() {}

    public var settings: [any AnyScriptSetting] { [Self.geocoding, Self.service, Self.units] }

    public func register(on robot: inout RobotBuilder) {
        let geocoding = robot.value(of: Self.geocoding)
        let service = robot.value(of: Self.service)
        let isMetric = robot.value(of: Self.units) == "metric"

        robot.respond(
            /weather(?: in| for)? (?<place>.+)$/,
            help: """
                weather in <place> - Tell the weather there
                weather <place> - Tell the weather there
                """,
            example: "weather in Rome"
        ) { res in
            let words = res.match.place
            guard words.count <= Self.longest else {
                throw Refusal("That is too much to look for: name a place in at most \(Self.longest) characters.")
            }
            let places = try await res.http.get(
                "\(geocoding)/v1/search",
                query: ["name": String(words), "count": "1", "language": "en", "format": "json"])
            guard let place = try places.json(Places.self).results?.first else {
                try await res.reply("I found no place named \(String(oneLine: words, limit: 60)).")
                return
            }
            let forecast = try await res.http.get(
                "\(service)/v1/forecast", query: Forecast.query(of: place, isMetric: isMetric))
            try await res.send("\(place.label): \(try forecast.json(Forecast.self).words(isMetric: isMetric))")
        }
    }
}
