public import Heybot

/// Finds pictures, and draws mustaches on them.
public struct Images: Script {
    static let openverse = ScriptSetting(
        url: "OPENVERSE_URL", "base URL of Openverse", default: "https://api.openverse.org")
    static let mustachify = ScriptSetting(
        url: "MUSTACHIFY_URL", "URL of your Mustachio server, which draws mustaches on pictures")

    public init() {}

    public var topic: ScriptTopic { .lookup }
    public var settings: [any AnyScriptSetting] { [Self.openverse, Self.mustachify] + GoogleSearch.settings }

    public func register(on robot: inout RobotBuilder) {
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

        registerMustache(on: &robot, source)
    }
}

extension Response {
    /// Sends a random one of these URLs.
    func showOne(of pictures: [String]) async throws {
        guard let picture = random(pictures) else { return }
        try await send(picture)
    }
}
