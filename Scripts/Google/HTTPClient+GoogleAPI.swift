import Heybot

extension HTTPClient {
    /// Sends a request to a Google API.
    ///
    /// The key is sent in a header, so that no URL contains it. Redirects aren't followed, so that it isn't sent elsewhere.
    /// https://cloud.google.com/apis/docs/system-parameters
    func askGoogle(_ url: String, query: FormFields, key: String) async throws -> HTTPResponse {
        var request = HTTPRequest(.get, url, query: query, headers: ["X-Goog-Api-Key": key])
        request.redirects = 0
        return try await send(request)
    }
}
