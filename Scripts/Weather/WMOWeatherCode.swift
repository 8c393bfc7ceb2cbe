/// The weather codes of the World Meteorological Organization (https://open-meteo.com/en/docs).
enum WMOWeatherCode {
    /// Describes the weather in words; nil if Open-Meteo doesn't document the code.
    static func description(of code: Int) -> String? {
        switch code {
        case 0: "clear"
        case 1: "mainly clear"
        case 2: "partly cloudy"
        case 3: "overcast"
        case 45: "fog"
        case 48: "freezing fog"
        case 51, 53, 55: "drizzle"
        case 56, 57: "freezing drizzle"
        case 61: "light rain"
        case 63: "rain"
        case 65: "heavy rain"
        case 66, 67: "freezing rain"
        case 71: "light snow"
        case 73: "snow"
        case 75: "heavy snow"
        case 77: "snow grains"
        case 80, 81: "showers"
        case 82: "violent showers"
        case 85, 86: "snow showers"
        case 95: "thunderstorm"
        case 96, 99: "thunderstorm with hail"
        default: nil
        }
    }
}
