/// One stay of a user in the robot's sight.
///
/// It is a class because it is copied several times for each message, which costs less with a reference.
package final class MemberStay: Hashable, Sendable {
    /// The session's id.
    let session: String
    /// A channel where the server showed the user, folded.
    let channel: String
    /// The number of the stay.
    let stay: Int

    package init(session: String, channel: String, stay: Int) {
        (self.session, self.channel, self.stay) = (session, channel, stay)
    }

    package static func == (one: MemberStay, other: MemberStay) -> Bool {
        one.stay == other.stay && one.session == other.session && one.channel == other.channel
    }

    package func hash(into hasher: inout Hasher) {
        hasher.combine(stay)
        hasher.combine(session)
        hasher.combine(channel)
    }
}

extension MemberStay {
    /// Parses what ``text`` returns, for a channel's folded name; nil if it is something else.
    package convenience init?(_ text: String, channel: String) {
        let parts = text.split(separator: " ", maxSplits: 1)
        guard parts.count == 2, let stay = Int(parts[0]) else { return nil }
        self.init(session: String(parts[1]), channel: channel, stay: stay)
    }

    /// The stay and the session, without the channel.
    package var text: String { "\(stay) \(session)" }
}

/// The user on whose behalf a message is sent, for rate limits and fair queuing.
///
/// It is a class because it is copied several times for each message, which costs less with a reference.
package final class RequesterIdentity: Hashable, Sendable {
    /// Identifies the user in limits and in the fair queue.
    package let id: String
    let source: Source?
    let account: String?
    /// Where the server showed the user when they sent the message; nil if it did nowhere.
    let shownIn: MemberStay?
    /// Whether the user's message is no longer remembered, so that only an account proves who has the nick.
    let isForgotten: Bool

    /// Creates the requester of a message that is no longer remembered.
    package init(forgotten id: String, account: String?) {
        (self.id, self.account, source, shownIn) = (id, account, nil, nil)
        isForgotten = true
    }

    /// - Parameters:
    ///   - source: The source of the user's message; nil if it isn't known.
    ///   - account: The account that the user was logged in to.
    ///   - shownIn: Where the server showed the user; nil if it did nowhere.
    package init(_ id: String, source: Source? = nil, account: String? = nil, shownIn: MemberStay? = nil) {
        (self.id, self.source, self.account, self.shownIn) = (id, source, account, shownIn)
        isForgotten = false
    }

    /// The same requester in another session, which has shown the user nowhere.
    var unshown: RequesterIdentity {
        // A forgotten one, which stays that, was shown nowhere.
        shownIn == nil ? self : RequesterIdentity(id, source: source, account: account)
    }

    package static func == (one: RequesterIdentity, other: RequesterIdentity) -> Bool {
        one.id == other.id && one.source == other.source && one.account == other.account
            && one.shownIn == other.shownIn && one.isForgotten == other.isForgotten
    }

    package func hash(into hasher: inout Hasher) { hasher.combine(id) }

    /// Whether the other may be the same user: the user and host stay the same if they log in later.
    package func couldBe(_ other: RequesterIdentity) -> Bool {
        id == other.id || source?.origin != nil && source?.origin == other.source?.origin
    }

    /// Whether the member with the user's nick is known to be a different user.
    func isOther(than member: ChannelMembers.Member) -> Bool {
        guard let source else { return false }
        return !isSurely(member) && !member.isAt(source.user, source.host)
    }

    /// Whether the member has the user's account.
    func isSurely(_ member: ChannelMembers.Member) -> Bool { account != nil && account == member.account }
}
