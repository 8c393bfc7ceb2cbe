import Logging

// The part of the brain that is cached in memory: the disabled scripts, the roles of users, and the access to commands.

extension Robot {
    /// How often the cache is refreshed, to notice changes by other robots with the same brain.
    private static let interval: Duration = .seconds(30)

    /// Opens the brain, and loads the disabled scripts and the roles.
    package func openBrain() async throws {
        try await brain.open()
        do {
            try await loadSwitchesAndRoles()
        } catch {
            await brain.close()
            throw error
        }
    }

    /// Loads the disabled scripts and the roles from the brain.
    package func loadSwitchesAndRoles() async throws {
        try await toggles.load()
        try await users.load()
        try await accessRules.load()
    }

    /// Reloads the disabled scripts and the roles periodically.
    ///
    /// - Parameter isLogged: Whether the last refresh failed. A further failure is then logged at level `debug` only.
    func refreshPeriodically(isLogged: Bool = false) {
        timers.after(Self.interval) { [weak self] in
            guard let self else { return }
            inFlight.begin()
            Task { [self] in
                var isFailing = false
                do {
                    try await loadSwitchesAndRoles()
                } catch {
                    isFailing = true
                    logger.log(
                        level: isLogged ? .debug : .warning,
                        "can't reload disabled scripts, roles and access to commands from the brain: \(error); keeping the previous ones"
                    )
                }
                refreshPeriodically(isLogged: isFailing)
                inFlight.end()
            }
        }
    }
}
