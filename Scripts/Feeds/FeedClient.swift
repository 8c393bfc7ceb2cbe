import Heybot
import HeybotFeeds

extension Feeds {
    /// Loads feeds, with the guard for addresses from chat.
    struct FeedClient: Sendable {
        /// What a server answered.
        enum Answer: Hashable, Sendable {
            /// The version that was read last is still the present one.
            case unchanged
            /// A version, with the address that it was loaded from after all redirects.
            case read(Feed, FeedVersion, base: String)
            /// A web page that links to a feed, with the feed's address.
            case page(feed: String)
        }

        /// The maximum size of a feed in bytes.
        private static let limit = 2 << 20
        private static let longestValidator = 500

        let http: any HTTPClient

        /// Checks an address from a command.
        ///
        /// - Throws: A ``Refusal`` if it can't be one, or contains a password.
        static func checked(_ typed: Substring) throws(Refusal) -> String {
            let text = typed.first == "<" && typed.last == ">" ? typed.dropFirst().dropLast() : typed
            let expected = Refusal("Write the whole address of the feed, as in: feed add https://example.org/feed.xml")
            guard text.utf8.count <= 500 else { throw expected }
            let whole = text.contains("://") ? String(text) : "https://\(text)"
            guard let url = checkedWebURL(String(whole.prefix { $0 != "#" })) else { throw expected }
            let authority = url.drop { $0 != "/" }.drop { $0 == "/" }.prefix { !"/?".contains($0) }
            // With a scheme, "localhost" is an address too, and is refused as one that isn't public.
            guard text.contains("://") || authority.contains(".") || authority.contains("[") else { throw expected }
            guard !authority.contains("@") else {
                throw Refusal("I can't log in to feeds: leave out the user name and the password.")
            }
            return url
        }

        /// Loads a feed.
        ///
        /// - Parameter known: The version that was read last: the server needn't send it again.
        /// - Throws: ``HTTPError``, and ``FeedError`` if the answer can't be read.
        func load(_ url: String, unless known: FeedVersion = FeedVersion()) async throws -> Answer {
            var request = HTTPRequest(
                .get, url,
                headers: ["Accept": "application/atom+xml, application/rss+xml, application/feed+json, */*;q=0.5"],
                addresses: .publicOnly)
            request.limit = Self.limit
            request.deadline = .seconds(15)
            request.redirects = 3
            if let etag = known.etag { request.headers["If-None-Match"] = etag }
            if let date = known.lastModified { request.headers["If-Modified-Since"] = date }
            let response = try await http.send(request)
            if response.status == 304, known != FeedVersion() { return .unchanged }
            try response.checked()
            let text = Self.text(of: response)
            let feed: Feed
            do throws(FeedError) {
                feed = try Feed(text)
            } catch {
                let type = response.headers["Content-Type"]?.lowercased() ?? ""
                let isPage = error == .webPage || type.hasPrefix("text/html") || type.hasPrefix("application/xhtml+xml")
                guard isPage, let address = FeedLink.address(in: text, of: response.url) else { throw error }
                return .page(feed: address)
            }
            let version = FeedVersion(
                etag: Self.validator("ETag", response), lastModified: Self.validator("Last-Modified", response))
            return .read(feed, version, base: response.url)
        }

        /// Returns the field of a response that identifies its version; nil if it has none, or a strange one.
        private static func validator(_ name: String, _ response: HTTPResponse) -> String? {
            guard let value = response.headers[name], !value.isEmpty, value.utf8.count <= longestValidator else {
                return nil
            }
            return value
        }

        /// Returns a document as text, also if only the document itself declares its encoding.
        private static func text(of response: HTTPResponse) -> String {
            let type = response.headers["Content-Type"] ?? ""
            guard !type.lowercased().contains("charset="), let encoding = Feed.declaredEncoding(response.body) else {
                return response.text
            }
            let headers: HTTPHeaders = ["Content-Type": "application/xml; charset=\(encoding)"]
            return HTTPResponse(url: response.url, status: response.status, headers: headers, body: response.body).text
        }
    }
}
