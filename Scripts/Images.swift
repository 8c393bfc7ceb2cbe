public import Heybot

/// Finds pictures, and draws mustaches on them.
public struct Images: Script {
    static let openverse = ScriptSetting(
        url: "OPENVERSE_URL", "base URL of Openverse", default: "https://api.openverse.org")
    static let mustachify = ScriptSetting(
        url: "MUSTACHIFY_URL", "URL of your Mustachio, which draws mustaches on pictures")

    public init() {}

    public var topic: ScriptTopic { .lookup }
    public var settings: [any AnyScriptSetting] { [Self.openverse, Self.mustachify] + GoogleSearch.settings }

    public func register(on robot: inout RobotBuilder) {
        let mustachify = robot.value(of: Self.mustachify)
        let source = ImageSearchClient(google: GoogleSearch(&robot), openverse: robot.value(of: Self.openverse))

        robot.respond(
            /(?:image|img)(?: me)? (?<words>.+)$/, help: "image me <words> - Find a picture",
            example: "image me lighthouse"
        ) { res in
            try await res.showOne(of: source.pictures(SearchQuery(res.match.words), res.http))
        }

        robot.respond(
            /animate(?: me)? (?<words>.+)$/, help: "animate me <words> - Find an animated picture",
            example: "animate me cat"
        ) { res in
            try await res.showOne(of: source.pictures(SearchQuery(res.match.words), isMoving: true, res.http))
        }

        robot.respond(
            /(?:mo?u)?sta(?:s|c)h(?:e|ify)?(?: me)? (?<words>.+)$/,
            help: """
                mustache me <words> - Find a picture with a mustache
                mustache me <URL> - Put a mustache on a picture
                """,
            example: "mustache me Ada Lovelace"
        ) { res in
            let typed = webAddress(String(res.match.words))
            guard let mustachify else {
                guard typed == nil else {
                    throw Refusal(
                        "I can't draw mustaches yet: set HEYBOT_MUSTACHIFY_URL to the URL of a Mustachio server."
                    )
                }
                return try await res.showOne(of: source.pictures(SearchQuery("\(res.match.words) mustache"), res.http))
            }
            let faces =
                if let typed { [typed] } else { try await source.pictures(SearchQuery(res.match.words), res.http) }
            // The search returns at least one.
            try await res.send("\(mustachify)?src=\(percentEncoded(faces[0]))")
        }
    }
}

extension Response {
    /// Sends a random one of these URLs.
    fileprivate func showOne(of pictures: [String]) async throws {
        guard let picture = random(pictures) else { return }
        try await send(picture)
    }
}
