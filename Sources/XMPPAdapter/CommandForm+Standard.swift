import HeybotXMPP

extension CommandForm {
    /// The chat commands that users can give by forms: help, and administration.
    ///
    /// A user is offered those that the robot has, and that the user may use.
    static let standard: [CommandForm] = [
        CommandForm(
            "help", title: "Help",
            Field(
                "topic", "Topic",
                .choice([
                    Field.Option("All", ""), Field.Option("Look things up", "lookup"),
                    Field.Option("People and karma", "people"), Field.Option("Chat and fun", "fun"),
                    Field.Option("Work", "work"), Field.Option("Administration", "admin"),
                    Field.Option("Other commands", "other")
                ]))),
        CommandForm("adapters", title: "Networks I'm on"),
        CommandForm("uptime", title: "How long I've been up"),
        CommandForm("scripts", title: "My scripts"),
        CommandForm(
            "join", title: "Join a room", Field("room", "Room, such as dev@conference.example.org", isRequired: true),
            Field("password", "Password, if the room has one", .secret)),
        CommandForm("leave", title: "Leave a room", Field("room", "Room", .room, isRequired: true)),
        CommandForm(
            "disable", title: "Disable a script", Field("script", "Script, such as Rules", isRequired: true),
            Field("room", "Only in this room", .room, after: "in")),
        CommandForm(
            "enable", title: "Enable a script", Field("script", "Script, such as Rules", isRequired: true),
            Field("room", "Only in this room", .room, after: "in")),
        CommandForm("blocks", title: "Blocked addresses"),
        CommandForm("block", title: "Block an address", Field("address", "Address or domain", isRequired: true)),
        CommandForm("unblock", title: "Unblock an address", Field("address", "Address or domain", isRequired: true)),
        CommandForm("die", title: "Shut down", instructions: "Shall I shut down?")
    ]
}
