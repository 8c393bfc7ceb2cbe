package import Heybot
import HeybotSupport

/// Reconnects to a network whenever the connection is lost, with increasing delays.
package struct ReconnectLoop: Sendable {
    /// The outcome of a connection.
    package struct ConnectionOutcome: Sendable {
        package let server: String
        package let failure: ConnectionFailure
        /// How long the session was ready; nil if it never was.
        let readyTime: Duration?

        init(server: String, _ failure: ConnectionFailure, readyTime: Duration?) {
            self.server = server
            self.failure = failure
            self.readyTime = readyTime
        }

        /// The text for the log.
        func logText(before wait: Duration) -> String {
            let tenths = Int((wait / .milliseconds(100)).rounded())
            let seconds = tenths < 100 ? "\(tenths / 10).\(tenths % 10)" : "\((tenths + 5) / 10)"
            return "\(failure); reconnecting in \(seconds) s"
        }
    }

    private let timeSource: TimeSource
    private let backoff: Backoff
    private let refusedWait: Duration

    package init(_ timeSource: TimeSource, _ timings: ConnectionTimings) {
        self.timeSource = timeSource
        let reconnect = timings.reconnect
        backoff = reconnect.backoff
        refusedWait = timings.refusedRetryDelay
    }

    /// Connects to the servers in turn until the task is canceled.
    ///
    /// - Parameters:
    ///   - count: The number of servers.
    ///   - chance: Returns a random number from 0 to 1.
    ///   - attempt: Connects to a server by its index, and returns when the connection has ended.
    ///   - failed: Called with the outcome, and the delay until the next attempt.
    func run(
        servers count: Int, chance: () -> Double, attempt: (Int) async -> ConnectionOutcome,
        failed: (ConnectionOutcome, Duration) -> Void
    ) async {
        var backoff = backoff
        var attempts = 0
        /// The number of consecutive attempts that failed permanently.
        var refusals = 0
        while !Task.isCancelled {
            let result = await attempt(attempts % count)
            if Task.isCancelled { return }
            // Reconnect to a server that was ready, but after a failed attempt try the next one.
            if let readyTime = result.readyTime { backoff.connectionLasted(readyTime) } else { attempts += 1 }
            let usual = backoff.next(chance: chance())
            refusals = result.failure.isPermanent ? refusals + 1 : 0
            // Another server may accept the robot, so wait long only after all have refused it.
            let isRound = refusals > 0 && refusals % count == 0
            let wait = isRound ? max(refusedWait, usual) : usual
            failed(result, wait)
            try? await timeSource.sleep(wait)
        }
    }
}
