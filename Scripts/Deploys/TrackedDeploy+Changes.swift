import FoundationEssentials

/// What happens to a deploy.
enum DeployEvent: Hashable, Sendable {
    /// The user has confirmed it.
    case confirmed
    /// A second user has approved it.
    case approved(by: String)
    /// It won't be started: the user has changed their mind, somebody has denied it, or it was locked meanwhile.
    case declined(String)
    /// The robot was killed, or its brain failed, while it waited for an answer.
    case interrupted
    /// The target is being asked.
    case started
    /// GitHub has merged the default branch instead of creating a deployment, with GitHub's message.
    case merged(String)
    /// The target has accepted it, with its number and commit on GitHub.
    case accepted(remoteID: Int?, sha: String?)
    /// The target has refused it.
    case rejected(String)
    /// The target didn't answer, so it may have accepted it.
    case unanswered(String)
    /// GitHub doesn't have it.
    case missing
    /// GitHub, or a program that deploys, has reported something.
    case reported(DeployReport)
    /// The command has ended, with what it said last.
    case ended(isSuccess: Bool, String)
    /// Nobody can say how it went.
    case lost(String)

    /// Whether the process that worked on it has given up.
    var isGivenUp: Bool {
        if case .unanswered = self { true } else { false }
    }
}

extension TrackedDeploy {
    /// The state after an event, the step for the record, and a line for the room.
    struct Change {
        let state: State
        let step: String
        var line: String?
    }

    /// Returns what an event changes; nil if nothing.
    func change(_ event: DeployEvent, at date: Date) -> Change? {
        switch (event, state) {
        case (.confirmed, .asked): Change(state: .asked, step: "\(plan.userName) confirmed it")
        case (.approved(let name), .asked):
            Change(state: .asked, step: "\(name) approved it", line: "\(name) has approved it.")
        case (.declined(let reason), .asked): Change(state: .refused, step: "not started: \(reason)")
        case (.interrupted, .asked):
            Change(
                state: .refused, step: "not started: the robot was interrupted",
                line: "I was interrupted while this waited for an answer, so nothing was deployed. Ask me again.")
        case (.started, .asked): Change(state: .starting, step: "started")
        case (.merged(let message), .starting):
            Change(
                state: .starting, step: "GitHub: \(message)",
                line: "GitHub says: \(message) I'm asking it again to deploy.")
        case (.accepted(let remoteID, let sha), .starting): accepted(remoteID, sha)
        case (.rejected(let reason), .starting):
            Change(state: .notStarted, step: "not deployed: \(reason)", line: "not deployed. \(reason)")
        case (.unanswered(let reason), .starting):
            Change(
                state: .starting, step: "no answer: \(reason)",
                line: "\(reason) I'll find out whether it has begun.")
        case (.missing, .starting):
            Change(
                state: .notStarted, step: "not deployed: GitHub doesn't have it",
                line: "not deployed: GitHub doesn't know of it. Ask me again.")
        case (.reported(let report), .starting), (.reported(let report), .waiting), (.reported(let report), .running),
            (.reported(let report), .unknown):
            reported(report, at: date)
        case (.ended(let isSuccess, let words), .running), (.ended(let isSuccess, let words), .unknown):
            ended(isSuccess, words, at: date)
        case (.lost(let reason), .starting), (.lost(let reason), .waiting), (.lost(let reason), .running):
            Change(
                state: .unknown, step: "unknown: \(reason)",
                line: "I don't know how deploying \(version) to \(plan.place) went. \(reason)")
        default: nil
        }
    }

    private func accepted(_ remoteID: Int?, _ sha: String?) -> Change {
        let version = versionText(sha ?? self.sha)
        let number = remoteID.map { " as deployment \($0)" } ?? ""
        let task = plan.isRollback ? "rolling back to" : plan.task == "deploy" ? "deploying" : "\(plan.task) of"
        return Change(
            state: plan.target == .command ? .running : .waiting, step: "accepted\(number): \(version)",
            line: "\(task) \(version) \(plan.isRollback ? "in" : "to") \(plan.place) for \(plan.userName).")
    }

    private func reported(_ report: DeployReport, at date: Date) -> Change? {
        if let id = report.id, let lastStatus, id <= lastStatus { return nil }
        let next = report.deployState ?? state
        // An older report may arrive late.
        if state == .running, next == .waiting { return nil }
        let step = "\(report.word)\(report.about)\(report.link)"
        let line: String
        switch next {
        case .succeeded: line = "\(version) is live in \(plan.place)\(duration(until: date)).\(report.link)"
        case .failed: line = "deploying \(version) to \(plan.place) failed\(report.about).\(report.link)"
        default: line = "\(report.word)\(report.about)\(report.link)"
        }
        return Change(state: next, step: step, line: line)
    }

    private func ended(_ isSuccess: Bool, _ words: String, at date: Date) -> Change {
        if isSuccess {
            return Change(
                state: .succeeded, step: "success",
                line: "\(version) is live in \(plan.place)\(duration(until: date)).")
        }
        return Change(
            state: .failed, step: "failed: \(String(oneLine: words, limit: 500))",
            line: "deploying \(version) to \(plan.place) failed: \(words)")
    }

    /// Such as ` after 3 min`; empty if that is less than a minute.
    private func duration(until date: Date) -> String {
        let minutes = Int(min(max(date.timeIntervalSince(started ?? asked), 0), 1e9) / 60)
        return minutes < 1 ? "" : " after \(minutes) min"
    }
}

extension Date {
    /// How long ago this was, such as `3 min ago`.
    func ago(at now: Date) -> String {
        let minutes = Int(min(max(now.timeIntervalSince(self), 0), 1e10) / 60)
        switch minutes {
        case 0: return "just now"
        case 1..<60: return "\(minutes) min ago"
        case 60..<(48 * 60): return "\(minutes / 60) h ago"
        default: return "\(minutes / (24 * 60)) days ago"
        }
    }

    /// Such as `2026-11-26 14:05`, in UTC.
    var inUTC: String { String(formatted(.iso8601).prefix(16)).replacing("T", with: " ") }
}
