/// A command with its time after it, as people write it: `weather in Rome every day at 9:00 in #dev`.
struct CommandBeforeTime: Hashable, Sendable {
    let command: Substring
    /// The room's name; nil for the room in which the command is given.
    let room: Substring?
    /// The command and the time.
    let text: Substring

    /// - Parameter networks: The names of the robot's adapters, for rooms such as `irc:#dev`.
    /// - Returns: Nil if no words that name a time, clear or not, follow the command.
    init?(_ typed: Substring, networks: [String]) {
        guard typed.utf8.count <= CommandSchedule.longest + 500 else { return nil }
        let placed = PlacedCommand(typed, networks: networks)
        guard let words = DateDialog.timeWords(in: placed.command),
            let range = placed.command.ranges(of: words).last
        else { return nil }
        var rest = placed.command[..<range.lowerBound]
        while let last = rest.last, last.isWhitespace || last == "," { rest.removeLast() }
        guard !rest.isEmpty else { return nil }
        text = placed.command
        if placed.room == nil {
            // The room may precede the time.
            let inner = PlacedCommand(rest, networks: networks)
            (command, room) = (inner.command, inner.room)
        } else {
            (command, room) = (rest, placed.room)
        }
    }
}
