import Logging

// What of the brain is kept at hand: what is switched off, and how people stand with the robot.

extension Robot {
    /// How long another robot with the same brain may take to notice.
    private static let interval: Duration = .seconds(30)

    /// Opens the brain, and takes in what is kept at hand.
    package func openBrain() async throws {
        try await brain.open()
        do {
            try await loadKept()
        } catch {
            await brain.close()
            throw error
        }
    }

    func loadKept() async throws {
        try await toggles.load()
        try await users.load()
    }

    /// Keeps up with what other robots with the same brain change.
    ///
    /// - Parameter isTold: Whether the log has it already that it can't be read.
    func keepUp(isTold: Bool = false) {
        timers.after(Self.interval) { [weak self] in
            guard let self else { return }
            activity.begin()
            Task { [self] in
                var isFailing = false
                do {
                    try await loadKept()
                } catch {
                    isFailing = true
                    logger.log(
                        level: isTold ? .debug : .warning,
                        "what is switched off and who has which role can't be read, so that stays as it is: \(error)")
                }
                keepUp(isTold: isFailing)
                activity.end()
            }
        }
    }
}
