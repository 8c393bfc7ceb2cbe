import HeybotSupport

extension Webhooks {
    /// The events of GitLab: https://docs.gitlab.com/user/project/integrations/webhook_events/.
    enum GitLab: Format {
        static func read(_ payload: Payload) -> Reading? {
            let json = payload.json
            guard let kind = json["object_kind"].line(limit: 40) else { return nil }
            let ignored = "I don't post this \(kind) event"
            guard var notice = Self.notice(kind, json) else { return .ignored(ignored) }
            notice.tool = "GitLab"
            notice.subject = subject(json)
            return .notice(notice)
        }

        private static func notice(_ kind: String, _ json: JSONValue) -> Notice? {
            switch kind {
            case "push", "tag_push": text(push(json))
            case "issue", "work_item": text(issue(json))
            case "merge_request": text(mergeRequest(json))
            case "note": text(comment(json))
            case "pipeline": pipeline(json)
            case "build": job(json)
            case "release": text(release(json))
            case "deployment": text(deployment(json))
            case "wiki_page": text(wikiPage(json))
            default: nil
            }
        }

        private static func text(_ texts: [String]) -> Notice? { texts.isEmpty ? nil : Notice(texts: texts) }

        /// The name of the project; some events have only its path.
        private static func subject(_ json: JSONValue) -> String? {
            if let name = json["project"]["name"].line(limit: 60) { return name }
            let path = json["project_name"].text ?? json["repository"]["name"].text
            return path?.split(separator: "/").last.map { Webhooks.safeLine($0, limit: 60) }
        }

        private static func user(_ json: JSONValue) -> String {
            json["user"]["name"].line(limit: 50) ?? json["user_name"].line(limit: 50) ?? "someone"
        }

        /// Returns a link to a page of the project.
        private static func link(_ json: JSONValue, _ path: String) -> String {
            let project = json["project"]["web_url"].text ?? json["repository"]["homepage"].text
            return JSONValue.string(project.map { "\($0)/-/\(path)" } ?? "").link
        }

        private static func push(_ json: JSONValue) -> [String] {
            let (before, after) = (json["before"], json["after"])
            let ref = json["ref"].text ?? ""
            let isCreated = CodePush.isNoCommit(before)
            let path =
                isCreated
                ? "commits/\(ref.split(separator: "/").dropFirst(2).joined(separator: "/"))"
                : "compare/\(before.text ?? "")...\(after.text ?? "")"
            let commits = json["commits"].elements
            return CodePush(
                user: user(json), ref: ref, isCreated: isCreated, isDeleted: CodePush.isNoCommit(after),
                count: json["total_commits_count"].integerValue ?? commits.count,
                titles: commits.prefix(3).compactMap { $0["title"].line() ?? $0["message"].line() },
                link: Self.link(json, path)
            ).texts
        }

        private static func issue(_ json: JSONValue) -> [String] {
            let issue = json["object_attributes"]
            let verbs = ["open": "opened", "close": "closed", "reopen": "reopened"]
            guard let verb = verbs[issue["action"].text ?? ""] else { return [] }
            return ["\(user(json)) \(verb) issue #\(issue["iid"].text ?? "?"): \(title(issue))\(issue["url"].link)"]
        }

        private static func mergeRequest(_ json: JSONValue) -> [String] {
            let request = json["object_attributes"]
            let verbs = [
                "open": "opened", "close": "closed", "reopen": "reopened", "merge": "merged", "approved": "approved",
                "unapproved": "withdrew the approval of"
            ]
            guard let verb = verbs[request["action"].text ?? ""] else { return [] }
            let draft = request["draft"].isTrue || request["work_in_progress"].isTrue ? "draft " : ""
            let number = request["iid"].text ?? "?"
            return ["\(user(json)) \(verb) \(draft)merge request !\(number): \(title(request))\(request["url"].link)"]
        }

        private static func comment(_ json: JSONValue) -> [String] {
            let note = json["object_attributes"]
            // An edited comment isn't news.
            guard note["action"].text != "update" else { return [] }
            let subject =
                switch note["noteable_type"].text {
                case "MergeRequest": "merge request !\(json["merge_request"]["iid"].text ?? "?")"
                case "Issue": "issue #\(json["issue"]["iid"].text ?? "?")"
                case "Commit": "commit \(json["commit"]["id"].line(limit: 60)?.prefix(7) ?? "?")"
                case "Snippet": "snippet $\(json["snippet"]["id"].text ?? "?")"
                default: "something"
                }
            return ["\(user(json)) commented on \(subject): \(note["note"].line() ?? "(no text)")\(note["url"].link)"]
        }

        private static func pipeline(_ json: JSONValue) -> Notice? {
            let pipeline = json["object_attributes"]
            let ref = pipeline["ref"].line(limit: 80) ?? "?"
            let isResolved = pipeline["status"].text == "success"
            guard isResolved || pipeline["status"].text == "failed" else { return nil }
            let jobs = json["builds"].elements.prefix(200)
                .filter { $0["status"].text == "failed" && !$0["allow_failure"].isTrue }
                .compactMap { $0["name"].line(limit: 40) }
            let shownJobs = jobs.prefix(3).joined(separator: ", ") + (jobs.count > 3 ? ", …" : "")
            let failed = jobs.isEmpty ? "" : " (\(shownJobs))"
            let what = isResolved ? "the pipeline is passing again on \(ref)" : "the pipeline failed on \(ref)\(failed)"
            let commit = json["commit"]["title"].line().map { ": \($0)" } ?? ""
            let ownLink = pipeline["url"].link
            let link = ownLink.isEmpty ? Self.link(json, "pipelines/\(pipeline["id"].text ?? "")") : ownLink
            let alert = Alert(
                key: "pipeline \(json["project"]["id"].text ?? "") \(ref)", name: "pipeline", place: ref,
                isResolved: isResolved, line: "\(what)\(commit)\(link)", isRoutine: true)
            return Notice(id: "pipeline \(pipeline["id"].text ?? "") \(isResolved)", alerts: [alert])
        }

        private static func job(_ json: JSONValue) -> Notice? {
            guard json["build_status"].text == "failed", !json["build_allow_failure"].isTrue else { return nil }
            let (name, ref) = (json["build_name"].line(limit: 60) ?? "?", json["ref"].line(limit: 80) ?? "?")
            let id = json["build_id"].text ?? ""
            let link = Self.link(json, "jobs/\(id)")
            return Notice(id: "job \(id)", texts: ["the job \(name) failed on \(ref)\(link)"])
        }

        private static func release(_ json: JSONValue) -> [String] {
            guard json["action"].text == "create" else { return [] }
            let (tag, name) = (json["tag"].line(limit: 80) ?? "?", json["name"].line() ?? "")
            let what = name.isEmpty || name == tag ? tag : "\(tag): \(name)"
            return ["release \(what) was published\(json["url"].link)"]
        }

        private static func deployment(_ json: JSONValue) -> [String] {
            let ref = json["ref"].line(limit: 80) ?? json["short_sha"].line(limit: 40) ?? "?"
            let to = json["environment"].line(limit: 80).map { " to \($0)" } ?? ""
            let link = json["deployable_url"].link
            switch json["status"].text {
            case "success": return ["\(user(json)) deployed \(ref)\(to)\(link)"]
            case "failed": return ["the deployment of \(ref)\(to) failed\(link)"]
            default: return []
            }
        }

        private static func wikiPage(_ json: JSONValue) -> [String] {
            let page = json["object_attributes"]
            let verbs = ["create": "created", "update": "changed", "delete": "deleted"]
            guard let verb = verbs[page["action"].text ?? ""] else { return [] }
            return ["\(user(json)) \(verb) the wiki page \(title(page))\(page["url"].link)"]
        }

        private static func title(_ json: JSONValue) -> String { json["title"].line() ?? "(untitled)" }
    }
}
