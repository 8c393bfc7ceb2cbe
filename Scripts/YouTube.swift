public import Heybot

/// Finds videos on YouTube, with its API or with Invidious.
public struct YouTube: Script {
    static let key = ScriptSetting("YOUTUBE_API_KEY", "API key for the YouTube Data API", isSecret: true)
    static let service = ScriptSetting(
        url: "YOUTUBE_URL", "base URL of the YouTube Data API", default: "https://www.googleapis.com/youtube/v3")
    static let invidious = ScriptSetting(
        url: "INVIDIOUS_URL", "base URL of your Invidious server, used if no YouTube key is set")
    /// The number of results from which one is chosen at random.
    private static let choice = 15

    public init() {}

    public var topic: ScriptTopic { .lookup }
    public var settings: [any AnyScriptSetting] { [Self.key, Self.service, Self.invidious] }

    public func register(on robot: inout RobotBuilder) {
        let key = robot.value(of: Self.key)
        let service = robot.value(of: Self.service)
        let invidious = robot.value(of: Self.invidious)
        if key == nil, invidious == nil { robot.reportMissingSetting("HEYBOT_YOUTUBE_API_KEY or HEYBOT_INVIDIOUS_URL") }

        robot.respond(
            /(?:youtube|yt)(?: me)? (?<words>.+)$/, help: "youtube me <words> - Find a video",
            example: "youtube me difference engine"
        ) { res in
            let query = try SearchQuery(res.match.words)
            let videos =
                if let key {
                    try await Self.videos(about: query, service, key: key, res.http)
                } else if let invidious {
                    try await Self.videos(about: query, invidious: invidious, res.http)
                } else {
                    throw Refusal(
                        "I can't look for videos yet: set HEYBOT_YOUTUBE_API_KEY to a key for the YouTube Data API, "
                            + "or HEYBOT_INVIDIOUS_URL to the URL of an Invidious server.")
                }
            guard let video = res.random(videos.filter(\.isPossible).prefix(Self.choice)) else {
                throw query.nothingFound
            }
            let title = String(oneLine: video.title, limit: 100)
            let place = key == nil ? invidious ?? "" : "https://www.youtube.com"
            let url = "\(place)/watch?v=\(video.id)"
            try await res.send(title.isEmpty ? url : "\(title) - \(url)")
        }
    }

    private struct Video {
        let id: String
        let title: String

        /// Whether the id is valid.
        var isPossible: Bool { id.wholeMatch(of: /[A-Za-z0-9_\-]{11}/) != nil }
    }

    private struct APIResponse: Decodable {
        let items: [Item]

        struct Item: Decodable {
            let id: ID
            let snippet: Snippet?
        }

        struct ID: Decodable {
            let videoId: String?
        }

        struct Snippet: Decodable {
            /// With character references.
            let title: String?
        }
    }

    /// Searches YouTube, and returns the best results first: https://developers.google.com/youtube/v3/docs/search/list.
    private static func videos(
        about query: SearchQuery, _ service: String, key: String, _ http: any HTTPClient
    ) async throws -> [Video] {
        let fields: FormFields = ["part": "snippet", "type": "video", "maxResults": "\(choice)", "q": query.words]
        let answer = try await http.askGoogle("\(service)/search", query: fields, key: key).json(APIResponse.self)
        return answer.items.map { item in
            Video(id: item.id.videoId ?? "", title: String(plainHTML: item.snippet?.title ?? ""))
        }
    }

    private struct InvidiousVideo: Decodable {
        let videoId: String?
        let title: String?
    }

    /// Searches with Invidious, and returns the best results first: https://docs.invidious.io/api/.
    private static func videos(
        about query: SearchQuery, invidious: String, _ http: any HTTPClient
    ) async throws -> [Video] {
        let answer = try await http.get("\(invidious)/api/v1/search", query: ["q": query.words, "type": "video"])
        return try answer.json([InvidiousVideo].self).map { Video(id: $0.videoId ?? "", title: $0.title ?? "") }
    }
}
