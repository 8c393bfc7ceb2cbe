import Heybot

extension Images {
    /// Searches for pictures with Google's Custom Search if there is a key, or else with Openverse.
    struct ImageSearchClient: Sendable {
        let google: GoogleSearch?
        let openverse: String

        /// Returns the URLs of the pictures found, best first; at least one.
        ///
        /// - Throws: A ``Refusal`` if nothing is found.
        func pictures(
            _ query: SearchQuery, isMoving: Bool = false, _ http: any HTTPClient
        ) async throws -> [String] {
            let found =
                if let google {
                    try await google.pictures(query, isMoving: isMoving, http)
                } else {
                    try await openversePictures(query, isMoving: isMoving, http)
                }
            let pictures = found.compactMap(checkedWebURL)
            guard !pictures.isEmpty else { throw query.nothingFound }
            return pictures
        }

        private struct APIResponse: Decodable {
            let results: [Picture]
        }

        private struct Picture: Decodable {
            let url: String?
            let mature: Bool?
        }

        /// Searches Openverse: https://api.openverse.org/v1/#tag/images/operation/images_search.
        private func openversePictures(
            _ query: SearchQuery, isMoving: Bool, _ http: any HTTPClient
        ) async throws -> [String?] {
            // Mature content is excluded by default. "mature=false" would include it.
            var fields: FormFields = ["q": query.words]
            fields["extension"] = isMoving ? "gif" : nil
            let answer = try await http.get("\(openverse)/v1/images/", query: fields).json(APIResponse.self)
            return answer.results.filter { $0.mature != true }.map(\.url)
        }
    }
}

extension GoogleSearch {
    fileprivate func pictures(_ query: SearchQuery, isMoving: Bool, _ http: any HTTPClient) async throws -> [String?] {
        var fields: FormFields = ["searchType": "image", "safe": "active"]
        fields["fileType"] = isMoving ? "gif" : nil
        return try await results(for: query, options: fields, http).map(\.link)
    }
}
