public import Heybot

/// Looks things up in Wikipedia or another MediaWiki.
public struct Wikipedia: Script {
    static let service = ScriptSetting(
        url: "WIKIPEDIA_URL", "base URL of Wikipedia or another MediaWiki", default: "https://en.wikipedia.org")

    public init() {}

    public var topic: ScriptTopic { .lookup }
    public var settings: [any AnyScriptSetting] { [Self.service] }

    public func register(on robot: inout RobotBuilder) {
        let service = robot.value(of: Self.service)

        robot.respond(
            /wiki(?:pedia)?(?: me)? (?<words>.+)$/,
            help: """
                wiki me <words> - Look something up in Wikipedia
                wiki me in <language> <words> - Look something up in another language, such as de or pt
                """,
            example: "wiki me in de Ada Lovelace"
        ) { res in
            let (wiki, words) = Self.wiki(service, res.match.words)
            let query = try SearchQuery(words)
            let pages = try await Self.pages(about: query, wiki, res.http)
            guard let first = pages.first else { throw query.nothingFound }
            let text = first.isDisambiguation ? Self.meanings(of: first, pages) : first.introduction
            try await res.send([text, checkedWebURL(first.fullurl)].compactMap { $0 }.joined(separator: "\n"))
        }
    }

    /// Returns the wiki and the words to look up.
    ///
    /// `in <language>` selects another Wikipedia; with other wikis it has no meaning.
    private static func wiki(_ service: String, _ typed: Substring) -> (service: String, words: Substring) {
        // "The" isn't a language code, and many queries begin with "in the".
        guard let host = service.wholeMatch(of: /(https?:\/\/)[a-z-]+(\.wikipedia\.org)/.ignoresCase()),
            let choice = typed.wholeMatch(of: /in (?!the )([a-z]{2,3}) (.+)/.ignoresCase())
        else { return (service, typed) }
        return ("\(host.1)\(choice.1.lowercased())\(host.2)", choice.2)
    }

    private struct APIResponse: Decodable {
        /// The pages; missing if nothing was found.
        let query: Pages?
        let error: APIError?
    }

    private struct APIError: Decodable {
        let code: String
    }

    private struct Pages: Decodable {
        let pages: [Page]
    }

    private struct Page: Decodable {
        /// The rank among the results, from 1.
        let index: Int?
        let title: String
        let extract: String?
        let fullurl: String?
        let pageprops: [String: String]?

        /// Whether it is a disambiguation page.
        var isDisambiguation: Bool { pageprops?["disambiguation"] != nil }

        /// The beginning of the page, or else its title.
        var introduction: String {
            let text = String(oneLine: extract ?? "", limit: 300)
            return text.isEmpty ? String(oneLine: title, limit: 100) : text
        }
    }

    /// Searches, and returns the best results first.
    ///
    /// https://www.mediawiki.org/wiki/API:Search and https://www.mediawiki.org/wiki/Extension:TextExtracts
    private static func pages(about query: SearchQuery, _ service: String, _ http: any HTTPClient) async throws
        -> [Page]
    {
        let url = "\(service)/w/api.php"
        let answer = try await http.get(
            url,
            query: [
                "action": "query", "generator": "search", "gsrsearch": query.words, "gsrlimit": "5",
                "prop": "extracts|info|pageprops", "exintro": "1", "explaintext": "1", "exlimit": "max",
                "inprop": "url", "ppprop": "disambiguation", "redirects": "1", "format": "json", "formatversion": "2"
            ]
        ).json(APIResponse.self)
        // Errors have status 200.
        if let problem = answer.error {
            throw HTTPError(.unreadable, host: HTTPRequest(.get, url).host, String(oneLine: problem.code, limit: 60))
        }
        return (answer.query?.pages ?? []).sorted { ($0.index ?? .max) < ($1.index ?? .max) }
    }

    /// Lists the other results for a disambiguation page.
    private static func meanings(of page: Page, _ pages: [Page]) -> String {
        let title = String(oneLine: page.title, limit: 60)
        let others = pages.filter { !$0.isDisambiguation }.map { String(oneLine: $0.title, limit: 60) }
        return others.isEmpty
            ? "\(title) can mean several things." : "\(title) can mean: \(others.joined(separator: ", "))."
    }
}
