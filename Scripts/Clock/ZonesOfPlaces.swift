import Heybot

/// Finds the time zones of places: those that zones are named after by itself, others with the help of Open-Meteo.
struct ZonesOfPlaces: Sendable {
    let service: String

    /// The zone of a place, and what to call the place.
    ///
    /// - Throws: ``Refusal`` if there is no such place.
    func zone(of place: Substring, _ http: any HTTPClient) async throws -> (zone: Zone, name: String) {
        let query = try Query(place, limit: 100)
        if let zone = Zone(of: query.words) {
            let city = zone.name.split(separator: "/").last.map { String($0.replacing("_", with: " ")) }
            return (zone, city ?? zone.name)
        }
        let found = try await Weather.Places.place(called: query, service, http)
        guard let found, let zone = found.timezone.flatMap({ Zone(named: $0) }) else {
            throw Refusal(
                "I don't know where \(String(oneLine: query.words, limit: 60)) is. Try a city, or a name like Europe/Berlin."
            )
        }
        return (zone, found.label)
    }
}
