import Heybot
import HeybotIRC
import NetworkAdapter

// Moderates channels: resolves nicks, chooses masks, and passes changes to the session.

extension IRCSessionManager {
    /// Returns the member of a channel with a nick; nil if there is none, or if it is the robot.
    mutating func member(named nick: String, in channel: String) -> RoomMember? {
        let identityContext = identityContext
        guard let session = state.session, fold(nick) != fold(session.nick),
            let found = session.visibleMember(nick, in: channel)
        else { return nil }
        return RoomMember(user: converter.user(found.member, identityContext), stay: found.stay.text)
    }

    /// Returns the ban or quiet for a member, and the other members whom it would affect.
    mutating func restriction(
        _ kind: RoomRestriction.Kind, of member: RoomMember, in channel: String
    ) throws -> (restriction: RoomRestriction, affected: [User]) {
        let identityContext = identityContext
        let name = member.user.name
        guard let session = state.session, session.isOnline else { throw AdapterError.away(adapterName) }
        guard let stay = MemberStay(member.stay, channel: fold(channel)), let found = session.member(in: stay) else {
            throw AdapterError(.noSuchUser, "\(name) isn't in \(channel) any more")
        }
        guard kind == .ban || session.support.canQuiet else {
            throw AdapterError(.unsupported, "this network can't quiet users in a channel: kick or ban them instead")
        }
        guard let subject = session.support.maskSubject(of: found),
            let entry = session.support.listedMask(for: subject, isQuiet: kind == .quiet)
        else {
            throw AdapterError(.unsupported, "I don't know the host of \(name) yet: try again when they say something")
        }
        guard !session.affectsRobot(subject) else {
            throw AdapterError(.notAllowed, "that would affect me too: I have the host of \(name)")
        }
        let affected = session.visibleMembers(of: channel, affectedBy: subject)
        return (
            RoomRestriction(kind, of: entry.description), affected.map { converter.user($0, identityContext) }
        )
    }

    /// Returns the ban or quiet for a user who isn't in a channel, the user, and the members whom it would affect.
    ///
    /// - Parameter answer: Whom the server has shown by the user's nick; if nobody, the ban is for the user's account, and what
    ///   somebody has typed is taken for the name of an account.
    mutating func restriction(
        _ kind: RoomRestriction.Kind, ofAbsent user: User, _ answer: AbsentUserAnswer, in channel: String
    ) throws -> (restriction: RoomRestriction, user: User, affected: [User]) {
        let identityContext = identityContext
        let name = user.name
        guard let session = state.session, session.isOnline else { throw AdapterError.away(adapterName) }
        guard kind == .ban || session.support.canQuiet else {
            throw AdapterError(.unsupported, "this network can't quiet users in a channel: kick or ban them instead")
        }
        let (account, found): (String?, AbsentUser?)
        switch answer {
        case .found(let shown): (account, found) = (shown.account, shown)
        case .nobody: (account, found) = (user.isAnonymous ? name : user.id.value, nil)
        case .unknown:
            throw AdapterError(.notAllowed, "the server hasn't told me who \(name) is: try again in a moment")
        }
        guard let subject = session.support.maskSubject(account: account, host: found?.host),
            let entry = session.support.listedMask(for: subject, isQuiet: kind == .quiet)
        else {
            throw AdapterError(.noSuchUser, "I don't see \"\(name)\" in this room now, and don't know their host")
        }
        guard !session.affectsRobot(subject) else {
            throw AdapterError(.notAllowed, "that would affect me too: I have the host of \(name)")
        }
        let source = Source(nick: name, user: found?.user, host: found?.host)
        let banned = converter.user(source, account: account, identityContext)
        let affected = session.visibleMembers(of: channel, affectedBy: subject)
        return (
            RoomRestriction(kind, of: entry.description), banned, affected.map { converter.user($0, identityContext) }
        )
    }

    /// Asks who has a nick, or had it last, and resumes the continuation with that user.
    mutating func lookUpAbsent(
        _ nick: String, at now: Duration, _ continuation: CheckedContinuation<AbsentUserAnswer, Never>
    ) {
        lastModerationNumber += 1
        let name = "\(lastModerationNumber)"
        pendingAbsentUsers[name] = continuation
        perform(state.session?.lookUpAbsent(nick, as: name, at: now) ?? [.absent(name, .unknown)], at: now)
    }

    /// Requests a change of a channel, and resumes the continuation with the reason if it is refused.
    mutating func moderate(
        _ change: ChannelChange, in channel: String, at now: Duration,
        _ continuation: CheckedContinuation<ChannelRefusal?, Never>
    ) {
        lastModerationNumber += 1
        let name = "\(lastModerationNumber)"
        pendingModerations[name] = continuation
        let actions =
            state.session?.moderate(change, in: channel, as: name, at: now) ?? [.moderated(name, .notConnected)]
        perform(actions, at: now)
    }
}
