extension GitHub {
    /// A URL in a payload, percent-encoded so that it can be shown in a room.
    struct PayloadURL: Decodable, Sendable {
        /// The maximum length.
        ///
        /// Chat clients cut longer URLs, which breaks them.
        private static let longest = 300

        /// The URL; empty if it is too long.
        let text: String

        init(from decoder: any Decoder) throws {
            let container = try decoder.singleValueContainer()
            let url = try container.decode(String.self)
            guard url.hasPrefix("https://") || url.hasPrefix("http://") else {
                throw DecodingError.dataCorruptedError(
                    in: container, debugDescription: "expected a URL of https or http")
            }
            guard url.utf8.count <= Self.longest else {
                text = ""
                return
            }
            let encoded = url.unicodeScalars.map { scalar in
                0x20 < scalar.value && scalar.value < 0x7F ? String(scalar) : Self.encoded(scalar)
            }.joined()
            text = encoded.utf8.count <= Self.longest ? encoded : ""
        }

        private static func encoded(_ scalar: Unicode.Scalar) -> String {
            UTF8.encode(scalar)?.map { byte in
                "%\(byte < 16 ? "0" : "")\(String(byte, radix: 16, uppercase: true))"
            }.joined() ?? ""
        }
    }
}
