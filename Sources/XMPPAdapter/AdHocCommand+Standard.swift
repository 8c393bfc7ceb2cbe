import HeybotXMPP

extension AdHocCommand {
    /// The standard ad-hoc commands: help, and administration.
    ///
    /// A user is offered those that the robot has, and that the user may use.
    static let standard: [AdHocCommand] = [
        AdHocCommand(
            "help", title: "Help",
            Field(
                "topic", "Topic",
                .choice([
                    Field.Option("Overview", ""), Field.Option("Look things up", "lookup"),
                    Field.Option("People and karma", "people"), Field.Option("Chat and fun", "fun"),
                    Field.Option("Work", "work"), Field.Option("Administration", "admin"),
                    Field.Option("Other commands", "other"), Field.Option("All commands", "all")
                ]))),
        AdHocCommand("adapters", title: "Networks I'm on"),
        AdHocCommand("uptime", title: "How long I've been up"),
        AdHocCommand("scripts", title: "My scripts"),
        AdHocCommand(
            "join", title: "Join a room", Field("room", "Room, such as dev@conference.example.org", isRequired: true),
            Field("password", "Password, if the room has one", .secret)),
        AdHocCommand("leave", title: "Leave a room", Field("room", "Room", .room, isRequired: true)),
        AdHocCommand(
            "disable", title: "Disable a script", Field("script", "Script, such as Rules", isRequired: true),
            Field("room", "Only in this room", .room, after: "in")),
        AdHocCommand(
            "enable", title: "Enable a script", Field("script", "Script, such as Rules", isRequired: true),
            Field("room", "Only in this room", .room, after: "in")),
        AdHocCommand("blocks", title: "Blocked addresses"),
        AdHocCommand("block", title: "Block an address", Field("address", "Address or domain", isRequired: true)),
        AdHocCommand("unblock", title: "Unblock an address", Field("address", "Address or domain", isRequired: true)),
        AdHocCommand("die", title: "Shut down", instructions: "Shall I shut down?")
    ]
}
