package import HeybotSupport

/// Something that somebody said or did on the network, for the robot to hear.
package struct Heard: Hashable, Sendable {
    /// The account somebody is logged in to, as the server vouches for it at this moment.
    package enum Account: Hashable, Sendable {
        case name(String)
        /// They are not logged in.
        case none
        /// The server hasn't told it since they came into sight.
        case unknown

        /// The account's name; nil unless there is one that is known.
        package var name: String? { if case .name(let name) = self { name } else { nil } }
    }

    package let content: RoomEvent
    package let source: Source
    /// The nick, folded: what it is compared by.
    package let nickKey: String
    package let account: Account
    /// The fingerprints of their client certificate, if it was asked for and the server has told them since they came into
    /// sight; see ``Profile/fingerprint(_:)``.
    package internal(set) var certificates: [String] = []
    /// The channel as it is written, with an `@` or the like in front if only those with that status hear it; nil
    /// if it was said to us alone.
    package let channel: String?
    /// The channel, folded; nil if it was said to us alone.
    package let channelKey: String?
    /// When it was said, as the server tells (IRCv3 server-time): `2026-11-21T19:00:00.000Z`.
    package let time: String?
    /// What the server calls the message (IRCv3 msgid).
    package let id: String?
}
