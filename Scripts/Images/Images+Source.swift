import Heybot

extension Images {
    /// Where pictures are looked for: with Google's Custom Search if there is a key, else in Openverse.
    struct Source: Sendable {
        let google: GoogleSearch?
        let openverse: String

        /// The URLs of the pictures found, best first; never none.
        ///
        /// - Throws: A ``Refusal`` if nothing is found.
        func pictures(
            _ query: Query, isMoving: Bool = false, _ http: any HTTPClient
        ) async throws -> [String] {
            let found =
                if let google {
                    try await google.pictures(query, isMoving: isMoving, http)
                } else {
                    try await openversePictures(query, isMoving: isMoving, http)
                }
            let pictures = found.compactMap(webAddress)
            guard !pictures.isEmpty else { throw query.nothingFound }
            return pictures
        }

        private struct Answer: Decodable {
            let results: [Picture]
        }

        private struct Picture: Decodable {
            let url: String?
            let mature: Bool?
        }

        /// What Openverse finds: https://api.openverse.org/v1/#tag/images/operation/images_search.
        private func openversePictures(
            _ query: Query, isMoving: Bool, _ http: any HTTPClient
        ) async throws -> [String?] {
            // What isn't for everybody is left out unless asked for; its "mature=false" would ask for it.
            var fields: FormFields = ["q": query.words]
            fields["extension"] = isMoving ? "gif" : nil
            let answer = try await http.get("\(openverse)/v1/images/", query: fields).json(Answer.self)
            return answer.results.filter { $0.mature != true }.map(\.url)
        }
    }
}

extension GoogleSearch {
    fileprivate func pictures(_ query: Query, isMoving: Bool, _ http: any HTTPClient) async throws -> [String?] {
        var fields: FormFields = ["searchType": "image", "safe": "active"]
        fields["fileType"] = isMoving ? "gif" : nil
        return try await results(for: query, options: fields, http).map(\.link)
    }
}
