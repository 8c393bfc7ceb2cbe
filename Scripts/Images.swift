public import Heybot

/// Finds pictures, and puts mustaches on them.
public struct Images: Script {
    static let openverse = ScriptSetting(
        url: "OPENVERSE_URL", "where Openverse is", default: "https://api.openverse.org")
    static let mustachify = ScriptSetting(
        url: "MUSTACHIFY_URL", "where your Mustachio is, which puts mustaches on pictures")

    public init() {}

    public var topic: Topic { .lookup }
    public var settings: [any AnyScriptSetting] { [Self.openverse, Self.mustachify] + GoogleSearch.settings }

    public func register(on robot: inout RobotBuilder) {
        let mustachify = robot.value(of: Self.mustachify)
        let source = Source(google: GoogleSearch(&robot), openverse: robot.value(of: Self.openverse))

        robot.respond(
            /(?:image|img)(?: me)? (?<words>.+)$/, help: "image me <words> - Find a picture",
            example: "image me lighthouse"
        ) { res in
            try await res.showOne(of: source.pictures(Query(res.match.words), res.http))
        }

        robot.respond(
            /animate(?: me)? (?<words>.+)$/, help: "animate me <words> - Find an animated picture",
            example: "animate me cat"
        ) { res in
            try await res.showOne(of: source.pictures(Query(res.match.words), isMoving: true, res.http))
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
                        "I can't draw mustaches yet: HEYBOT_MUSTACHIFY_URL has to be set to the address of a Mustachio server."
                    )
                }
                return try await res.showOne(of: source.pictures(Query("\(res.match.words) mustache"), res.http))
            }
            let faces =
                if let typed { [typed] } else { try await source.pictures(Query(res.match.words), res.http) }
            // There is one at least.
            try await res.send("\(mustachify)?src=\(percentEncoded(faces[0]))")
        }
    }
}

extension Response {
    /// Says one of these URLs, by chance.
    fileprivate func showOne(of pictures: [String]) async throws {
        guard let picture = random(pictures) else { return }
        try await send(picture)
    }
}
