extension Maps {
    /// A place that Nominatim found (https://nominatim.org/release-docs/latest/api/Output/).
    struct GeocodedPlace: Decodable {
        let name: String
        private let latitude: Degrees
        private let longitude: Degrees
        /// The bounding box: south, north, west and east.
        private let box: [Degrees]?

        private enum CodingKeys: String, CodingKey {
            case name = "display_name"
            case latitude = "lat"
            case longitude = "lon"
            case box = "boundingbox"
        }

        /// The URL of an OpenStreetMap map with a marker.
        var openStreetMap: String {
            "https://www.openstreetmap.org/?mlat=\(latitude)&mlon=\(longitude)#map=\(zoom)/\(latitude)/\(longitude)"
        }

        /// Returns the URL of a Google map (https://developers.google.com/maps/documentation/urls/get-started#map-action).
        ///
        /// - Parameter kind: `satellite`, `terrain` or `hybrid`, which is `satellite` in Google's URLs.
        func googleMap(_ kind: String) -> String {
            let basemap = kind == "hybrid" ? "satellite" : kind
            return "https://www.google.com/maps/@?api=1&map_action=map&center=\(latitude)%2C\(longitude)"
                + "&zoom=\(zoom)&basemap=\(basemap)"
        }

        /// The zoom level at which the bounding box fits into a window of three tiles by one and a half.
        private var zoom: Int {
            guard let box, box.count == 4 else { return 15 }
            let width = box[3].degrees - box[2].degrees
            let height = box[1].degrees - box[0].degrees
            let span = max(width, height * 2, 0.001)
            // The world is 2^zoom tiles wide, and a number's exponent is its binary logarithm, rounded down.
            return min(max((3 * 360 / span).exponent, 2), 18)
        }
    }

    /// A latitude or a longitude, which Nominatim encodes as a string.
    struct Degrees: Decodable, CustomStringConvertible {
        let degrees: Double

        init(from decoder: any Decoder) throws {
            let container = try decoder.singleValueContainer()
            guard let degrees = Double(try container.decode(String.self)), abs(degrees) <= 180 else {
                throw DecodingError.dataCorruptedError(in: container, debugDescription: "expected degrees")
            }
            self.degrees = degrees
        }

        /// The degrees with five decimals, about one meter.
        var description: String {
            let unit = 100_000
            let number = Int((abs(degrees) * Double(unit)).rounded())
            return "\(degrees < 0 && number > 0 ? "-" : "")\(number / unit).\("\(unit + number % unit)".dropFirst())"
        }
    }
}
