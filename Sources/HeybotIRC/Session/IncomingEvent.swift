package import HeybotSupport

/// Something that a user said or did on the network.
package struct IncomingEvent: Hashable, Sendable {
    /// The sender's services account, as confirmed by the server for this message.
    package enum Account: Hashable, Sendable {
        case name(String)
        /// The sender isn't logged in.
        case none
        /// The server hasn't reported the account since the user came into sight.
        case unknown

        /// The account's name; nil if there is none, or it isn't known.
        package var name: String? { if case .name(let name) = self { name } else { nil } }
    }

    package let content: ChatEvent
    package let source: Source
    /// The nick, folded for comparison.
    package let nickKey: String
    package let account: Account
    /// The fingerprints of the sender's client certificate, if they were requested and the server has reported them since the
    /// user came into sight; see ``SessionConfiguration/fingerprint(_:)``.
    package internal(set) var certificates: [String] = []
    /// Where the server shows the sender, so that the robot sees them leave; nil if it does nowhere.
    package internal(set) var shownIn: MemberStay?
    /// The channel as written in the message, with a status prefix such as `@` if only members with that status receive it; nil
    /// for a private message.
    package let channel: String?
    /// The channel, folded, without a status prefix; nil for a private message.
    package let channelKey: String?
    /// When it was said, according to the server (IRCv3 server-time): `2026-11-21T19:00:00.000Z`.
    package let time: String?
    /// The server's id for the message (IRCv3 msgid).
    package let id: String?
    /// Whether the text is an action, as in `/me waves`.
    package internal(set) var isAction = false
    /// Whether it was said while the robot was disconnected.
    package internal(set) var isMissed = false
    /// The server's id of the message that it answers.
    package internal(set) var repliesTo: String?
    /// The beginning of that message's text if it is one of the robot's latest.
    package internal(set) var robotText: String?
}
