package import Heybot
package import Sockets

/// Goes to a network, and again whenever it was left, waiting in between.
package struct Staying: Sendable {
    /// What came of having been at a server.
    package struct Visit: Sendable {
        package let server: String
        package let trouble: Trouble
        /// For how long we were where we wanted to be; nil where we never were.
        let held: Duration?

        package init(to server: String, _ trouble: Trouble, held: Duration?) {
            self.server = server
            self.trouble = trouble
            self.held = held
        }
    }

    private let timeline: Timeline
    private let backoff: Backoff
    private let refusedWait: Duration
    private let chance: @Sendable () -> Double

    /// - Parameters:
    ///   - refusedWait: How long to wait where trying again soon is of no use.
    ///   - chance: A number from 0 to 1, by chance.
    package init(
        _ timeline: Timeline, _ backoff: Backoff, refusedWait: Duration, chance: @escaping @Sendable () -> Double
    ) {
        self.timeline = timeline
        self.backoff = backoff
        self.refusedWait = refusedWait
        self.chance = chance
    }

    /// Visits one server after another until the task is cancelled.
    ///
    /// - Parameters:
    ///   - count: How many servers there are.
    ///   - visit: Is at the server of that number until that is over.
    ///   - tell: Told what came of it, and when the next visit begins.
    package func run(
        servers count: Int, visit: (Int) async -> Visit, tell: (Visit, Duration) -> Void
    ) async {
        var backoff = backoff
        var attempts = 0
        /// How many servers in a row have turned us away for long.
        var refusals = 0
        while !Task.isCancelled {
            let visit = await visit(attempts % count)
            if Task.isCancelled { return }
            // A server that had us is gone back to, one that hadn't not at once.
            if let held = visit.held { backoff.held(for: held) } else { attempts += 1 }
            let usual = backoff.next(chance: chance())
            refusals = visit.trouble.isLasting ? refusals + 1 : 0
            // Another server may have us.
            let isRound = refusals > 0 && refusals % count == 0
            let wait = isRound ? max(refusedWait, usual) : usual
            tell(visit, wait)
            try? await timeline.sleep(wait)
        }
    }
}

extension Staying.Visit {
    /// What to log of it.
    package func words(before wait: Duration) -> String {
        let tenths = Int((wait / .milliseconds(100)).rounded())
        let seconds = tenths < 100 ? "\(tenths / 10).\(tenths % 10)" : "\((tenths + 5) / 10)"
        return "\(trouble); connecting again in \(seconds) s"
    }
}
