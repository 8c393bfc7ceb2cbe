package import Heybot
import HeybotSupport

/// Connects to a network again whenever the connection is lost, with waits in between.
package struct ReconnectLoop: Sendable {
    /// What came of a connection.
    package struct Attempt: Sendable {
        package let server: String
        package let trouble: Trouble
        /// For how long the session was ready; nil if it never was.
        let readyTime: Duration?

        init(server: String, _ trouble: Trouble, readyTime: Duration?) {
            self.server = server
            self.trouble = trouble
            self.readyTime = readyTime
        }

        /// What to log of it.
        func words(before wait: Duration) -> String {
            let tenths = Int((wait / .milliseconds(100)).rounded())
            let seconds = tenths < 100 ? "\(tenths / 10).\(tenths % 10)" : "\((tenths + 5) / 10)"
            return "\(trouble); connecting again in \(seconds) s"
        }
    }

    private let timeline: Timeline
    private let backoff: Backoff
    private let refusedWait: Duration

    package init(_ timeline: Timeline, _ policy: ConnectionPolicy) {
        self.timeline = timeline
        let reconnect = policy.reconnect
        backoff = reconnect.backoff
        refusedWait = policy.refusedWait
    }

    /// Connects to one server after another until the task is cancelled.
    ///
    /// - Parameters:
    ///   - count: The number of servers.
    ///   - chance: A random number from 0 to 1.
    ///   - attempt: Connects to the server of that number, and returns when the connection is over.
    ///   - failed: Called with what came of it, and the time until the next attempt.
    func run(
        servers count: Int, chance: () -> Double, attempt: (Int) async -> Attempt, failed: (Attempt, Duration) -> Void
    ) async {
        var backoff = backoff
        var attempts = 0
        /// How many servers in a row have turned us away for long.
        var refusals = 0
        while !Task.isCancelled {
            let result = await attempt(attempts % count)
            if Task.isCancelled { return }
            // A server that had us is gone back to, one that hadn't not at once.
            if let readyTime = result.readyTime { backoff.held(for: readyTime) } else { attempts += 1 }
            let usual = backoff.next(chance: chance())
            refusals = result.trouble.isLasting ? refusals + 1 : 0
            // Another server may have us.
            let isRound = refusals > 0 && refusals % count == 0
            let wait = isRound ? max(refusedWait, usual) : usual
            failed(result, wait)
            try? await timeline.sleep(wait)
        }
    }
}
