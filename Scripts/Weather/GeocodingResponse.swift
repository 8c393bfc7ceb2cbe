import Heybot

extension Weather {
    /// The response of Open-Meteo's geocoding API (https://open-meteo.com/en/docs/geocoding-api).
    struct GeocodingResponse: Decodable {
        struct Location: Decodable {
            let name: String
            let country: String?
            let latitude: Double
            let longitude: Double
            /// The time zone, as in `Europe/Rome`.
            let timezone: String?

            var label: String { String(oneLine: [name, country].compactMap { $0 }.joined(separator: ", "), limit: 100) }
        }

        /// The locations; missing if there are none.
        private let results: [Location]?

        /// Finds the most relevant place with a name; nil if there is none.
        static func place(called query: SearchQuery, _ service: String, _ http: any HTTPClient) async throws
            -> Location?
        {
            try await http.get(
                "\(service)/v1/search",
                query: ["name": query.words, "count": "1", "language": "en", "format": "json"]
            ).json(GeocodingResponse.self).results?.first
        }
    }
}
