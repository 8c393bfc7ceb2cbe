import Heybot

extension Titles.PageURL {
    /// Loads the title, as in `“Example Domain” (example.org)`; nil if it isn't a page with a title.
    func title(_ http: any HTTPClient) async throws -> String? {
        var request = HTTPRequest(
            .get, url, headers: ["Accept": "text/html, application/xhtml+xml", "Range": "bytes=0-262143"],
            addresses: .publicOnly)
        // A server may ignore the range; a longer page then fails.
        request.limit = 256 << 10
        request.deadline = .seconds(8)
        let answer = try await http.send(request).checked()
        let type = answer.headers["Content-Type"]?.prefix { $0 != ";" && $0 != " " }.lowercased()
        guard type == "text/html" || type == "application/xhtml+xml" else { return nil }
        guard let title = Titles.PageTitle(html: answer.text)?.text else { return nil }
        let host = HTTPRequest(.get, answer.url).host
        return "“\(title)” (\(String(oneLine: host, limit: 100)))"
    }
}
