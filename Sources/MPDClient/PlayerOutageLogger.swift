import HeybotMPD
import Logging
import Synchronization

/// Logs when a player becomes unavailable, and when it is back: once for each outage and reason.
final class PlayerOutageLogger: Sendable {
    private let address: MPDAddress
    private let logger: Logger
    private let logged = Mutex<Set<PlayerError.Reason>>([])

    init(_ address: MPDAddress, _ logger: Logger) {
        (self.address, self.logger) = (address, logger)
    }

    /// There is no connection.
    func begin(_ reason: PlayerError.Reason) {
        guard logged.withLock({ $0.insert(reason).inserted }) else { return }
        logger.warning("no music: \(PlayerError(address, reason))")
    }

    /// The player accepts requests.
    func end() {
        let wasOut = logged.withLock { logged in
            defer { logged = [] }
            return !logged.isEmpty
        }
        if wasOut { logger.notice("the music player at \(address) is back") }
    }
}
