import Heybot

extension Repositories {
    /// A client for GitHub's REST API (https://docs.github.com/en/rest).
    struct GitHubAPI: Sendable {
        let service: String
        let token: String?

        /// Returns the repository that matches some words best; nil if none does
        /// (https://docs.github.com/en/rest/search/search#search-repositories).
        func repository(of words: Substring, _ http: any HTTPClient) async throws -> Repository? {
            let answer = try await http.send(request("search/repositories", ["q": String(words), "per_page": "1"]))
            // The query is invalid, such as only `user:nobody`.
            if answer.status == 422 { return nil }
            return try answer.json(SearchResponse.self).items.first
        }

        /// Returns an issue or a pull request (https://docs.github.com/en/rest/issues/issues#get-an-issue).
        func issue(_ name: IssueReference, _ http: any HTTPClient) async throws -> Issue {
            var request = request("repos/\(name.repository)/issues/\(name.number)")
            request.deadline = .seconds(8)
            return try await http.send(request).json(Issue.self)
        }

        private func request(_ path: String, _ query: FormFields = [:]) -> HTTPRequest {
            HTTPRequest(
                .get, "\(service)/\(path)", query: query,
                headers: ["Accept": "application/vnd.github+json", "X-GitHub-Api-Version": "2022-11-28"],
                auth: token.map(HTTPAuthorization.bearer))
        }
    }

    private struct SearchResponse: Decodable {
        let items: [Repository]
    }

    struct Repository: Decodable {
        private let name: String
        private let stars: Int
        private let language: String?
        private let description: String?
        private let url: String?

        private enum CodingKeys: String, CodingKey {
            case name = "full_name"
            case stars = "stargazers_count"
            case language, description
            case url = "html_url"
        }

        /// A line, as in `ada/engine (3 stars, Swift): Computes tables - https://github.com/ada/engine`.
        var line: String {
            let facts = [stars == 1 ? "1 star" : "\(stars) stars", language.map { String(oneLine: $0, limit: 40) }]
                .compactMap { $0 }
            let about = description.map { String(oneLine: $0, limit: 200) } ?? ""
            let rest = [about, checkedWebURL(url) ?? ""].filter { !$0.isEmpty }.joined(separator: " - ")
            let head = "\(String(oneLine: name, limit: 150)) (\(facts.joined(separator: ", ")))"
            return rest.isEmpty ? head : "\(head): \(rest)"
        }
    }

    struct Issue: Decodable {
        private struct Author: Decodable {
            let login: String
        }

        private struct PullRequest: Decodable {
            /// The time of the merge; nil if it isn't merged.
            let mergedAt: String?

            private enum CodingKeys: String, CodingKey { case mergedAt = "merged_at" }
        }

        private let title: String
        private let state: String
        private let url: String?
        /// The author; missing if the account was deleted.
        private let author: Author?
        private let pullRequest: PullRequest?

        private enum CodingKeys: String, CodingKey {
            case title, state
            case url = "html_url"
            case author = "user"
            case pullRequest = "pull_request"
        }

        /// A line, as in `The cogs jam (open issue by grace) - https://github.com/ada/engine/issues/12`.
        var line: String {
            let kind = pullRequest == nil ? "issue" : "pull request"
            let state = pullRequest?.mergedAt == nil ? String(oneLine: self.state, limit: 20) : "merged"
            let by = author.map { " by \(String(oneLine: $0.login, limit: 50))" } ?? ""
            let link = checkedWebURL(url).map { " - \($0)" } ?? ""
            return "\(String(oneLine: title, limit: 150)) (\(state) \(kind)\(by))\(link)"
        }
    }
}
