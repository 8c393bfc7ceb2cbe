import Heybot

extension Weather {
    /// The places of a name (https://open-meteo.com/en/docs/geocoding-api).
    struct Places: Decodable {
        struct Place: Decodable {
            let name: String
            let country: String?
            let latitude: Double
            let longitude: Double
            /// As in `Europe/Rome`.
            let timezone: String?

            var label: String { String(oneLine: [name, country].compactMap { $0 }.joined(separator: ", "), limit: 100) }
        }

        /// Missing if there are none.
        private let results: [Place]?

        /// The place that most people mean by a name; nil if there is none.
        static func place(called query: Query, _ service: String, _ http: any HTTPClient) async throws -> Place? {
            try await http.get(
                "\(service)/v1/search",
                query: ["name": query.words, "count": "1", "language": "en", "format": "json"]
            ).json(Places.self).results?.first
        }
    }
}
