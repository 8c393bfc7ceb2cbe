public import Heybot

/// Finds places on the map.
public struct Maps: Script {
    static let service = ScriptSetting(
        url: "NOMINATIM_URL", "where the Nominatim is that knows the places",
        default: "https://nominatim.openstreetmap.org")

    public init() {}

    public var settings: [any AnyScriptSetting] { [Self.service] }

    public func register(on robot: inout RobotBuilder) {
        let service = robot.value(of: Self.service)

        // A request a second is what Nominatim's usage policy allows:
        // https://operations.osmfoundation.org/policies/nominatim/
        robot.respond(
            /(?:(?<basemap>satellite|terrain|hybrid)[- ])?map me (?<place>.+)$/,
            help: """
                map me <place> - Find a place on the map
                satellite map me <place> - Show a satellite picture
                terrain map me <place> - Show the terrain
                hybrid map me <place> - Show a satellite picture with names
                """,
            example: "map me Brandenburg Gate", coolDown: .perRobot(.seconds(1))
        ) { res in
            let query = try Query(res.match.place)
            let answer = try await res.http.get(
                "\(service)/search", query: ["q": query.words, "format": "jsonv2", "limit": "1"],
                headers: ["Accept-Language": "en"])
            guard let place = try answer.json([Place].self).first else {
                throw query.nothingFound
            }
            let url = res.match.basemap.map { place.googleMap($0.lowercased()) } ?? place.openStreetMap
            try await res.send("\(String(oneLine: place.name, limit: 200)): \(url)")
        }
    }
}
