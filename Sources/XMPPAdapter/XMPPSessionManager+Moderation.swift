import Heybot
import HeybotXMPP
import NetworkAdapter

// Moderates rooms: resolves nicks and messages, and chooses what to change.

extension XMPPSessionManager {
    /// Returns the occupant of a room with a nick, which is compared without case if that is unambiguous.
    ///
    /// - Returns: Nil if there is none, or if it is the robot.
    func member(named nick: String, in room: JID) -> RoomMember? {
        guard let session = state.session else { return nil }
        let others = session.occupants(of: room).filter { $0.key != session.nick(in: room) }
        let alike = others.values.filter { $0.nick.lowercased() == nick.lowercased() }
        guard let occupant = others[nick] ?? (alike.count == 1 ? alike.first : nil),
            let user = converter.user(occupant, in: room)
        else { return nil }
        return RoomMember(user: user, stay: occupant.stayText)
    }

    /// Returns the ban or quiet for a member, and the occupants whom it would affect.
    func restriction(
        _ kind: RoomRestriction.Kind, of member: RoomMember, in room: JID
    ) throws -> (restriction: RoomRestriction, affected: [User]) {
        guard let session = state.session, session.isOnline else {
            throw AdapterError(.notConnected, "I'm not connected right now")
        }
        let name = member.user.name
        guard let occupant = session.occupant(in: member.stay, of: room) else {
            guard !session.hasUnverifiedOccupants(in: room) else {
                throw AdapterError(.notAllowed, "I'm finding out who is in \(room) right now: try again in a moment")
            }
            throw AdapterError(.noSuchUser, "\(name) isn't in \(room) any more")
        }
        let shown = kind == .ban ? occupant.person?.description : session.lastingName(of: occupant, in: room)
        guard let subject = shown else {
            throw AdapterError(
                .unsupported, "\(room) doesn't show me who \(name) is: make me an admin there, or kick them instead")
        }
        guard subject != session.address.bare.description else {
            throw AdapterError(.notAllowed, "\(name) has my own address")
        }
        let affected = session.occupants(of: room).values.filter {
            session.lastingName(of: $0, in: room) == subject && $0.nick != session.nick(in: room)
        }
        return (RoomRestriction(kind, of: subject), affected.compactMap { converter.user($0, in: room) })
    }

    /// Returns the ban of a user who isn't in a room, the user, and the occupants whom it would affect.
    func restriction(
        _ kind: RoomRestriction.Kind, ofAbsent user: User, in room: JID
    ) throws -> (restriction: RoomRestriction, user: User, affected: [User]) {
        guard let session = state.session, session.isOnline else {
            throw AdapterError(.notConnected, "I'm not connected right now")
        }
        guard kind == .ban else { throw AdapterError(.noSuchUser, "I don't see \"\(user.name)\" in this room now") }
        // The name of an anonymous user is what somebody has typed.
        guard let person = try? JID(user.isAnonymous ? user.name : user.id.value).bare, person.local != nil else {
            throw AdapterError(
                .noSuchUser,
                "I don't see \"\(user.name)\" in this room now: say the address, such as mallory@example.org")
        }
        guard person != session.address.bare else { throw AdapterError(.notAllowed, "that is my own address") }
        guard !session.joined.contains(person) else { throw AdapterError(.notAllowed, "that is a room") }
        let subject = person.description
        let banned = User(
            id: User.ID(adapter: converter.adapter, value: subject), name: user.name, account: subject)
        let affected = session.occupants(of: room).values.filter {
            session.lastingName(of: $0, in: room) == subject && $0.nick != session.nick(in: room)
        }
        return (RoomRestriction(.ban, of: subject), banned, affected.compactMap { converter.user($0, in: room) })
    }

    /// Returns the latest message of an occupant in a room; nil if there is none that the room has given an id.
    func latestMessage(of member: RoomMember, in room: JID) -> Message.ID? {
        guard let session = state.session, let occupant = session.occupant(in: member.stay, of: room) else {
            return nil
        }
        // Reactions, new nicks and the like have no id.
        return senders.latestPublicMessage {
            $0.id != nil && $0.conversation == room && session.isSurely(occupant, $0.requester)
        }
    }

    /// Returns the author of one of the latest messages in a room; nil if the room doesn't show the author's address.
    func author(of message: Message.ID, in room: JID) -> User? {
        guard let sender = senders[message], sender.conversation == room,
            let person = try? JID(sender.requester.id), person.local != nil, !person.isFull
        else { return nil }
        return User(
            id: User.ID(adapter: converter.adapter, value: person.description), name: sender.author.resource ?? "",
            account: person.description)
    }

    /// Returns the id that a room has given a message; nil if it isn't one of the latest messages there.
    func roomID(of message: Message.ID, in room: JID) -> String? {
        guard let sender = senders[message], sender.conversation == room else { return nil }
        return sender.id
    }

    /// Returns the changes of a room that make up an action.
    func changes(for action: ModerationAction, in room: JID) throws -> [RoomChange] {
        guard let session = state.session, session.isOnline else {
            throw AdapterError(.notConnected, "I'm not connected right now")
        }
        guard session.joined.contains(room) else { throw AdapterError(.notInRoom, "I'm not in \(room)") }
        switch action {
        case .giveOperator(let member): return [.role(.moderator, of: member.stay, reason: "")]
        // A role replaces another one, so it depends on that: a moderator has voice, and a visitor isn't a moderator.
        case .takeOperator(let member):
            let role = session.occupant(in: member.stay, of: room)?.role
            return role == .visitor || role == .participant ? [] : [.role(.participant, of: member.stay, reason: "")]
        case .giveVoice(let member):
            let role = session.occupant(in: member.stay, of: room)?.role
            return role == .moderator ? [] : [.role(.participant, of: member.stay, reason: "")]
        case .takeVoice(let member): return [.role(.visitor, of: member.stay, reason: "")]
        case .kick(let member, let reason): return [.role(.none, of: member.stay, reason: reason)]
        case .restrict(let member, let restriction, let reason):
            switch restriction.kind {
            case .ban: return [.affiliation(.outcast, of: try JID(restriction.subject), reason: reason)]
            case .quiet: return [.role(.visitor, of: member.stay, reason: reason)]
            }
        case .lift(let restriction, _):
            switch restriction.kind {
            case .ban: return [.affiliation(.none, of: try JID(restriction.subject), reason: "")]
            case .quiet:
                // A role ends when the occupant leaves.
                let silent = session.occupants(of: room).values.filter {
                    $0.role == .visitor && session.lastingName(of: $0, in: room) == restriction.subject
                }
                return silent.map { .role(.participant, of: $0.stayText, reason: "") }
            }
        case .restrictAbsent(let restriction, let reason):
            guard restriction.kind == .ban else { return [] }
            return [.affiliation(.outcast, of: try JID(restriction.subject), reason: reason)]
        // It may take two requests: see ``XMPPAdapter/moderate(_:in:)``, which also retracts the robot's own messages.
        case .retract: return []
        case .setTopic(let topic): return [.subject(topic)]
        }
    }
}
