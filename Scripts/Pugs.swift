public import Heybot

/// Shows pictures of pugs, from the Dog API (https://dog.ceo/dog-api/documentation/breed).
public struct Pugs: Script {
    static let service = ScriptSetting(url: "PUGS_URL", "base URL of the Dog API", default: "https://dog.ceo/api")
    private static let most = 10

    public init() {}

    public var topic: ScriptTopic { .fun }
    public var settings: [any AnyScriptSetting] { [Self.service] }

    private struct Picture: Decodable {
        let message: String
    }

    private struct Pictures: Decodable {
        let message: [String]
    }

    public func register(on robot: inout RobotBuilder) {
        let pictures = "\(robot.value(of: Self.service))/breed/pug/images"

        robot.respond(/pug(?: me)?$/, help: "pug me - Show a pug", example: "pug me") { res in
            let picture = try await res.http.get("\(pictures)/random").json(Picture.self)
            guard let url = checkedWebURL(picture.message) else { throw Refusal("I found no pug. Sorry!") }
            try await res.send(url)
        }

        robot.respond(
            /pug bomb(?: (?<count>[0-9]+))?$/,
            help: """
                pug bomb - Show five pugs
                pug bomb <count> - Show <count> pugs
                """,
            example: "pug bomb 3"
        ) { res in
            guard let count = res.match.count.map({ Int($0) }) ?? 5, 1...Self.most ~= count else {
                throw Refusal("I can show 1 to \(Self.most) pugs.")
            }
            let bomb = try await res.http.get("\(pictures)/random/\(count)").json(Pictures.self)
            let urls = bomb.message.prefix(count).compactMap(checkedWebURL)
            guard !urls.isEmpty else { throw Refusal("I found no pugs. Sorry!") }
            try await res.send(urls.joined(separator: "\n"))
        }

        robot.respond(
            /how many pugs are there\??$/, help: "how many pugs are there - Count the pugs",
            example: "how many pugs are there?"
        ) { res in
            let count = try await res.http.get(pictures).json(Pictures.self).message.count
            try await res.reply(count == 1 ? "There is 1 pug." : "There are \(count) pugs.")
        }
    }
}
