// Finds out who is or was behind a nick that isn't in a channel, to ban that user.

/// A user who isn't in a channel, as `WHOIS` or `WHOWAS` shows them.
package struct AbsentUser: Hashable, Sendable {
    /// The account, if the server shows one.
    package internal(set) var account: String?
    /// The user name, with a leading `~` if it isn't verified by ident.
    package let user: String
    /// The host.
    package let host: String
}

/// What a query for an absent user has found out.
package enum AbsentUserAnswer: Hashable, Sendable {
    /// This user has the nick, or had it last.
    case found(AbsentUser)
    /// The server knows nobody with that nick.
    case nobody
    /// The server didn't answer, or couldn't be asked.
    case unknown
}

/// A query for the user who has a nick elsewhere on the network, or who had it last: `WHOIS` and `WHOWAS`.
struct AbsentUserQuery: Sendable {
    /// The time for both answers.
    static let timeout: Duration = .seconds(8)

    /// The name by which the session's owner knows it.
    let name: String
    let nick: String
    let deadline: Duration
    /// The first user that the server has shown.
    private(set) var found: AbsentUser?
    /// Whether further lines of the answer are about that user.
    private var isOpen = false

    init(of nick: String, as name: String, until deadline: Duration) {
        (self.nick, self.name, self.deadline) = (nick, name, deadline)
    }

    /// What a line means for a query.
    enum Step { case ignored, taken, ended }

    /// The answer after the last line.
    var answer: AbsentUserAnswer { found.map(AbsentUserAnswer.found) ?? .nobody }

    /// Handles a numeric reply, which is about the nick unless it is an error.
    mutating func receive(_ number: Int, _ parameters: [String]) -> Step {
        switch number {
        // RPL_WHOISUSER and RPL_WHOWASUSER. The latter are in order, the latest first, and may be another user.
        case 311, 314:
            isOpen = found == nil && parameters.count > 3
            if isOpen { found = AbsentUser(account: nil, user: parameters[2], host: parameters[3]) }
            return number == 314 ? .taken : .ignored
        // RPL_WHOISACCOUNT.
        case 330:
            if isOpen, parameters.count > 2 { found?.account = parameters[2] }
            return .ignored
        // RPL_ENDOFWHOIS.
        case 318:
            isOpen = false
            return .ignored
        // ERR_NOSUCHNICK and ERR_WASNOSUCHNICK: RPL_ENDOFWHOWAS follows.
        case 401, 406: return .taken
        case 369: return .ended
        default: return .ignored
        }
    }
}

extension Session {
    /// Asks who has a nick elsewhere on the network, or had it last; the answer arrives as ``Action/absent(_:_:)`` with this
    /// name.
    ///
    /// One query is made at a time; the answer to a further one is ``AbsentUserAnswer/unknown``.
    package mutating func lookUpAbsent(_ nick: String, as name: String, at now: Duration) -> [Action] {
        // A server would take a mask or a list for something else.
        let isWord = nick.utf8.allSatisfy { $0 > .space && $0 != .comma && $0 != 0x7f }
        let isMask = nick.utf8.contains { $0 == UInt8(ascii: "*") || $0 == UInt8(ascii: "?") }
        guard isWord, !isMask, nick.utf8.first != .colon, (1...100).contains(nick.utf8.count) else {
            return [.absent(name, .nobody)]
        }
        guard isOnline, absentUserQuery == nil else { return [.absent(name, .unknown)] }
        absentUserQuery = AbsentUserQuery(of: nick, as: name, until: now + AbsentUserQuery.timeout)
        return sendNow(IRCMessage("WHOIS", nick), at: now) + sendNow(IRCMessage("WHOWAS", nick, "1"), at: now)
    }

    /// Handles a numeric reply to the query.
    ///
    /// - Returns: Nil if the reply means something else too.
    mutating func handleAbsentUserReply(_ message: IRCMessage) -> [Action]? {
        guard let query = absentUserQuery, let number = Int(message.command), message.parameters.count > 1 else {
            return nil
        }
        // ERR_UNKNOWNCOMMAND and RPL_TRYAGAIN name the command.
        let command = message.parameters[1].uppercased()
        if number == 421, command == "WHOWAS" { return endAbsentUserQuery(query.answer) }
        if number == 263, command == "WHOWAS" || command == "WHOIS" { return endAbsentUserQuery(.unknown) }
        guard fold(message.parameters[1]) == fold(query.nick) else { return nil }
        switch absentUserQuery?.receive(number, message.parameters) {
        case .taken: return []
        case .ended: return endAbsentUserQuery(query.answer)
        case .ignored, nil: return nil
        }
    }

    /// Ends the query if it took too long.
    mutating func expireAbsentUserQuery(at now: Duration) -> [Action] {
        guard let query = absentUserQuery, query.deadline <= now else { return [] }
        return endAbsentUserQuery(query.found.map(AbsentUserAnswer.found) ?? .unknown)
    }

    private mutating func endAbsentUserQuery(_ answer: AbsentUserAnswer) -> [Action] {
        guard let query = absentUserQuery else { return [] }
        absentUserQuery = nil
        return [.absent(query.name, answer)]
    }
}
