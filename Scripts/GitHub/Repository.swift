extension GitHub {
    /// The repository of a payload.
    struct Repository: Decodable, Sendable {
        /// `owner/name`.
        let fullName: String
        private let owner: Substring
        private let name: Substring

        private enum CodingKeys: String, CodingKey { case fullName = "full_name" }

        init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: CodingKeys.self)
            fullName = try container.decode(String.self, forKey: .fullName)
            let parts = fullName.split(separator: "/", omittingEmptySubsequences: false)
            guard parts.count == 2, !parts[0].isEmpty, !parts[1].isEmpty, fullName.utf8.count <= 200 else {
                throw DecodingError.dataCorruptedError(
                    forKey: .fullName, in: container, debugDescription: "expected owner/name")
            }
            (owner, name) = (parts[0], parts[1])
        }

        /// The prefix of announcements about the repository.
        var label: String { "[\(String(oneLine: name, limit: 100))]" }

        /// The names under which rooms may have subscribed to it.
        var keys: [String] { [fullName.lowercased(), "\(owner.lowercased())/*"] }
    }
}
