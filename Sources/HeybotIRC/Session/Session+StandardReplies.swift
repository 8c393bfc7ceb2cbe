// Handles errors, warnings and notes in words (IRCv3 standard replies).

extension Session {
    /// Handles `FAIL`, `WARN` or `NOTE`: the command that it is about, a code, the context, and a description.
    ///
    /// - Parameter answered: The line that it answers; nil if it answers none.
    mutating func handleStandardReply(
        _ message: IRCMessage, about answered: OutgoingMessage?, at now: Duration
    ) -> [Action] {
        guard message.parameters.count > 2 else { return [] }
        let command = message.parameters[0].uppercased()
        let context = message.parameters.dropFirst(2).dropLast()
        let reason = message.parameters[message.parameters.count - 1]
        let about = command == "*" ? message.parameters[1] : "\(command) \(message.parameters[1])"
        let entry = LogEntry.serverNote("\(about): \(reason)")
        guard message.command == "FAIL" else { return [.log(entry)] }
        if let answered {
            return isFirstFailure(to: answered.target) ? [.log(.notDelivered(to: answered.target, reason: reason))] : []
        }
        switch command {
        case "CHATHISTORY":
            // The robot does without.
            for key in context.map({ fold($0) }) { history?.forget(key) }
            if context.contains(where: { $0.uppercased() == "TARGETS" }) { history?.forgetTargets() }
            return [.log(entry)]
        case "JOIN":
            if let channel = context.first(where: { channelManager.contains(fold($0)) && !members.has(fold($0)) }) {
                return handleJoinRefusal(IRCMessage("FAIL", nick, channel, reason), at: now)
            }
        default: break
        }
        return [.log(.server("\(about): \(reason)"))]
    }
}
