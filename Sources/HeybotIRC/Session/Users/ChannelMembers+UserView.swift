extension ChannelMembers {
    /// What the channels show about a user who says or does something.
    struct UserView: Sendable {
        /// The member whose account the server has reported, from any chosen channel, or such a watched user.
        var loggedIn: Member?
        /// A channel where the server shows a user with that nick who may be the source, and their stay.
        var stay: (channel: String, stay: Int)?
        /// A chosen channel that may hide the member, if none shows them.
        var hidingChannel: String?
        /// Whether the server reports everything about the user: a chosen channel shows them, or they are watched.
        var isReported = false
    }

    /// Looks once into the channels that a user is in, and into no more of them than needed, because this happens for every
    /// message.
    ///
    /// - Parameter wantsAccount: Whether ``UserView/loggedIn`` is wanted; if not, it is nil.
    func view(of key: String, _ source: Source, wantsAccount: Bool = true) -> UserView {
        var view = UserView()
        var isStayChosen = false
        for channel in places[key, default: []] {
            if isStayChosen, view.loggedIn != nil || !wantsAccount { break }
            guard let member = channels[channel]?[key] else { continue }
            let isChosen = !isInvited(channel)
            if member.mayBeHidden {
                if isChosen { view.hidingChannel = channel }
                continue
            }
            if !isStayChosen, member.isAt(source.user, source.host) {
                (view.stay, isStayChosen) = ((channel, member.stay), isChosen)
            }
            guard isChosen else { continue }
            view.isReported = true
            if wantsAccount, view.loggedIn == nil, member.accountUpdated != nil { view.loggedIn = member }
        }
        if view.isReported { view.hidingChannel = nil }
        if !watched.isEmpty, let user = watched[key] {
            view.isReported = true
            if wantsAccount, view.loggedIn == nil, user.accountUpdated != nil { view.loggedIn = user }
        }
        return view
    }
}
