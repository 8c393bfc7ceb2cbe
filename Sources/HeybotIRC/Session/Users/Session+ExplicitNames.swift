// Asks for the members of channels if the server doesn't list them after a join (IRCv3 no-implicit-names).

extension Session {
    /// Asks for the members of a channel that the robot has just joined, unless the server lists them anyway.
    ///
    /// These requests take turns with answers to users: in many channels the robot can answer sooner.
    mutating func requestNames(of channel: String) {
        guard capabilities.hasAny(of: Capabilities.withoutNames) else { return }
        queue.put(.onBehalf(IRCMessage("NAMES", channel)), in: Self.queryFlow("NAMES", nil))
    }
}
