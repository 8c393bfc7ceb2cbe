import Heybot

/// Finds the time zone of a place, by the name of the zone, or else with Open-Meteo.
struct TimeZoneFinder: Sendable {
    let geocoder: Weather.Geocoder

    /// Returns the time zone of a place, and the place's name.
    ///
    /// - Throws: ``Refusal`` if there is no such place.
    func zone(of place: Substring, _ http: any HTTPClient) async throws -> (zone: IANATimeZone, name: String) {
        let query = try SearchQuery(place, limit: 100)
        if let zone = IANATimeZone(of: query.words) {
            let city = zone.name.split(separator: "/").last.map { String($0.replacing("_", with: " ")) }
            return (zone, city ?? zone.name)
        }
        let found = try await geocoder.place(called: query, http)
        guard let found, let zone = found.timezone.flatMap({ IANATimeZone(named: $0) }) else {
            throw Refusal(
                "I don't know where \(String(oneLine: query.words, limit: 60)) is. Try a city, or a name like Europe/Berlin."
            )
        }
        return (zone, found.label)
    }
}
