public import Heybot

/// Looks things up on the web, in a SearXNG or with Google's Custom Search.
public struct Search: Script {
    static let service = ScriptSetting(
        url: "SEARCH_URL", "where your SearXNG is, which must give JSON", probe: "/search?q=heybot&format=json")

    public init() {}

    public var topic: Topic { .lookup }
    public var settings: [any AnyScriptSetting] { [Self.service] + GoogleSearch.settings }

    public func register(on robot: inout RobotBuilder) {
        let service = robot.value(of: Self.service)
        let google = GoogleSearch(&robot)
        if service == nil, google == nil { robot.lacks("HEYBOT_SEARCH_URL") }

        robot.respond(
            /(?:google|search)(?: me)? (?<words>.+)$/,
            help: """
                search me <words> - Find a web page
                google me <words> - The same
                """,
            example: "search me analytical engine"
        ) { res in
            let query = try Query(res.match.words)
            let pages =
                if let service {
                    try await Self.pages(about: query, service, res.http)
                } else if let google {
                    try await google.results(for: query, res.http)
                        .map { Page(title: $0.title, url: $0.link, content: $0.snippet) }
                } else {
                    throw Refusal(
                        "I can't search the web yet: HEYBOT_SEARCH_URL has to be set to the address of a SearXNG.")
                }
            guard let first = pages.lazy.compactMap(\.spoken).first else { throw query.nothingFound }
            try await res.send(first)
        }
    }

    private struct Answer: Decodable {
        let results: [Page]
    }

    private struct Page: Decodable {
        let title: String?
        let url: String?
        let content: String?

        /// Nil if its URL can't be said.
        var spoken: String? {
            guard let url = webAddress(url) else { return nil }
            let title = String(oneLine: title ?? "", limit: 100)
            let content = String(oneLine: content ?? "", limit: 200)
            return "\(title.isEmpty ? url : "\(title) - \(url)")\(content.isEmpty ? "" : "\n\(content)")"
        }
    }

    /// What a SearXNG finds, best first: https://docs.searxng.org/dev/search_api.html.
    private static func pages(about query: Query, _ service: String, _ http: any HTTPClient) async throws -> [Page] {
        let answer = try await http.get("\(service)/search", query: ["q": query.words, "format": "json"])
        return try answer.json(Answer.self).results
    }
}
