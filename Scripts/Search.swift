public import Heybot

/// Searches the web with SearXNG or Google's Custom Search.
public struct Search: Script {
    static let service = ScriptSetting(
        url: "SEARCH_URL", "base URL of your SearXNG server, with JSON results enabled",
        probe: "/search?q=heybot&format=json")

    public init() {}

    public var topic: ScriptTopic { .lookup }
    public var settings: [any AnyScriptSetting] { [Self.service] + GoogleSearch.settings }

    public func register(on robot: inout RobotBuilder) {
        let service = robot.value(of: Self.service)
        let google = GoogleSearch(&robot)
        if service == nil, google == nil { robot.reportMissingSetting("HEYBOT_SEARCH_URL") }

        robot.respond(
            /(?:google|search)(?: me)? (?<words>.+)$/,
            help: """
                search me <words> - Find a web page
                google me <words> - Find a web page
                """,
            example: "search me analytical engine"
        ) { res in
            let query = try SearchQuery(res.match.words)
            let pages =
                if let service {
                    try await Self.pages(about: query, service, res.http)
                } else if let google {
                    try await google.results(for: query, res.http)
                        .map { FoundPage(title: $0.title, url: $0.link, content: $0.snippet) }
                } else {
                    throw Refusal(
                        "I can't search the web yet: set HEYBOT_SEARCH_URL to the URL of a SearXNG server.")
                }
            guard let first = pages.lazy.compactMap(\.summary).first else { throw query.nothingFound }
            try await res.send(first)
        }
    }

    private struct APIResponse: Decodable {
        let results: [FoundPage]
    }

    private struct FoundPage: Decodable {
        let title: String?
        let url: String?
        let content: String?

        /// The text for chat; nil if the URL is invalid.
        var summary: String? {
            guard let url = checkedWebURL(url) else { return nil }
            let title = String(oneLine: title ?? "", limit: 100)
            let content = String(oneLine: content ?? "", limit: 200)
            return "\(title.isEmpty ? url : "\(title) - \(url)")\(content.isEmpty ? "" : "\n\(content)")"
        }
    }

    /// Searches with SearXNG, and returns the best results first: https://docs.searxng.org/dev/search_api.html.
    private static func pages(about query: SearchQuery, _ service: String, _ http: any HTTPClient) async throws
        -> [FoundPage]
    {
        let answer = try await http.get("\(service)/search", query: ["q": query.words, "format": "json"])
        return try answer.json(APIResponse.self).results
    }
}
