import Heybot

extension HTTPClient {
    /// Asks an API of Google's for whoever has that key.
    ///
    /// The key is a header, so it stands in no URL. No redirect is followed, which could take it elsewhere.
    /// https://cloud.google.com/apis/docs/system-parameters
    func askGoogle(_ url: String, query: FormFields, key: String) async throws -> HTTPResponse {
        var request = HTTPRequest(.get, url, query: query, headers: ["X-Goog-Api-Key": key])
        request.redirects = 0
        return try await send(request)
    }
}
