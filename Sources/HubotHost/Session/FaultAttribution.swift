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
        var isOutOfMemory = false

        init?(scripts: [String]) {
            if scripts.isEmpty { return nil }
            self.scripts = scripts
        }

        /// The script, if it is certain.
        var script: String? { scripts.count == 1 ? scripts[0] : nil }

        var description: String {
            let names = scripts.joined(separator: ", ")
            return
                "\(isOutOfMemory ? "the memory was used up by" : "it was running") \(names)\(place.map { " (\($0))" } ?? "")"
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
            var culprit = Culprit(scripts: report.script.map { [$0] } ?? [])
        else { return nil }
        culprit.place = report.file.map { "\($0)\(report.line.map { ":\($0)" } ?? "")" }
        culprit.isOutOfMemory = report.reason == .memory
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
        var actions: [HostAction] = [.countFailure(script: script, isTimeout: !culprit.isOutOfMemory)]
        guard count >= limits.failures, excluded.insert(script).inserted else { return actions }
        guard isLeftOut(script) else {
            let reason = "another script loads it, so it can't be left out: correct it, or remove it"
            actions.append(
                .log(
                    .error, "the script \(script) stops the Hubot scripts' process again and again; \(reason)",
                    script: script))
            return actions
        }
        let minutes = limits.failureWindow.components.seconds / 60
        let often = "\(count) times within \(minutes) minutes"
        actions.append(
            .log(
                .error,
                "the script \(script) has stopped the Hubot scripts' process \(often), so it is left out: correct it, then say \"reload\"",
                script: script))
        return actions
    }
}

extension HostSession {
    /// Whether a process that leaves a script out doesn't load it: those that other scripts load can't be left out.
    private func isLeftOut(_ script: String) -> Bool {
        packages[script] != nil || start.scripts.contains { $0.id == script }
    }
}

extension RobotMessage.Start {
    /// The same without some scripts, and without the packages that such scripts belong to.
    func leavingOut(_ excluded: Set<String>, packages: Set<String>) -> Self {
        var start = self
        start.scripts.removeAll { excluded.contains($0.id) }
        switch start.external?.packages {
        case .array(let names): start.external?.packages = .array(names.filter { !packages.contains($0.text ?? "") })
        case .object(let names): start.external?.packages = .object(names.filter { !packages.contains($0.key) })
        case nil, .null, .bool, .number, .string: break
        }
        return start
    }
}
