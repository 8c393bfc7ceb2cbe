/// Why a player didn't carry out commands.
package struct PlayerError: Error, Hashable, Sendable, CustomStringConvertible {
    /// What went wrong.
    package enum Reason: Error, Hashable, Sendable {
        /// There is no connection; the text names the address.
        case unreachable(String)
        /// What answers at the address doesn't follow the protocol.
        case notAPlayer(String)
        /// The connection was lost.
        case lost(mayBeDone: Bool)
        /// There was no answer in time.
        case timedOut(mayBeDone: Bool)
        /// The player reports an error.
        case rejected(MPDServerError)
        /// The player requires a password, and there is none in the settings.
        case needsPassword
        /// The player refused the password, and requires one.
        case wrongPassword
        /// Too many requests are waiting for the player.
        case busy
        /// This build has no network connections.
        case notInThisBuild
    }

    /// The address of the player.
    package let address: MPDAddress
    package let reason: Reason

    package init(_ address: MPDAddress, _ reason: Reason) {
        (self.address, self.reason) = (address, reason)
    }

    /// One line for the log.
    package var description: String {
        switch reason {
        case .unreachable(let text): "\(text): check that the music player runs there"
        case .notAPlayer(let text): "\(address) isn't a music player: \(text); check the address"
        case .lost: "the music player at \(address) has closed the connection"
        case .timedOut: "the music player at \(address) doesn't answer: check its load and its log"
        case .rejected(let error): "the music player at \(address) refused \(error.command): \(error.message)"
        case .needsPassword: "the music player at \(address) requires a password: set one"
        case .wrongPassword: "the music player at \(address) refused the password: correct the password"
        case .busy: "too many requests are waiting for the music player at \(address): try again later"
        case .notInThisBuild: "this build of Heybot can't connect to a music player: build Heybot with all its parts"
        }
    }
}
