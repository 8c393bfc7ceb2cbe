import HeybotMPD
import HeybotSupport
import HeybotTesting
import MPDClient
import TestServers

/// Returns a player with short waits.
func player(
    _ address: String, password: String? = nil, log: TestLog = TestLog(), timeout: Duration = .testLimit,
    mostRequests: Int = 32
) throws -> MPDPlayer {
    guard let address = MPDAddress(address) else { throw TestServerError.failed("\(address) isn't an address") }
    var limits = MPDPlayer.Limits()
    limits.timeout = timeout
    limits.mostRequests = mostRequests
    limits.backoff = Backoff(first: .milliseconds(5), longest: .milliseconds(50))
    return MPDPlayer(address, password: password, limits: limits, logger: log.logger)
}

extension MPDCommandPerformer {
    /// Returns the reason why commands fail; nil if they don't.
    func failure(_ commands: MPDCommand...) async -> PlayerError.Reason? {
        do throws(PlayerError) {
            _ = try await perform(commands)
            return nil
        } catch {
            return error.reason
        }
    }

    /// Returns the reason why a command fails, or is canceled after a while.
    func failure(_ command: MPDCommand, within limit: Duration) async -> PlayerError.Reason? {
        let task = Task { await failure(command) }
        let timer = Task {
            try await Task.sleep(for: limit)
            task.cancel()
        }
        defer { timer.cancel() }
        return await task.value
    }

    /// Returns the value of a field of `status`.
    func status(_ name: String) async throws -> String? { try await perform([.status]).first?[name] }
}

/// What an error says.
func message(of reason: PlayerError.Reason?) -> String {
    switch reason {
    case .unreachable(let text), .notAPlayer(let text): text
    case .rejected(let error): error.message
    default: ""
    }
}
