// Lists a channel's members again after a change of its modes, which may have hidden some.

extension Session {
    /// Handles a change of a channel's modes.
    ///
    /// It may hide some members from the robot, such as InspIRCd's auditorium mode does: then nobody sees them leave, and their
    /// nicks can change hands. So what is known about them isn't trusted until the server lists them again. A change that may
    /// show them again doesn't say whether they are the same, so it needs a list too.
    mutating func handleModes(_ modes: [String], in channel: String) -> [Action] {
        guard
            members.handleModes(modes, in: channel, support, own: fold(nick), before: accountQueries.next)
        else { return [] }
        certificateQueries.forget { [members] in members.channels[channel]?[$0]?.mayBeHidden == true }
        // There, nothing is trusted anyway.
        if members.isInvited(channel) { return [] }
        accountQueries.scheduleResync(channel, at: now)
        sendResyncQueries(at: now)
        return flush(at: now)
    }

    /// Queries the members of the channels whose modes have changed.
    mutating func sendResyncQueries(at now: Duration) {
        for channel in accountQueries.takeDueResyncs(at: now) {
            guard members.has(channel) else {
                accountQueries.endResync(of: channel)
                continue
            }
            let name = members.name(of: channel)
            if support.hasWHOX {
                queue.put(.who(name), in: Self.queryFlow("WHO", nil))
            } else {
                // It shows no accounts, but who is visible.
                queue.put(IRCMessage("NAMES", name))
            }
        }
    }
}
