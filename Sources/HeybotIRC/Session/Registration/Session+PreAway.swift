// Marks the robot as away until it is ready (IRCv3 draft/pre-away).

extension Session {
    /// Marks the robot as away during registration, if the server supports that.
    mutating func markAway() -> [Action] {
        guard capabilities.has("draft/pre-away"), !isMarkedAway else { return [] }
        isMarkedAway = true
        return [.send(IRCMessage("AWAY", "*"))]
    }

    /// Marks the robot as no longer away.
    mutating func markPresent(at now: Duration) -> [Action] {
        guard isMarkedAway else { return [] }
        isMarkedAway = false
        return sendNow(IRCMessage("AWAY"), at: now)
    }
}
