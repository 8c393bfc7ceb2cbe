extension Weather {
    /// The places of a name (https://open-meteo.com/en/docs/geocoding-api).
    struct Places: Decodable {
        struct Place: Decodable {
            let name: String
            let country: String?
            let latitude: Double
            let longitude: Double

            var label: String { String(oneLine: [name, country].compactMap { $0 }.joined(separator: ", "), limit: 100) }
        }

        /// Missing where there are none.
        let results: [Place]?
    }
}
