import HeybotSupport

extension Webhooks {
    /// The events of Gitea and Forgejo: https://docs.gitea.com/usage/webhooks.
    enum Gitea: Format {
        static func read(_ payload: Payload) -> Reading? {
            let json = payload.json
            guard let event = Self.event(of: payload) ?? shape(of: json) else { return nil }
            guard var notice = Self.notice(event, json) else {
                return .ignored("I don't post this \(Webhooks.safeLine(event, limit: 60)) event")
            }
            notice.tool = "Gitea"
            notice.subject = json["repository"]["name"].line(limit: 60)
            return .notice(notice)
        }

        /// The event that the header fields name.
        static func event(of payload: Payload) -> String? {
            let names = ["X-Gitea-Event", "X-Forgejo-Event", "X-Gogs-Event"]
            return names.lazy.compactMap { payload.header($0) }.first
        }

        /// The event of a payload without headers, as a test may send it; nil if it has another format.
        private static func shape(of json: JSONValue) -> String? {
            guard json["repository"]["full_name"].text != nil else { return nil }
            if json["commits"].isArray { return "push" }
            let keys = [("comment", "issue_comment"), ("pull_request", "pull_request"), ("issue", "issues")]
            let found = keys.first { json[$0.0] != .null }
            return found?.1 ?? (json["release"] == .null ? nil : "release")
        }

        private static func notice(_ event: String, _ json: JSONValue) -> Notice? {
            switch event {
            case "push": push(json)
            case "create": created(json)
            case "delete": deleted(json)
            case "issues": text(issue(json, "issue", "issue"))
            case "issue_comment": text(comment(json))
            case "release": text(release(json))
            case "workflow_run": workflow(json)
            default: event.hasPrefix("pull_request") ? text(pullRequest(json)) : nil
            }
        }

        private static func text(_ text: String?) -> Notice? { text.map { Notice(texts: [$0]) } }

        private static func user(_ json: JSONValue) -> String {
            json["sender"]["login"].line(limit: 50) ?? json["pusher"]["login"].line(limit: 50) ?? "someone"
        }

        private static func push(_ json: JSONValue) -> Notice? {
            let commits = json["commits"].elements
            let ref = json["ref"].text ?? ""
            let push = CodePush(
                user: json["pusher"]["login"].line(limit: 50) ?? user(json), ref: ref,
                isCreated: CodePush.isNoCommit(json["before"]), isDeleted: CodePush.isNoCommit(json["after"]),
                count: json["total_commits"].integerValue ?? commits.count,
                // Newest first.
                titles: commits.prefix(100).reversed().prefix(3).compactMap { $0["message"].line() },
                link: json["compare_url"].link)
            guard !push.texts.isEmpty else { return nil }
            // Gitea reports a new or deleted tag or branch in two events.
            let isOfRef = push.isCreated || push.isDeleted || ref.hasPrefix("refs/tags/")
            let id = "\(push.isDeleted ? "delete" : "create") \(ref) \(json["after"].text ?? "")"
            return Notice(id: isOfRef ? id : nil, texts: push.texts)
        }

        /// A created tag; a created branch is posted when commits arrive in it.
        private static func created(_ json: JSONValue) -> Notice? {
            guard json["ref_type"].text == "tag", let tag = json["ref"].line(limit: 80) else { return nil }
            let id = "create refs/tags/\(tag) \(json["sha"].text ?? "")"
            return Notice(id: id, texts: ["\(user(json)) pushed tag \(tag)"])
        }

        private static func deleted(_ json: JSONValue) -> Notice? {
            guard let ref = json["ref"].line(limit: 80), let kind = json["ref_type"].line(limit: 20) else { return nil }
            return Notice(texts: ["\(user(json)) deleted \(kind) \(ref)"])
        }

        private static func issue(_ json: JSONValue, _ key: String, _ what: String) -> String? {
            let issue = json[key]
            let action = json["action"].text ?? ""
            guard ["opened", "closed", "reopened"].contains(action) else { return nil }
            let verb = action == "closed" && issue["merged"].isTrue ? "merged" : action
            let title = issue["title"].line() ?? "(untitled)"
            return "\(user(json)) \(verb) \(what) #\(issue["number"].text ?? "?"): \(title)\(issue["html_url"].link)"
        }

        private static func pullRequest(_ json: JSONValue) -> String? {
            let request = json["pull_request"]
            guard json["action"].text == "reviewed" else { return issue(json, "pull_request", "pull request") }
            let kind = json["review"]["type"].text ?? ""
            let verbs = [("approved", "approved"), ("rejected", "requested changes to"), ("comment", "reviewed")]
            guard let verb = verbs.first(where: { kind.hasSuffix($0.0) })?.1 else { return nil }
            let (number, title) = (request["number"].text ?? "?", request["title"].line() ?? "(untitled)")
            return "\(user(json)) \(verb) pull request #\(number): \(title)\(request["html_url"].link)"
        }

        private static func comment(_ json: JSONValue) -> String? {
            guard json["action"].text == "created" else { return nil }
            let (issue, request) = (json["issue"], json["pull_request"])
            let isRequest = json["is_pull"].isTrue || issue == .null
            let number = (issue == .null ? request : issue)["number"].text ?? "?"
            let what = "\(isRequest ? "pull request" : "issue") #\(number)"
            let comment = json["comment"]
            let text = comment["body"].line() ?? "(no text)"
            return "\(user(json)) commented on \(what): \(text)\(comment["html_url"].link)"
        }

        private static func release(_ json: JSONValue) -> String? {
            let release = json["release"]
            guard json["action"].text == "published", let tag = release["tag_name"].line(limit: 80) else { return nil }
            let name = release["name"].line() ?? ""
            let what = name.isEmpty || name == tag ? tag : "\(tag): \(name)"
            let kind = release["prerelease"].isTrue ? "pre-release" : "release"
            return "\(user(json)) published \(kind) \(what)\(release["html_url"].link)"
        }

        private static func workflow(_ json: JSONValue) -> Notice? {
            let run = json["workflow_run"]
            let isResolved = run["conclusion"].text == "success"
            let hasFailed = run["conclusion"].text == "failure"
            guard json["action"].text == "completed", isResolved || hasFailed else { return nil }
            let name = json["workflow"]["name"].line(limit: 60) ?? run["path"].line(limit: 60) ?? "workflow"
            let branch = run["head_branch"].line(limit: 80) ?? "?"
            let line = "\(name) \(isResolved ? "is passing again" : "failed") on \(branch)\(run["html_url"].link)"
            let alert = Alert(
                key: "workflow \(json["repository"]["full_name"].text ?? "") \(name) \(branch)", name: name,
                place: branch, isResolved: isResolved, line: line, isRoutine: true)
            return Notice(alerts: [alert])
        }
    }
}
