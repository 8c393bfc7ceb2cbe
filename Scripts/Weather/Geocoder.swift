import Heybot

extension Weather {
    /// Finds places with Open-Meteo's geocoding API (https://open-meteo.com/en/docs/geocoding-api).
    struct Geocoder: Sendable {
        struct Location: Decodable {
            let name: String
            let country: String?
            let latitude: Double
            let longitude: Double
            /// The time zone, as in `Europe/Rome`.
            let timezone: String?

            var label: String { String(oneLine: [name, country].compactMap { $0 }.joined(separator: ", "), limit: 100) }
        }

        private struct APIResponse: Decodable {
            /// The locations; missing if there are none.
            let results: [Location]?
        }

        let service: String

        /// Finds the most relevant place with a name; nil if there is none.
        func place(called query: SearchQuery, _ http: any HTTPClient) async throws -> Location? {
            try await http.get(
                "\(service)/v1/search",
                query: ["name": query.words, "count": "1", "language": "en", "format": "json"]
            ).json(APIResponse.self).results?.first
        }
    }
}
