public import Heybot

/// Lists the top stories of Hacker News.
public struct HackerNews: Script {
    static let service = ScriptSetting(
        url: "HN_URL", "base URL of the Hacker News API", default: "https://hacker-news.firebaseio.com/v0")
    private static let counts = 1...10
    private static let usualCount = 5

    public init() {}

    public var topic: ScriptTopic { .lookup }
    public var settings: [any AnyScriptSetting] { [Self.service] }

    public func register(on robot: inout RobotBuilder) {
        let service = robot.value(of: Self.service)

        robot.respond(
            /hn top(?: (?<count>-?[0-9]+))?$/,
            help: """
                hn top - List the top \(Self.usualCount) stories on Hacker News
                hn top <number> - List the top <number> stories on Hacker News
                """,
            example: "hn top 3", deadline: .seconds(50)
        ) { res in
            let count = res.match.count.map { Int($0) ?? .max } ?? Self.usualCount
            guard Self.counts.contains(count) else {
                throw Refusal("I can list \(Self.counts.lowerBound) to \(Self.counts.upperBound) stories.")
            }
            let ids = try await res.http.get("\(service)/topstories.json").json([Int].self)
            let lines = try await Self.lines(of: Array(ids.prefix(count)), service, res.http)
            guard !lines.isEmpty else { throw Refusal("Hacker News has no stories right now.") }
            try await res.send(lines.joined(separator: "\n"))
        }
    }

    /// Returns a line for each story that could be loaded, in order.
    ///
    /// - Throws: An error if no story could be loaded.
    private static func lines(of ids: [Int], _ service: String, _ http: any HTTPClient) async throws -> [String] {
        try await withThrowingTaskGroup(of: (place: Int, line: String?).self) { group in
            for (place, id) in ids.enumerated() {
                group.addTask { (place, try await line(of: id, service, http)) }
            }
            var lines: [Int: String] = [:]
            var firstError: (any Error)?
            while let result = await group.nextResult() {
                switch result {
                case .success(let story): lines[story.place] = story.line
                case .failure(let error): firstError = error
                }
            }
            try Task.checkCancellation()
            if lines.isEmpty, let firstError { throw firstError }
            return lines.sorted { $0.key < $1.key }.map(\.value)
        }
    }

    private struct Item: Decodable {
        /// HTML.
        let title: String?
        let url: String?
        let score: Int?
        /// The number of comments; missing for a job.
        let descendants: Int?
    }

    /// Returns the line of a story; nil if the story was deleted: https://github.com/HackerNews/API.
    private static func line(of id: Int, _ service: String, _ http: any HTTPClient) async throws -> String? {
        guard let item = try await http.get("\(service)/item/\(id).json").json(Item?.self) else { return nil }
        let title = String(oneLine: String(plainHTML: item.title ?? ""), limit: 150)
        guard !title.isEmpty else { return nil }
        let points = counted(item.score ?? 0, "point")
        let comments = counted(item.descendants ?? 0, "comment")
        let url = checkedWebURL(item.url) ?? "https://news.ycombinator.com/item?id=\(id)"
        return "\(title) (\(points), \(comments)) - \(url)"
    }

    private static func counted(_ number: Int, _ thing: String) -> String {
        "\(number) \(thing)\(number == 1 ? "" : "s")"
    }
}
