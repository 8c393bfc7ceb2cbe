public import Heybot

/// Tells what Wikipedia, or another wiki of its kind, says about something.
public struct Wikipedia: Script {
    static let service = ScriptSetting(
        url: "WIKIPEDIA_URL", "where Wikipedia is, or another MediaWiki", default: "https://en.wikipedia.org")

    public init() {}

    public var topic: Topic { .lookup }
    public var settings: [any AnyScriptSetting] { [Self.service] }

    public func register(on robot: inout RobotBuilder) {
        let service = robot.value(of: Self.service)

        robot.respond(
            /wiki(?:pedia)?(?: me)? (?<words>.+)$/,
            help: """
                wiki me <words> - Look something up in Wikipedia
                wiki me in <language> <words> - Look it up in another language, such as de or pt
                """,
            example: "wiki me in de Ada Lovelace"
        ) { res in
            let (wiki, words) = Self.wiki(service, res.match.words)
            let query = try Query(words)
            let pages = try await Self.pages(about: query, wiki, res.http)
            guard let first = pages.first else { throw query.nothingFound }
            let text = first.isDisambiguation ? Self.meanings(of: first, pages) : first.introduction
            try await res.send([text, webAddress(first.fullurl)].compactMap { $0 }.joined(separator: "\n"))
        }
    }

    /// Where to look, and for what: `in <language>` chooses another of Wikipedia's hosts, and means nothing elsewhere.
    private static func wiki(_ service: String, _ typed: Substring) -> (service: String, words: Substring) {
        // "The" is no Wikipedia's code, and "in the" begins what people look for.
        guard let host = service.wholeMatch(of: /(https?:\/\/)[a-z-]+(\.wikipedia\.org)/.ignoresCase()),
            let choice = typed.wholeMatch(of: /in (?!the )([a-z]{2,3}) (.+)/.ignoresCase())
        else { return (service, typed) }
        return ("\(host.1)\(choice.1.lowercased())\(host.2)", choice.2)
    }

    private struct Answer: Decodable {
        /// Missing if nothing is found.
        let query: Pages?
        let error: Problem?
    }

    private struct Problem: Decodable {
        let code: String
    }

    private struct Pages: Decodable {
        let pages: [Page]
    }

    private struct Page: Decodable {
        /// Its place among what was found, from 1.
        let index: Int?
        let title: String
        let extract: String?
        let fullurl: String?
        let pageprops: [String: String]?

        /// Whether it only says what its title may mean.
        var isDisambiguation: Bool { pageprops?["disambiguation"] != nil }

        /// How it begins, or else its title.
        var introduction: String {
            let text = String(oneLine: extract ?? "", limit: 300)
            return text.isEmpty ? String(oneLine: title, limit: 100) : text
        }
    }

    /// What it finds, best first.
    ///
    /// https://www.mediawiki.org/wiki/API:Search and https://www.mediawiki.org/wiki/Extension:TextExtracts
    private static func pages(about query: Query, _ service: String, _ http: any HTTPClient) async throws -> [Page] {
        let url = "\(service)/w/api.php"
        let answer = try await http.get(
            url,
            query: [
                "action": "query", "generator": "search", "gsrsearch": query.words, "gsrlimit": "5",
                "prop": "extracts|info|pageprops", "exintro": "1", "explaintext": "1", "exlimit": "max",
                "inprop": "url", "ppprop": "disambiguation", "redirects": "1", "format": "json", "formatversion": "2"
            ]
        ).json(Answer.self)
        // It comes with status 200.
        if let problem = answer.error {
            throw HTTPError(.unreadable, host: HTTPRequest(.get, url).host, String(oneLine: problem.code, limit: 60))
        }
        return (answer.query?.pages ?? []).sorted { ($0.index ?? .max) < ($1.index ?? .max) }
    }

    /// What else was found for the same words, which is what they may mean.
    private static func meanings(of page: Page, _ pages: [Page]) -> String {
        let title = String(oneLine: page.title, limit: 60)
        let others = pages.filter { !$0.isDisambiguation }.map { String(oneLine: $0.title, limit: 60) }
        return others.isEmpty
            ? "\(title) can mean several things." : "\(title) can mean: \(others.joined(separator: ", "))."
    }
}
