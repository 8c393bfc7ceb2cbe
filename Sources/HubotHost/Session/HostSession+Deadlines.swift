import Logging

// What happens as time passes: pings, and limits on a process that doesn't respond.

extension HostSession {
    /// When ``tick(at:)`` should be called next; nil if there is nothing to wait for.
    package var nextDeadline: Duration? {
        if isKilled { return nil }
        return switch phase {
        case .ended: nil
        case .loading(_, let start): start + limits.loadTime + limits.pingTimeout
        case .loaded, .running: pingDeadline
        case .retiring(let end, _): isStopping ? end : min(end, pingDeadline)
        }
    }

    private var pingDeadline: Duration { ping.map { $0.sent + limits.pingTimeout } ?? nextPing }

    /// Pings the host, and ends it if it doesn't answer.
    package mutating func tick(at now: Duration) -> [HostAction] {
        let forgotten = runs.prune(at: now, answerTime: limits.answerTime)
        guard let deadline = nextDeadline, now >= deadline else { return forgotten }
        switch phase {
        case .ended: return forgotten
        case .retiring(let end, _) where isStopping || now >= end:
            // What is left is a connection or a server that a script holds open.
            guard isStopping else {
                isStopping = true
                phase = .retiring(until: now + .seconds(2), hasRetired: true)
                return forgotten + [.write(.stop)]
            }
            isKilled = true
            return forgotten + [.kill]
        case .loading(let loading, _):
            let script = faults.culprit(at: now)?.script ?? loading
            let leftOut = script.flatMap { leaveOut($0) }
            let name = script.map { "the Hubot script \($0)" } ?? "a Hubot script"
            let text =
                leftOut.map { "\(name) didn't finish loading, so the robot no longer loads \($0)" }
                ?? "\(name) didn't finish loading"
            isKilled = true
            return forgotten + [.log(.error, text, script: script), .kill]
        case .loaded, .running, .retiring:
            guard ping == nil else {
                // Another script may block in a function that can't be observed, so only one that was reported is blamed.
                let reported = faults.culprit(at: now)
                let culprit = reported ?? FaultAttribution.Culprit(scripts: runs.unansweredScripts, reason: .unanswered)
                let names = culprit.map { "; \($0)" } ?? ""
                (faults.isExplained, isKilled) = (true, true)
                return forgotten + [
                    .log(
                        .error, "the Hubot scripts' process stopped responding, and is being killed\(names)",
                        script: culprit?.script)
                ] + (reported.map { blame($0, at: now) } ?? []) + [.kill]
            }
            lastPing += 1
            ping = (lastPing, now)
            return forgotten + [.write(.ping(id: lastPing))]
        }
    }
}
