import Heybot

extension Response {
    /// What a command begins with where the message came from: in a room, the robot's name.
    var commandPrefix: String { message.room.isPrivate ? "" : "\(robot.name) " }

    /// A sentence that says how to get help, with the command as one says it where the message came from.
    var helpHint: String { "Say \"\(commandPrefix)help\" to see what I can do." }
}
