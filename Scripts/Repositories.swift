public import Heybot
import Logging

/// Looks up GitHub repositories by words, and issues that messages mention.
public struct Repositories: Script {
    static let service = ScriptSetting(
        url: "GITHUB_URL", "base URL of the GitHub API", default: "https://api.github.com")
    static let token = ScriptSetting(
        "GITHUB_TOKEN", "a GitHub token; everyone in chat can see what it gives access to", isSecret: true,
        // Hubot's scripts use this name for tokens with more rights.
        isReadFromHubot: false)
    static let unfurl = ScriptSetting(
        "GITHUB_UNFURL", "whether to announce the titles of issues that messages mention", default: false)
    private static let mostIssues = 2

    public init() {}

    public var topic: ScriptTopic { .lookup }
    public var settings: [any AnyScriptSetting] { [Self.service, Self.token, Self.unfurl] }

    public func register(on robot: inout RobotBuilder) {
        let api = GitHubAPI(service: robot.value(of: Self.service), token: robot.value(of: Self.token))

        robot.respond(
            /github me (?<words>.+)$/, help: "github me <words> - Find a repository on GitHub",
            example: "github me swift argument parser"
        ) { res in
            let query = try SearchQuery(res.match.words)
            guard let repository = try await api.repository(of: query.words[...], res.http) else {
                throw query.nothingFound
            }
            try await res.reply(repository.line)
        }

        guard robot.value(of: Self.unfurl) else { return }
        let recent = AnnouncementLimiter()

        robot.hear(
            /\b(?:[a-z0-9][a-z0-9_-]{0,38}\/[a-z0-9._-]{1,100})#[0-9]{1,9}\b/,
            help: "<owner>/<name>#<number> - Show the title of an issue or pull request", example: "ada/engine#12"
        ) { res in
            let names = IssueReference.all(in: res.message.text ?? "").prefix(Self.mostIssues)
            guard res.addressed == nil else {
                for name in names { try await res.send("\(name): \(try await api.issue(name, res.http).line)") }
                return
            }
            for name in names where recent.claim("\(name)", in: res.message.room.id, at: res.robot.date) {
                // The message wasn't addressed to the robot, so errors are only logged.
                do {
                    try await res.send("\(name): \(try await api.issue(name, res.http).line)")
                } catch {
                    res.logger.debug("couldn't look up the issue \(name): \(error)")
                }
            }
        }
    }
}
