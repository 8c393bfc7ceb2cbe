// What each reply of the server's means.

extension Session {
    /// Takes a reply of the server's.
    mutating func receive(_ numeric: Numeric, _ message: IRCMessage, at now: Duration) -> [Action] {
        let parameters = message.parameters
        switch numeric {
        case .welcome: return welcome(message, at: now)
        case .supported:
            let mapping = support.caseMapping
            support.take(parameters)
            if support.caseMapping != mapping { refold() }
        case .endOfMessageOfTheDay, .noMessageOfTheDay: return identify(at: now)
        case .loggedIn: return loggedIn(message, at: now)
        case .loggedOut: account = nil
        case .names:
            guard parameters.count > 3 else { break }
            roster.take(
                names: parameters[3].split(separator: " "), in: fold(parameters[2]), support, before: inquiries.next)
        case .endOfNames:
            guard parameters.count > 1, roster.has(fold(parameters[1])) else { break }
            ask(about: parameters[1], fold(parameters[1]))
            return flush(at: now)
        case .whoAnswer: receiveAnswer(message)
        case .endOfWho: inquiries.end()
        case .visibleHost:
            // The host that is shown instead of ours, on some networks with a user name.
            guard parameters.count > 1 else { break }
            let source = Source(nick + "!" + parameters[1])
            ownSource = Source(
                nick: ownSource.nick, user: ownSource.user, host: source.host ?? source.user ?? ownSource.host)
        case .whoisCertificate: receiveWhois(message)
        case .whoisUser, .whoisServer, .whoisOperator, .endOfWhois:
            receiveWhois(message)
            return verify(message, at: now)
        case .nickInUse, .nickCollision: return refuseNick(message, at: now)
        case .erroneousNick: return refuseNick(message, at: now) + refuseWantedNick(message)
        case .unavailable:
            guard parameters.count > 1 else { break }
            return support.isChannel(parameters[1])
                ? refuseChannel(message, at: now) : refuseNick(message, at: now) + refuseWantedNick(message)
        case .noSuchChannel, .tooManyChannels, .forbiddenChannel, .forwarded, .channelIsFull, .inviteOnly,
            .bannedFromChannel, .badChannelKey, .badChannelMask, .accountsOnly, .encryptedOnly, .operatorsOnly:
            return refuseChannel(message, at: now)
        case .noSuchNick, .cannotSendToChannel, .noSuchService, .notOnChannel, .notChannelOperator, .cannotSendToUser:
            guard parameters.count > 2 else { break }
            if fold(parameters[1]) == fold(serviceNick) || parameters[1] == profile.nickServAddress {
                switch phase {
                case .verifying, .identifying: return beginJoining(at: now)
                default: break
                }
            }
            // Somebody went before we could ask about them.
            if numeric == .noSuchNick, certificates.isOpen(fold(parameters[1])) { break }
            guard isNewlyUnsaid(to: parameters[1]) else { break }
            return [.note(.unsaid(to: parameters[1], reason: parameters[parameters.count - 1]))]
        case .monitoredIsOffline:
            guard parameters.count > 1, !nicks.isWanted(by: support.caseMapping) else { break }
            let gone = parameters[1].split(separator: ",").map { fold(Source(String($0)).nick) }
            if gone.contains(fold(nicks.wanted)) { return nickIsFree(at: now) }
        // Later it is about an OPER of ours.
        case .wrongPassword:
            guard case .registering = phase else { return [.note(.server(parameters.last ?? "the password is wrong"))] }
            return end(.refused(parameters.last ?? "the server's password is wrong"))
        case .bannedFromServer: return end(.refused(parameters.last ?? "we are banned"))
        case .nickLocked, .authenticated, .authenticationFailed, .authenticationTooLong, .authenticationAborted,
            .alreadyAuthenticated, .mechanisms:
            return handle(authentication.receive(message), at: now)
        }
        return []
    }

    private mutating func refuseChannel(_ message: IRCMessage, at now: Duration) -> [Action] {
        let parameters = message.parameters
        guard parameters.count > 1 else { return [] }
        let (name, key) = (parameters[1], fold(parameters[1]))
        guard joining.wants(key), !roster.has(key) else {
            // Not about joining, then, but about something said there.
            guard isNewlyUnsaid(to: name) else { return [] }
            return [.note(.unsaid(to: name, reason: parameters[parameters.count - 1]))]
        }
        if message.numeric == .forwarded, parameters.count > 2, support.isChannel(parameters[2]) {
            forwards[key] = fold(parameters[2])
        }
        let isNews = joining.refused(key, at: now)
        refusals[key] = joining.wants(key) ? message : nil
        let note = Note.refused(channel: name, reason: parameters[parameters.count - 1])
        return (isNews ? [.note(note)] : []) + settle(at: now) + flush(at: now)
    }
}
