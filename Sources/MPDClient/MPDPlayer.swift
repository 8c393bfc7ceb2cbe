package import HeybotMPD
import HeybotSockets
package import HeybotSupport
package import Logging

/// A music player behind one connection, which many callers share.
///
/// It connects with the first request, or with ``changes()``, and then reconnects whenever the connection is lost. It closes the
/// connection when it is deallocated.
package final class MPDPlayer: MPDCommandPerformer, Sendable {
    /// The limits and times of a connection.
    package struct Limits: Sendable {
        /// The time for connecting and greeting, and the time for a request.
        package var timeout: Duration = .seconds(10)
        /// The time after which an idle connection is tried, to notice if it is dead; a player closes it after a minute if it may not
        /// be asked for changes.
        package var pingInterval: Duration = .seconds(30)
        /// The waits before reconnecting.
        package var backoff = Backoff(first: .seconds(1), longest: .seconds(60), stable: .seconds(10))
        /// The greatest number of requests that wait for an answer.
        package var mostRequests = 32

        package init() {}
    }

    package let address: MPDAddress
    private let link: PlayerLink

    /// Creates a player without connecting.
    ///
    /// - Parameter password: The password for the player, if it requires one.
    package init(_ address: MPDAddress, password: String?, limits: Limits = Limits(), logger: Logger) {
        self.address = address
        link = PlayerLink(address, password, limits, logger)
    }

    deinit { link.end() }

    package nonisolated(nonsending) func perform(
        _ commands: [MPDCommand]
    ) async throws(PlayerError) -> [MPDResponse] {
        guard !commands.isEmpty else { return [] }
        do throws(PlayerError.Reason) {
            return try await link.perform(commands)
        } catch {
            throw PlayerError(address, error)
        }
    }

    package func changes() -> AsyncStream<Void> { link.changes() }
}
