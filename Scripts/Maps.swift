public import Heybot

/// Finds places on a map.
public struct Maps: Script {
    static let service = ScriptSetting(
        url: "NOMINATIM_URL", "base URL of Nominatim, which finds places",
        default: "https://nominatim.openstreetmap.org")

    public init() {}

    public var topic: ScriptTopic { .lookup }
    public var settings: [any AnyScriptSetting] { [Self.service] }

    public func register(on robot: inout RobotBuilder) {
        let service = robot.value(of: Self.service)

        // Nominatim's usage policy allows one request per second:
        // https://operations.osmfoundation.org/policies/nominatim/
        robot.respond(
            /(?:(?<basemap>satellite|terrain|hybrid)[- ])?map(?: me)? (?<place>.+)$/,
            help: """
                map me <place> - Find a place on the map
                satellite map me <place> - Show a satellite picture
                terrain map me <place> - Show the terrain
                hybrid map me <place> - Show a satellite picture with names
                """,
            example: "map me Brandenburg Gate", cooldown: .perRobot(.seconds(1))
        ) { res in
            let query = try SearchQuery(res.match.place)
            let answer = try await res.http.get(
                "\(service)/search", query: ["q": query.words, "format": "jsonv2", "limit": "1"],
                headers: ["Accept-Language": "en"])
            guard let place = try answer.json([GeocodedPlace].self).first else {
                throw query.nothingFound
            }
            let url = res.match.basemap.map { place.googleMap($0.lowercased()) } ?? place.openStreetMap
            try await res.send("\(String(oneLine: place.name, limit: 200)): \(url)")
        }

        robot.respond(
            /directions (?:me )?from (?<start>\S.*?) to (?<end>\S.*)$/,
            help: "directions from <place> to <place> - Get a link to directions on a map",
            example: "directions from Rome to Milan"
        ) { res in
            let (start, end) = (try SearchQuery(res.match.start), try SearchQuery(res.match.end))
            try await res.send(
                "https://www.google.com/maps/dir/?api=1&origin=\(percentEncoded(start.words))"
                    + "&destination=\(percentEncoded(end.words))")
        }
    }
}
