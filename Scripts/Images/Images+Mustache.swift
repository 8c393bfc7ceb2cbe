import Heybot

extension Images {
    func registerMustache(on robot: inout RobotBuilder, _ source: ImageSearchClient) {
        let mustachify = robot.value(of: Self.mustachify)

        robot.respond(
            /(?:mo?u)?sta(?:s|c)h(?:e|ify)?(?: me)? (?<words>.+)$/,
            help: """
                mustache me <words> - Find a picture with a mustache
                mustache me <URL> - Put a mustache on a picture
                """,
            example: "mustache me Ada Lovelace"
        ) { res in
            let typed = checkedWebURL(String(res.match.words))
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
