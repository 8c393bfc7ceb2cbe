import Synchronization

/// The health of a robot: whether every adapter is up or has ended regularly, and the brain responds.
public struct Health: Codable, Hashable, Sendable {
    /// Whether everything works.
    public let isGood: Bool
    /// The status of each adapter, by name.
    public let adapters: [String: String]
    /// `ok`, or the error of the brain.
    public let brain: String
    /// What doesn't work, one line each.
    public let reasons: [String]

    /// Creates a report.
    package init(isGood: Bool, adapters: [String: String], brain: String, reasons: [String]) {
        (self.isGood, self.adapters, self.brain, self.reasons) = (isGood, adapters, brain, reasons)
    }

    private enum CodingKeys: String, CodingKey {
        case isGood = "ok"
        case adapters, brain, reasons
    }
}

extension Health {
    /// Returns the health of a robot whose scripts run in another process.
    ///
    /// - Parameter other: The health of that process; nil if it doesn't answer.
    package func including(scripts other: Health?) -> Health {
        guard let other else {
            let reason = "the process of the scripts doesn't answer"
            return Health(isGood: false, adapters: adapters, brain: brain, reasons: reasons + [reason])
        }
        // This process has the connections of the adapters that both have.
        let beginnings = adapters.keys.map { "\($0) is " }
        let others = other.reasons.filter { reason in
            !reasons.contains(reason) && !beginnings.contains { reason.hasPrefix($0) }
        }
        return Health(
            isGood: isGood && others.isEmpty, adapters: adapters.merging(other.adapters) { own, _ in own },
            brain: brain == "ok" ? other.brain : brain, reasons: reasons + others)
    }
}

extension Robot {
    /// Checks the robot's health.
    ///
    /// The brain counts as unavailable if it doesn't respond within three seconds.
    public func health() async -> Health {
        let down = adapters.filter {
            switch $0.status {
            case .up, .ended: false
            case .starting, .down: true
            }
        }
        let problem = await brainError()
        return Health(
            isGood: down.isEmpty && problem == nil,
            adapters: Dictionary(adapters.map { ($0.name, "\($0.status)") }, uniquingKeysWith: { first, _ in first }),
            brain: problem ?? "ok",
            reasons: down.map { "\($0.name) is \($0.status)" }
                + (problem.map { ["the brain is unavailable: \($0)"] } ?? []))
    }

    /// The number of messages that wait in the inbox.
    package var waitingMessages: Int { queue.count }

    private func brainError() async -> String? {
        let problem = Mutex<String?>("no answer within 3 s")
        await wait(atMost: .seconds(3)) { [brain] in
            do {
                try await brain.check()
                problem.withLock { $0 = nil }
            } catch {
                problem.withLock { $0 = "\(error)" }
            }
        }
        return problem.withLock { $0 }
    }
}

extension Robot {
    /// Counts an error of a script's code that runs in another process.
    package func countError(of script: String) { metrics.error(in: script) }

    /// Counts that a script's code in another process has run for too long.
    package func countTimeout(of script: String) { metrics.timeout(in: script) }
}
