public import Heybot

/// Shows comics from xkcd.
public struct XKCD: Script {
    static let service = ScriptSetting(url: "XKCD_URL", "base URL of xkcd", default: "https://xkcd.com")
    private static let numbers = 1...99_999

    public init() {}

    public var topic: ScriptTopic { .lookup }
    public var settings: [any AnyScriptSetting] { [Self.service] }

    public func register(on robot: inout RobotBuilder) {
        let service = robot.value(of: Self.service)

        robot.respond(
            /xkcd(?: (?<which>latest|random|-?[0-9]+))?$/,
            help: """
                xkcd - Show the latest comic
                xkcd latest - Show the latest comic
                xkcd <number> - Show comic <number>
                xkcd random - Show a random comic
                """,
            example: "xkcd 1969", deadline: .seconds(50)
        ) { res in
            let comic: Comic
            switch res.match.which?.lowercased() {
            case nil, "latest":
                comic = try await Self.latest(service, res.http)
            case "random":
                let last = try await Self.latest(service, res.http).number
                let number = res.random(in: 1...min(max(last, 1), Self.numbers.upperBound))
                // There is no comic 404, which is a joke.
                comic = try await Self.comic(number == 404 ? 403 : number, service, res.http)
            case let number?:
                guard let number = Int(number), Self.numbers.contains(number) else {
                    throw Refusal("Comics are numbered from 1 to a few thousand.")
                }
                comic = try await Self.comic(number, service, res.http)
            }
            try await res.send(comic.summary)
        }
    }

    private struct Comic: Decodable {
        let number: Int
        /// Without HTML.
        let title: String
        let picture: String?
        /// The picture's tooltip.
        let text: String?

        enum CodingKeys: String, CodingKey {
            case number = "num"
            case title = "safe_title"
            case picture = "img"
            case text = "alt"
        }

        /// The title, the picture's URL and the tooltip, a line each.
        var summary: String {
            let lines = [
                String(oneLine: title, limit: 100), checkedWebURL(picture) ?? "",
                String(oneLine: text ?? "", limit: 600)
            ]
            return lines.filter { !$0.isEmpty }.joined(separator: "\n")
        }
    }

    /// Loads the newest comic: https://xkcd.com/json.html.
    private static func latest(_ service: String, _ http: any HTTPClient) async throws -> Comic {
        try await http.get("\(service)/info.0.json").json()
    }

    private static func comic(_ number: Int, _ service: String, _ http: any HTTPClient) async throws -> Comic {
        let answer = try await http.get("\(service)/\(number)/info.0.json")
        guard answer.status != 404 else { throw Refusal("There's no xkcd number \(number).") }
        return try answer.json()
    }
}
