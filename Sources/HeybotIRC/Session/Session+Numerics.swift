// Handles numeric replies.

extension Session {
    /// Handles a numeric reply.
    mutating func receive(_ numeric: Numeric, _ message: IRCMessage, at now: Duration) -> [Action] {
        let parameters = message.parameters
        switch numeric {
        case .welcome: return handleWelcome(message, at: now)
        case .supported:
            let mapping = support.caseMapping
            support.update(parameters)
            if support.caseMapping != mapping { refold() }
        case .endOfMessageOfTheDay, .noMessageOfTheDay: return identifyToServices(at: now)
        case .loggedIn: return handleLoggedIn(message, at: now)
        case .loggedOut: account = nil
        case .names:
            guard parameters.count > 3 else { break }
            members.handleNames(
                parameters[3].split(separator: " "), in: fold(parameters[2]), support, before: accountQueries.next)
        case .endOfNames:
            guard parameters.count > 1, members.has(fold(parameters[1])) else { break }
            if !support.hasWHOX { accountQueries.endResync(of: fold(parameters[1])) }
            queryAccounts(of: parameters[1], fold(parameters[1]))
            return flush(at: now)
        case .whoAnswer: handleAccountAnswer(message)
        case .endOfWho:
            accountQueries.end(parameters.count > 1 ? fold(parameters[1]) : nil)
            return flush(at: now)
        case .visibleHost:
            // The host that other users see instead of the real one; some networks send it with a user name.
            guard parameters.count > 1 else { break }
            let source = Source(nick + "!" + parameters[1])
            ownSource = Source(
                nick: ownSource.nick, user: ownSource.user, host: source.host ?? source.user ?? ownSource.host)
        case .whoisCertificate: handleWhois(message)
        case .whoisUser, .whoisServer, .whoisOperator, .endOfWhois:
            handleWhois(message)
            return verifyNickServ(message, at: now)
        case .nickInUse, .nickCollision: return handleNickRefusal(message, at: now)
        case .erroneousNick: return handleNickRefusal(message, at: now) + handleWantedNickRefusal(message)
        case .unavailable:
            guard parameters.count > 1 else { break }
            return support.isChannel(parameters[1])
                ? handleJoinRefusal(message, at: now)
                : handleNickRefusal(message, at: now) + handleWantedNickRefusal(message)
        case .noSuchChannel, .tooManyChannels, .forbiddenChannel, .forwarded, .channelIsFull, .inviteOnly,
            .bannedFromChannel, .badChannelKey, .badChannelMask, .accountsOnly, .encryptedOnly, .operatorsOnly:
            return handleJoinRefusal(message, at: now)
        case .noSuchNick, .cannotSendToChannel, .noSuchService, .notOnChannel, .notChannelOperator, .cannotSendToUser:
            guard parameters.count > 2 else { break }
            if fold(parameters[1]) == fold(serviceNick) || parameters[1] == configuration.nickServAddress {
                switch phase {
                case .verifying, .identifying: return beginJoining(at: now)
                default: break
                }
            }
            // The user left before the query arrived.
            if numeric == .noSuchNick, certificateQueries.isPending(fold(parameters[1])) { break }
            guard isFirstFailure(to: parameters[1]) else { break }
            return [.log(.notDelivered(to: parameters[1], reason: parameters[parameters.count - 1]))]
        case .monitoredIsOnline:
            handleMonitoredUsers(message)
            return flush(at: now)
        case .monitorListIsFull: monitoredUsers.markFull()
        case .monitoredIsOffline:
            guard parameters.count > 1 else { break }
            let gone = parameters[1].split(separator: ",").map { fold(Source(String($0)).nick) }
            for key in gone { members.unwatch(key) }
            guard !nicks.isWanted(by: support.caseMapping) else { break }
            if gone.contains(fold(nicks.wanted)) { return requestFreedNick(at: now) }
        // After registration, 464 is about an `OPER` command.
        case .wrongPassword:
            guard case .registering = phase else { return [.log(.server(parameters.last ?? "the password is wrong"))] }
            return end(.refused(parameters.last ?? "the server's password is wrong"))
        case .bannedFromServer: return end(.refused(parameters.last ?? "banned from the server"))
        case .nickLocked, .authenticated, .authenticationFailed, .authenticationTooLong, .authenticationAborted,
            .alreadyAuthenticated, .mechanisms:
            return handle(authentication.receive(message), at: now)
        }
        return []
    }

    /// Handles that the server refuses a join: its parameters are the robot's nick, the channel and the reason.
    mutating func handleJoinRefusal(_ message: IRCMessage, at now: Duration) -> [Action] {
        let parameters = message.parameters
        guard parameters.count > 1 else { return [] }
        let (name, key) = (parameters[1], fold(parameters[1]))
        guard channelManager.contains(key), !members.has(key) else {
            // This isn't about a join but about a message.
            guard isFirstFailure(to: name) else { return [] }
            return [.log(.notDelivered(to: name, reason: parameters[parameters.count - 1]))]
        }
        if message.numeric == .forwarded, parameters.count > 2, support.isChannel(parameters[2]) {
            forwards[key] = fold(parameters[2])
        }
        let isNew = channelManager.markRefused(key, at: now)
        refusals[key] = channelManager.contains(key) ? message : nil
        let entry = LogEntry.joinRefused(channel: name, reason: parameters[parameters.count - 1])
        return (isNew ? [.log(entry)] : []) + completeJoining(at: now) + flush(at: now)
    }
}
