public import Heybot

/// Shows xkcd, a comic.
public struct XKCD: Script {
    static let service = ScriptSetting(url: "XKCD_URL", "where xkcd is", default: "https://xkcd.com")
    private static let numbers = 1...99_999

    public init() {}

    public var topic: Topic { .lookup }
    public var settings: [any AnyScriptSetting] { [Self.service] }

    public func register(on robot: inout RobotBuilder) {
        let service = robot.value(of: Self.service)

        robot.respond(
            /xkcd(?: (?<which>latest|random|-?[0-9]+))?$/,
            help: """
                xkcd - Show the latest comic
                xkcd latest - The same
                xkcd <number> - Show the comic with that number
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
                // There is no 404, which is its joke.
                comic = try await Self.comic(number == 404 ? 403 : number, service, res.http)
            case let number?:
                guard let number = Int(number), Self.numbers.contains(number) else {
                    throw Refusal("Comics are numbered from 1.")
                }
                comic = try await Self.comic(number, service, res.http)
            }
            try await res.send(comic.spoken)
        }
    }

    private struct Comic: Decodable {
        let number: Int
        /// Without HTML.
        let title: String
        let picture: String?
        /// What is said if the mouse rests on the picture.
        let text: String?

        enum CodingKeys: String, CodingKey {
            case number = "num"
            case title = "safe_title"
            case picture = "img"
            case text = "alt"
        }

        /// What there is of it, a line each.
        var spoken: String {
            let lines = [
                String(oneLine: title, limit: 100), webAddress(picture) ?? "", String(oneLine: text ?? "", limit: 600)
            ]
            return lines.filter { !$0.isEmpty }.joined(separator: "\n")
        }
    }

    /// The newest one: https://xkcd.com/json.html.
    private static func latest(_ service: String, _ http: any HTTPClient) async throws -> Comic {
        try await http.get("\(service)/info.0.json").json()
    }

    private static func comic(_ number: Int, _ service: String, _ http: any HTTPClient) async throws -> Comic {
        let answer = try await http.get("\(service)/\(number)/info.0.json")
        guard answer.status != 404 else { throw Refusal("There is no xkcd number \(number).") }
        return try answer.json()
    }
}
