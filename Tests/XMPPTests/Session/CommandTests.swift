import Testing

@testable import HeybotXMPP

/// Ad-hoc commands (XEP-0050), and what malicious users could try.
@Suite struct CommandTests {
    private static let node = Namespace.commands
    /// The beginning of the session's ids.
    private static let prefix = String(TranscriptPlayer.nonce.prefix(12))

    private static let topics: [AdHocCommand.Field.Option] = [
        AdHocCommand.Field.Option("All", ""), AdHocCommand.Field.Option("Games", "games")
    ]
    private static let commands = [
        AdHocCommand("help", title: "Help", AdHocCommand.Field("topic", "Topic", .choice(topics))),
        AdHocCommand("uptime", title: "Uptime"),
        AdHocCommand(
            "join", title: "Join", AdHocCommand.Field("room", "Room", isRequired: true),
            AdHocCommand.Field("key", "Key", .secret)),
        AdHocCommand("leave", title: "Leave", AdHocCommand.Field("room", "Room", .room, isRequired: true)),
        AdHocCommand("disable", title: "Disable", AdHocCommand.Field("room", "Room", .room, after: "in")),
        AdHocCommand("die", title: "Die", instructions: "Really?")
    ]

    private func stage(_ change: (inout SessionConfiguration) -> Void = { _ in }) -> TranscriptPlayer {
        var profile = SessionConfiguration.marvin
        profile.commands = Self.commands
        change(&profile)
        var stage = TranscriptPlayer(profile)
        stage.play(profile.rooms.isEmpty ? alone : inDev)
        return stage
    }

    private func allow(_ commands: Set<String>, _ number: Int, _ stage: inout TranscriptPlayer) {
        stage.act { $0.allowCommands(commands, for: "\(Self.prefix)-\(number)", at: $1) }
    }

    private func finish(_ text: String, _ number: Int, _ stage: inout TranscriptPlayer) {
        stage.act { session, _ in session.finishCommand("\(Self.prefix)-\(number)", text) ?? [] }
    }

    private func command(
        _ attributes: String, _ payload: String = "", id: String = "1", from user: String = "ada@b.org/x"
    ) -> String {
        "< <iq type='set' id='\(id)' from='\(user)'>"
            + "<commands:command \(attributes)>\(payload)</commands:command></iq>\n"
    }

    private func submitted(_ fields: (String, String)...) -> String {
        let all = fields.map { "<data:field var='\($0)'><data:value>\($1)</data:value></data:field>" }
        return "<data:x type='submit'>\(all.joined())</data:x>"
    }

    private func refusal(
        _ condition: String, _ type: String, fault: String = "", id: String = "1", to user: String = "ada@b.org/x"
    ) -> String {
        let fault = fault.isEmpty ? "" : "<commands:\(fault)/>"
        return "> <iq type='error' id='\(id)' to='\(user)'><error type='\(type)'>"
            + "<stanzas:\(condition)/>\(fault)</error></iq>\n"
    }

    private func fault(_ fault: String, to user: String = "ada@b.org/x") -> String {
        refusal("bad-request", "modify", fault: fault, to: user)
    }

    private func result(_ attributes: String, _ payload: String) -> String {
        "> <iq type='result' id='1' to='ada@b.org/x'>"
            + "<commands:command \(attributes)>\(payload)</commands:command></iq>\n"
    }

    /// Opens a form; its id ends with the next number.
    private func open(_ node: String, as number: Int = 1, _ stage: inout TranscriptPlayer, shows fields: String) {
        stage.play(command("node='\(node)'") + "& \(Self.prefix)-\(number) ada@b.org/x asks for commands")
        allow([node], number, &stage)
        stage.play(
            result(
                "node='\(node)' sessionid='\(Self.prefix)-\(number + 1)' status='executing'",
                "<commands:actions execute='complete'><commands:complete/></commands:actions>"
                    + "<data:x type='form'>\(fields)</data:x>"))
    }

    private static let helpFields = """
        <data:title>Help</data:title><data:field var='topic' type='list-single' label='Topic'><data:value>-</data:value><data:option label='All'>\
        <data:value>-</data:value></data:option><data:option label='Games'><data:value>games</data:value></data:option></data:field>
        """
    private static let joinFields = """
        <data:title>Join</data:title><data:field var='room' type='text-single' label='Room'><data:required/></data:field>\
        <data:field var='key' type='text-private' label='Key'/>
        """

    // MARK: What is offered

    @Test func `the list has the commands that the user may use`() {
        var stage = stage()
        stage.play(
            """
            < <iq type='get' id='1' from='ada@b.org/x'><items:query node='\(Self.node)'/></iq>
            & \(Self.prefix)-1 ada@b.org/x asks for commands
            """)
        allow(["uptime", "help", "echo"], 1, &stage)
        stage.play(
            """
            > <iq type='result' id='1' to='ada@b.org/x'><items:query node='\(Self.node)'><items:item jid='marvin@ship.org/r1' node='help' name='Help'/><items:item jid='marvin@ship.org/r1' node='uptime' name='Uptime'/></items:query></iq>
            """)
        // An answer counts once.
        allow(["uptime"], 1, &stage)
        stage.play("")
    }

    @Test func `the commands describe themselves`() {
        var stage = stage()
        for (node, type, name) in [(Self.node, "command-list", "Commands"), ("help", "command-node", "Help")] {
            stage.play(
                """
                < <iq type='get' id='1' from='ada@b.org/x'><info:query node='\(node)'/></iq>
                > <iq type='result' id='1' to='ada@b.org/x'><info:query node='\(node)'><info:identity category='automation' type='\(type)' name='\(name)'/><info:feature var='\(Self.node)'/><info:feature var='jabber:x:data'/></info:query></iq>
                """)
        }
        #expect(EntityCapabilities.features.contains(Namespace.commands))
    }

    // MARK: Forms

    @Test func `a submitted form is a chat command, and its answer is the result`() {
        var stage = stage()
        open("help", &stage, shows: Self.helpFields)
        let submission = command(
            "node='help' sessionid='\(Self.prefix)-2' action='complete'", submitted(("topic", "games"), ("extra", "x")))
        stage.play(submission + "& \(Self.prefix)-3 ada@b.org/x: help games")
        finish("dice\nfate", 3, &stage)
        stage.play(
            result(
                "node='help' sessionid='\(Self.prefix)-2' status='completed'",
                "<data:x type='result'><data:title>Help</data:title>"
                    + "<data:field var='result' type='text-multi' label='Answer'>"
                    + "<data:value>dice</data:value><data:value>fate</data:value></data:field></data:x>"))
        // A form is submitted once, and a request is answered once.
        stage.play(submission + fault("bad-sessionid"))
        #expect(stage.session.finishCommand("\(Self.prefix)-3", "again") == nil)
    }

    @Test func `a command without fields runs at once, and a line is a note`() {
        var stage = stage()
        stage.play(command("node='uptime' action='execute'") + "& \(Self.prefix)-1 ada@b.org/x asks for commands")
        allow(["uptime"], 1, &stage)
        stage.play("& \(Self.prefix)-3 ada@b.org/x: uptime")
        finish("For ages.", 3, &stage)
        stage.play(
            result(
                "node='uptime' sessionid='\(Self.prefix)-2' status='completed'",
                "<commands:note type='info'>For ages.</commands:note>"))
    }

    @Test func `a command that should be confirmed shows a form without fields`() {
        var stage = stage()
        open(
            "die", &stage,
            shows: "<data:title>Die</data:title><data:instructions>Really?</data:instructions>")
        stage.play(
            command("node='die' sessionid='\(Self.prefix)-2' action='complete'")
                + "& \(Self.prefix)-3 ada@b.org/x: die")
    }

    @Test func `optional values are left out, and blanks don't matter`() {
        for (fields, text) in [
            ([("room", " dev@muc.b.org  "), ("key", "")], "join dev@muc.b.org"),
            ([("room", "dev@muc.b.org"), ("key", "a b")], "join dev@muc.b.org a b")
        ] {
            let values = AdHocCommand.values(in: form(fields)) ?? [:]
            #expect(Self.commands[2].text(values, rooms: []) == text)
        }
        // Of what is typed in, nothing has a meaning of its own.
        #expect(Self.commands[2].text(["room": "dev@muc.b.org", "key": "-"], rooms: []) == "join dev@muc.b.org -")
        let room = jid("dev@muc.ship.org")
        #expect(Self.commands[4].text(["room": "\(room)"], rooms: [room]) == "disable in dev@muc.ship.org")
        #expect(Self.commands[4].text(["room": "\(room)"], rooms: []) == nil)
    }

    @Test func `a room that needn't be chosen can also be all rooms`() {
        let room = jid("dev@muc.ship.org")
        func options(_ command: AdHocCommand) -> [Element] {
            command.element(rooms: [room]).first("field", Namespace.data)?.all("option", Namespace.data) ?? []
        }
        let all = options(Self.commands[4])
        #expect(all.map { $0["label"] ?? "" } == ["All rooms", "dev@muc.ship.org"])
        #expect(all.map { $0.first("value", Namespace.data)?.text ?? "" } == ["-", "dev@muc.ship.org"])
        #expect(Self.commands[4].text(["room": "-"], rooms: [room]) == "disable")
    }

    @Test func `of a required list nothing is chosen before the user does so`() {
        let room = jid("dev@muc.ship.org")
        let field = Self.commands[3].element(rooms: [room]).first("field", Namespace.data)
        #expect(field?.all("option", Namespace.data).map { $0["label"] ?? "" } == ["Choose one", "dev@muc.ship.org"])
        #expect(field?.first("value", Namespace.data)?.text == "-")
        #expect(Self.commands[3].problem(with: ["room": "-"]) == "\"Room\" is missing.")
    }

    @Test func `a form that is shown again has what was entered, but no password`() {
        let form = Self.commands[2].element(rooms: [], values: ["room": "tea@muc.ship.org", "key": "secret"])
        let values = form.all("field", Namespace.data).map { $0.first("value", Namespace.data)?.text }
        #expect(values == ["tea@muc.ship.org", nil])
        let room = jid("dev@muc.ship.org")
        let list = Self.commands[4].element(rooms: [room], values: ["room": "\(room)"]).first("field", Namespace.data)
        #expect(list?.first("value", Namespace.data)?.text == "\(room)")
    }

    @Test func `a form can be canceled`() {
        var stage = stage()
        open("join", &stage, shows: Self.joinFields)
        stage.play(
            command("node='join' sessionid='\(Self.prefix)-2' action='cancel'")
                + result("node='join' sessionid='\(Self.prefix)-2' status='canceled'", "")
                + command("node='join' sessionid='\(Self.prefix)-2' action='complete'") + fault("bad-sessionid"))
    }

    // MARK: Hostile requests

    @Test func `a form is only its user's, at the same device`() {
        var stage = stage()
        open("help", &stage, shows: Self.helpFields)
        let attributes = "node='help' sessionid='\(Self.prefix)-2' action='complete'"
        for user in ["ada@b.org/y", "eve@b.org/x", "ada@e.org/x"] {
            stage.play(command(attributes, from: user) + fault("bad-sessionid", to: user))
            stage.play(
                command("node='help' sessionid='\(Self.prefix)-2' action='cancel'", from: user)
                    + fault("bad-sessionid", to: user))
        }
        // Not that of another command either.
        stage.play(
            command("node='die' sessionid='\(Self.prefix)-2' action='complete'") + fault("bad-sessionid")
                + command("node='help' sessionid='x' action='complete'") + fault("bad-sessionid")
                + command(attributes) + "& \(Self.prefix)-3 ada@b.org/x: help")
    }

    @Test func `unknown nodes and actions`() {
        var stage = stage()
        open("help", &stage, shows: Self.helpFields)
        let form = "node='help' sessionid='\(Self.prefix)-2'"
        stage.play(
            command("node='rm'") + refusal("item-not-found", "cancel")
                + command("") + refusal("item-not-found", "cancel")
                + command("node='help' action='complete'") + fault("bad-action")
                + command("\(form) action='prev'") + fault("bad-action")
                + command("\(form) action='next'") + fault("bad-action")
                + command("\(form) action='hack'") + fault("malformed-action"))
    }

    @Test func `forged values are refused, and the form stays open`() {
        var stage = stage()
        open("help", &stage, shows: Self.helpFields)
        let attributes = "node='help' sessionid='\(Self.prefix)-2' action='complete'"
        let field = "<data:field var='topic'><data:value>games</data:value></data:field>"
        let many = (0...20).map { "<data:field var='f\($0)'/>" }.joined()
        for payload in [
            submitted(("topic", "secrets")), submitted(("topic", "games&#10;die")),
            submitted(("topic", "games"), ("topic", "games")), "<data:x type='submit'>\(many)</data:x>",
            submitted(("other", String(repeating: "x", count: 1_001))), "<data:x>\(field)</data:x>",
            "<data:x type='submit'>\(field.replacing("</data:field>", with: "<data:value/></data:field>"))</data:x>"
        ] {
            stage.play(command(attributes, payload) + fault("bad-payload"))
        }
        stage.play(command(attributes, submitted(("topic", ""))) + "& \(Self.prefix)-3 ada@b.org/x: help")
    }

    @Test func `an option that chooses nothing has a value, because clients crash without one`() {
        var stage = stage()
        open("help", &stage, shows: Self.helpFields)
        stage.play(
            command("node='help' sessionid='\(Self.prefix)-2' action='complete'", submitted(("topic", "-")))
                + "& \(Self.prefix)-3 ada@b.org/x: help")
    }

    @Test func `if a required value is missing, the form is shown again`() {
        var stage = stage()
        open("join", &stage, shows: Self.joinFields)
        let attributes = "node='join' sessionid='\(Self.prefix)-2'"
        for payload in ["", submitted(("key", "k")), submitted(("room", ""))] {
            stage.play(
                command("\(attributes) action='complete'", payload)
                    + result(
                        "\(attributes) status='executing'",
                        "<commands:actions execute='complete'><commands:complete/></commands:actions>"
                            + "<commands:note type='error'>&quot;Room&quot; is missing.</commands:note>"
                            + "<data:x type='form'>\(Self.joinFields)</data:x>"))
        }
        stage.play(
            command("\(attributes) action='complete'", submitted(("room", "tea@muc.ship.org")))
                + "& \(Self.prefix)-3 ada@b.org/x: join tea@muc.ship.org")
    }

    @Test func `a required value can't be missing, and a room has to be one of the robot's`() {
        let room = jid("dev@muc.ship.org")
        for value in ["", "-", "tea@muc.ship.org", "dev@muc.ship.org/ann"] {
            #expect(Self.commands[3].text(["room": value], rooms: [room]) == nil)
        }
        #expect(Self.commands[3].text([:], rooms: [room]) == nil)
        #expect(Self.commands[3].text(["room": "dev@muc.ship.org"], rooms: [room]) == "leave dev@muc.ship.org")
    }

    @Test func `a password in a form isn't logged`() {
        let line = SessionConfiguration.marvin.loggable(form([("room", "tea@muc.b.org"), ("password", "milk")]))
        #expect(line.contains("tea@muc.b.org") && !line.contains("milk"), "\(line)")
    }

    @Test func `a command that the user may not use can't be opened`() {
        var stage = stage()
        stage.play(command("node='die'") + "& \(Self.prefix)-1 ada@b.org/x asks for commands")
        allow(["help", "uptime"], 1, &stage)
        stage.play(refusal("forbidden", "auth"))
    }

    @Test func `users without an address of their own get nothing`() {
        func refused(_ user: String, _ stage: inout TranscriptPlayer) {
            stage.play(
                """
                < <iq type='get' id='1' from='\(user)'><items:query node='\(Self.node)'/></iq>
                > <iq type='result' id='1' to='\(user)'><items:query node='\(Self.node)'/></iq>

                """ + command("node='help'", from: user) + refusal("forbidden", "auth", to: user))
        }
        var inRoom = stage { $0.rooms = SessionConfiguration.inDev().rooms }
        for user in ["dev@muc.ship.org/ann", "dev@muc.ship.org/eve", "tea@muc.ship.org/eve", "marvin@ship.org/r2"] {
            refused(user, &inRoom)
        }
        var closed = stage { $0.contacts = .only([jid("bob@b.org")]) }
        refused("ada@b.org/x", &closed)
    }

    // MARK: Limits

    @Test func `a command that takes long is answered by a message`() {
        var stage = stage()
        stage.play(command("node='uptime'") + "& \(Self.prefix)-1 ada@b.org/x asks for commands")
        allow(["uptime"], 1, &stage)
        stage.play(
            "& \(Self.prefix)-3 ada@b.org/x: uptime\n+ 14999\n+ 1\n"
                + result(
                    "node='uptime' sessionid='\(Self.prefix)-2' status='completed'",
                    "<commands:note type='info'>I'm still working on that. I'll send you the answer as a message."
                        + "</commands:note>"))
        #expect(stage.session.finishCommand("\(Self.prefix)-3", "late") == nil)
    }

    @Test func `a request that the owner doesn't answer fails`() {
        var stage = stage()
        stage.play(
            command("node='help'") + "& \(Self.prefix)-1 ada@b.org/x asks for commands\n+ 15000\n"
                + refusal("resource-constraint", "wait"))
        allow(["help"], 1, &stage)
        stage.play("")
    }

    @Test func `a form that nobody submits expires`() {
        var stage = stage()
        open("help", &stage, shows: Self.helpFields)
        for _ in 0..<13 { stage.play("+ 50000\n< <presence from='bob@b.org'/>") }
        stage.play(command("node='help' sessionid='\(Self.prefix)-2' action='complete'") + fault("bad-sessionid"))
    }

    @Test func `a user can have five forms and five requests`() {
        var stage = stage()
        for number in [1, 3, 5, 7, 9, 11] { open("help", as: number, &stage, shows: Self.helpFields) }
        stage.play(command("node='help' sessionid='\(Self.prefix)-2' action='complete'") + fault("bad-sessionid"))
        for number in 13...17 {
            stage.play(command("node='help'") + "& \(Self.prefix)-\(number) ada@b.org/x asks for commands")
        }
        stage.play(command("node='help'") + refusal("resource-constraint", "wait"))
        // Others aren't affected.
        stage.play(
            command("node='help'", from: "bob@b.org/x") + "& \(Self.prefix)-18 bob@b.org/x asks for commands")
    }

    @Test func `many users with many forms close no form of a user with one`() {
        var sessions = CommandSessions()
        let bob = sessions.open(Self.commands[0], for: jid("bob@b.org/x"), prefix: "form", at: .zero)
        for number in 1...60 {
            for _ in 1...5 {
                _ = sessions.open(Self.commands[0], for: jid("eve\(number)@e.org/x"), prefix: "form", at: .zero)
            }
        }
        #expect(sessions.command(bob, of: jid("bob@b.org/x")) == Self.commands[0])
        #expect(sessions.command("form-2", of: jid("eve1@e.org/x")) == nil)
        #expect(sessions.command("form-301", of: jid("eve60@e.org/x")) == Self.commands[0])
        let open = (1...301).count { number in
            (1...60).contains { sessions.command("form-\(number)", of: jid("eve\($0)@e.org/x")) != nil }
        }
        #expect(open == 199)
    }

    private func form(_ fields: [(String, String)]) -> Element {
        var form = Element("x", Namespace.data, ["type": "submit"])
        for (name, value) in fields {
            form.append(
                Element("field", Namespace.data, ["var": name], Element("value", Namespace.data, text: value)))
        }
        return form
    }
}
