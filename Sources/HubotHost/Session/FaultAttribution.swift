import HeybotSupport
import Logging

/// Finds the script that has blocked or ended the host's process.
struct FaultAttribution: Sendable {
    /// A report counts for an event this long after it; a busy host repeats it every two seconds.
    private static let validity: Duration = .seconds(5)

    /// The scripts that were running, usually one.
    struct Culprit: Hashable, Sendable, CustomStringConvertible {
        let scripts: [String]
        /// The file and line, if they are known.
        var place: String?
        let reason: Reason

        enum Reason: Hashable {
            case memory, time
            /// The script may have been waiting for another one.
            case unanswered
        }

        init?(scripts: [String], reason: Reason) {
            if scripts.isEmpty { return nil }
            (self.scripts, self.reason) = (scripts, reason)
        }

        /// The script, if it is certain.
        var script: String? { reason != .unanswered && scripts.count == 1 ? scripts[0] : nil }

        var description: String {
            let names = scripts.joined(separator: ", ") + (place.map { " (\($0))" } ?? "")
            return switch reason {
            case .memory: "the memory was used up by \(names)"
            case .time: "it was running \(names)"
            case .unanswered: "these scripts hadn't answered: \(names)"
            }
        }
    }

    private var last: (report: BusyReport, at: Duration)?
    /// When each script has blocked or ended the process.
    private var failures: [String: [Duration]] = [:]
    /// Whether the log says already why the process is going to end.
    var isExplained = false

    /// Notes a report of the host.
    mutating func report(_ report: BusyReport, at now: Duration) { last = (report, now) }

    /// A new process has begun.
    mutating func forgetProcess() { (last, isExplained) = (nil, false) }

    /// The host answers again.
    mutating func forgetReport() { last = nil }

    /// The script that the host has reported shortly before.
    func culprit(at now: Duration) -> Culprit? {
        guard let (report, time) = last, now - time <= Self.validity,
            var culprit = Culprit(
                scripts: report.script.map { [$0] } ?? [], reason: report.reason == .memory ? .memory : .time)
        else { return nil }
        culprit.place = report.file.map { "\($0)\(report.line.map { ":\($0)" } ?? "")" }
        return culprit
    }

    /// Counts a failure of a script.
    ///
    /// - Returns: How often it has failed within the window.
    mutating func count(_ script: String, at now: Duration, within window: Duration) -> Int {
        let recent = (failures[script] ?? []).filter { now - $0 < window } + [now]
        failures[script] = recent
        return recent.count
    }
}

extension HostSession {
    /// Counts a failure of the script that has blocked or ended the process, and leaves the script out if it does so again and
    /// again.
    mutating func blame(_ culprit: FaultAttribution.Culprit, at now: Duration) -> [HostAction] {
        guard let script = culprit.script else { return [] }
        let count = faults.count(script, at: now, within: limits.failureWindow)
        var actions: [HostAction] = [.countFailure(script: script, isTimeout: culprit.reason == .time)]
        guard count >= limits.failures, let leftOut = leaveOut(script) else { return actions }
        let minutes = limits.failureWindow.components.seconds / 60
        let often = "\(count) times within \(minutes) minutes"
        actions.append(
            .log(
                .error,
                "the script \(script) has stopped the Hubot scripts' process \(often), so the robot no longer loads \(leftOut): correct the script, then say \"reload\"",
                script: script))
        return actions
    }
}

/// What loads a script that isn't in the list of the start message.
enum ScriptLoader: Hashable, Sendable {
    case package(String)
    case script(String)

    var package: String? { if case .package(let name) = self { name } else { nil } }
}

extension HostSession {
    /// Leaves a script out of the next processes, or the script that loads it.
    ///
    /// - Returns: The script that is left out; nil if there is none, or if it was left out before.
    mutating func leaveOut(_ script: String) -> String? {
        var script = script
        // Scripts may load one another, but not without end.
        for _ in 0..<10 {
            switch loaders[script] {
            case .script(let parent) where !start.scripts.contains { $0.id == script }: script = parent
            case .script, .package, nil:
                let isKnown = loaders[script]?.package != nil || start.scripts.contains { $0.id == script }
                return isKnown && excluded.insert(script).inserted ? script : nil
            }
        }
        return nil
    }
}

extension RobotMessage.Start {
    /// The same without some scripts, and without the packages that such scripts belong to.
    func leavingOut(_ excluded: Set<String>, packages: Set<String>) -> Self {
        var start = self
        start.scripts.removeAll { excluded.contains($0.id) }
        switch start.external?.packages {
        case .array(let names):
            start.external?.packages = .array(names.filter { !packages.contains($0.stringValue ?? "") })
        case .object(let names): start.external?.packages = .object(names.filter { !packages.contains($0.key) })
        case nil, .null, .bool, .integer, .number, .string: break
        }
        return start
    }
}
