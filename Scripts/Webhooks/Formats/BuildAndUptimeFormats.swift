import HeybotSupport

extension Webhooks {
    /// The builds of Jenkins, sent by its Notification plugin: https://plugins.jenkins.io/notification/.
    enum Jenkins: Format {
        static func read(_ payload: Payload) -> Reading? {
            let (json, build) = (payload.json, payload.json["build"])
            guard let name = json["display_name"].line(limit: 80) ?? json["name"].line(limit: 80),
                let number = build["number"].text, build["phase"].text != nil || build["status"].text != nil
            else { return nil }
            let outcomes = [
                "SUCCESS": "succeeded", "FAILURE": "failed", "UNSTABLE": "is unstable", "ABORTED": "was aborted",
                "NOT_BUILT": "was not built"
            ]
            let isRunning = ["QUEUED", "STARTED"].contains(build["phase"].text)
            guard !isRunning, let status = build["status"].text, let outcome = outcomes[status] else {
                return .ignored("I only post builds that have ended")
            }
            let branch = build["scm"]["branch"].line(limit: 80).map { " on \(withoutRemote($0))" } ?? ""
            let link = build["full_url"].link
            let line = "\(name) #\(number) \(outcome)\(branch)\(tests(build["test_summary"]))\(link)"
            // A build has ended twice: before and after the steps that follow it.
            return .notice(Notice(tool: "Jenkins", id: "jenkins \(name) \(number) \(status)", texts: [line]))
        }

        private static func withoutRemote(_ branch: String) -> String {
            branch.hasPrefix("origin/") ? String(branch.dropFirst("origin/".count)) : branch
        }

        private static func tests(_ summary: JSONValue) -> String {
            let (failed, total) = (summary["failed"].integerValue, summary["total"].integerValue)
            guard let failed, failed > 0, let total else { return "" }
            return " (\(failed) of \(total) tests failed)"
        }
    }

    /// The monitors of Uptime Kuma: https://github.com/louislam/uptime-kuma/wiki/Notification-Methods.
    enum UptimeKuma: Format {
        static func read(_ payload: Payload) -> Reading? {
            let json = payload.json
            let (heartbeat, monitor) = (json["heartbeat"], json["monitor"])
            // In a test, both are null.
            let hasKeys = json.members["heartbeat"] != nil && json.members["monitor"] != nil
            guard hasKeys, let message = json["msg"].text else { return nil }
            let name = monitor["name"].line(limit: 80)
            guard let name, let status = heartbeat["status"].integerValue else {
                return .notice(Notice(tool: "Uptime Kuma", texts: [message]))
            }
            let words = [0: "DOWN", 1: "up again", 3: "in maintenance"]
            guard let word = words[status] else { return .ignored("I don't post monitors that are pending") }
            let reason = heartbeat["msg"].line(limit: 200)
            let line = "\(word): \(name)\(reason.map { " (\($0))" } ?? "")\(monitor["url"].link)"
            guard status != 3 else { return .notice(Notice(tool: "Uptime Kuma", texts: [line])) }
            let alert = Alert(
                key: monitor["id"].text ?? name, name: name, reason: reason, isResolved: status == 1, line: line)
            return .notice(Notice(tool: "Uptime Kuma", alerts: [alert]))
        }
    }
}
