import Heybot

extension Weather {
    /// The weather of today and tomorrow (https://open-meteo.com/en/docs).
    struct Forecast: Decodable {
        private let current: Current
        private let daily: Daily?

        private struct Current: Decodable {
            let temperature: Double
            let code: Int?
            let wind: Double?

            private enum CodingKeys: String, CodingKey {
                case temperature = "temperature_2m"
                case code = "weather_code"
                case wind = "wind_speed_10m"
            }
        }

        /// A value for each day, from today on.
        private struct Daily: Decodable {
            let lowest: [Double?]
            let highest: [Double?]
            let codes: [Int?]

            private enum CodingKeys: String, CodingKey {
                case lowest = "temperature_2m_min"
                case highest = "temperature_2m_max"
                case codes = "weather_code"
            }
        }

        static func query(of place: Geocoder.Location, isMetric: Bool) -> FormFields {
            var query: FormFields = [
                "latitude": "\(place.latitude)", "longitude": "\(place.longitude)",
                "current": "temperature_2m,weather_code,wind_speed_10m",
                "daily": "weather_code,temperature_2m_max,temperature_2m_min",
                "timezone": "auto", "forecast_days": "2"
            ]
            if !isMetric {
                query["temperature_unit"] = "fahrenheit"
                query["wind_speed_unit"] = "mph"
            }
            return query
        }

        /// Returns a sentence for today, and one for tomorrow if its weather is known.
        func words(isMetric: Bool) -> String {
            let (degrees, speed) = isMetric ? ("°C", "km/h") : ("°F", "mph")
            let today = Self.sentence(
                "\(Self.whole(current.temperature)) \(degrees)", current.code.flatMap(WMOWeatherCode.description(of:)),
                current.wind.map { "wind \(Self.whole($0)) \(speed)" })
            guard let daily, let lowest = Self.second(daily.lowest), let highest = Self.second(daily.highest) else {
                return today
            }
            let tomorrow = Self.sentence(
                "Tomorrow \(Self.whole(lowest)) to \(Self.whole(highest)) \(degrees)",
                Self.second(daily.codes).flatMap(WMOWeatherCode.description(of:)))
            return "\(today) \(tomorrow)"
        }

        private static func sentence(_ parts: String?...) -> String {
            "\(parts.compactMap { $0 }.joined(separator: ", "))."
        }

        private static func second<Value>(_ values: [Value?]) -> Value? {
            values.count > 1 ? values[1] : nil
        }

        /// Rounds a value; a question mark if it is implausible.
        private static func whole(_ value: Double) -> String {
            abs(value) < 1_000 ? "\(Int(value.rounded()))" : "?"
        }
    }
}
