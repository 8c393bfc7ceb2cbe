public import Heybot
import HeybotIRC
import NetworkAdapter

// Rooms are named by their ids: the name in a message may have the prefix of a status, such as `@#dev`.

extension IRCAdapter: RoomModeration {
    public func member(named name: String, in room: Room) async -> RoomMember? {
        driver.withLock { $0.member(named: name, in: room.id.value) }
    }

    /// Returns a ban or quiet by account, if masks can name accounts and the user has one, or else by host.
    ///
    /// - Throws: ``Heybot/AdapterError`` if the network can't do that, or doesn't show the host.
    public func restriction(
        _ kind: RoomRestriction.Kind, of member: RoomMember, in room: Room
    ) async throws -> (restriction: RoomRestriction, affected: [User]) {
        try driver.withLock { try $0.restriction(kind, of: member, in: room.id.value) }
    }

    /// Returns a ban or quiet of a user who isn't in a channel: by the account or host that `WHOIS` or `WHOWAS` shows, or by the
    /// account of that name if masks can name accounts.
    ///
    /// - Throws: ``Heybot/AdapterError`` if the network doesn't show who that is.
    public func restriction(
        _ kind: RoomRestriction.Kind, ofAbsent user: User, in room: Room
    ) async throws -> (restriction: RoomRestriction, user: User, affected: [User]) {
        let found: AbsentUserAnswer = await withCheckedContinuation { continuation in
            driver.act { $0.lookUpAbsent(user.name, at: $1, continuation) }
        }
        return try driver.withLock { try $0.restriction(kind, ofAbsent: user, found, in: room.id.value) }
    }

    /// Changes a channel: as an operator, or with the status that ChanServ gives the robot for it.
    ///
    /// - Throws: ``Heybot/AdapterError`` if the server refuses it.
    public func moderate(_ action: ModerationAction, in room: Room) async throws {
        let (change, name) = try channelChange(action, in: room)
        let refusal: ChannelRefusal? = await withCheckedContinuation { continuation in
            driver.act { $0.moderate(change, in: room.id.value, at: $1, continuation) }
        }
        if let refusal { throw error(refusal, about: name, in: room) }
    }

    /// Returns the change of the channel that an action is, and the name of the member.
    private func channelChange(_ action: ModerationAction, in room: Room) throws -> (ChannelChange, String) {
        func stay(of member: RoomMember) throws -> MemberStay {
            guard let stay = MemberStay(member.stay, channel: foldedRoomName(room.id.value)) else {
                throw error(.noSuchMember, about: member.user.name, in: room)
            }
            return stay
        }
        switch action {
        case .restrictAbsent(let restriction, let reason):
            return (.add(try entry(restriction), kicking: nil, reason: reason), "the user")
        case .retract:
            throw AdapterError(.unsupported, "on IRC, nobody can take back what was said")
        case .giveOperator(let member):
            return (.status("o", isGiven: true, of: try stay(of: member)), member.user.name)
        case .takeOperator(let member):
            return (.status("o", isGiven: false, of: try stay(of: member)), member.user.name)
        case .giveVoice(let member):
            return (.status("v", isGiven: true, of: try stay(of: member)), member.user.name)
        case .takeVoice(let member):
            return (.status("v", isGiven: false, of: try stay(of: member)), member.user.name)
        case .kick(let member, let reason):
            return (.kick(try stay(of: member), reason: reason), member.user.name)
        case .restrict(let member, let restriction, let reason):
            let kicked = try restriction.kind == .ban ? stay(of: member) : nil
            return (.add(try entry(restriction), kicking: kicked, reason: reason), member.user.name)
        case .lift(let restriction, let ifOwn):
            return (.remove(try entry(restriction), ifOwn: ifOwn), "the user")
        case .setTopic(let topic): return (.topic(topic), "the user")
        }
    }

    private func entry(_ restriction: RoomRestriction) throws -> ListedMask {
        guard let entry = ListedMask(restriction.subject) else {
            throw AdapterError(.invalidName, "\"\(restriction.subject)\" isn't a mode and a mask")
        }
        return entry
    }

    private func error(_ refusal: ChannelRefusal, about name: String, in room: Room) -> AdapterError {
        let channel = room.name
        switch refusal {
        case .notConnected: return .away(self.name)
        case .notOperator(let text):
            let names = configuration.optionNames
            guard let service = configuration.session.chanServ else {
                return AdapterError(
                    .notAllowed, "I'm not an operator in \(channel): make me one, or set \(names.chanServ)")
            }
            let reason = text.isEmpty ? "\(service) didn't make me one" : "\(service) says \"\(text)\""
            return AdapterError(.notAllowed, "I'm not an operator in \(channel), and \(reason)")
        case .noSuchMember: return AdapterError(.noSuchUser, "\(name) isn't in \(channel) any more")
        case .notInChannel: return AdapterError(.notInRoom, "I'm not in \(channel)")
        case .listIsFull: return AdapterError(.notAllowed, "the list of bans in \(channel) is full: lift others first")
        case .tooMany: return AdapterError(.notAllowed, "I'm still busy in \(channel): try again in a moment")
        case .setByOther(let nick): return AdapterError(.setByOthers, "it is \(nick) who has set that in \(channel)")
        case .other(let text): return AdapterError(.notAllowed, "the server refuses that in \(channel): \(text)")
        case .noAnswer:
            return AdapterError(.unconfirmed, "the server didn't answer, so I don't know whether that worked")
        }
    }
}
