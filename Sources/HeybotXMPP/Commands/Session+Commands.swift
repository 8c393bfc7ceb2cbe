// Lets users give chat commands by forms in their clients (XEP-0050).

extension Session {
    /// What users read if a command takes longer than clients wait.
    private static let isStillRunning = "I'm still working on that. I'll send you the answer as a message."

    /// Whether the owner has to say first which commands the user may use.
    private static func needsPermission(_ purpose: AdHocCommands.Purpose) -> Bool {
        if case .run = purpose { false } else { true }
    }

    // MARK: Service discovery

    /// Returns the answer to a disco#info query about the commands; nil if its node is none of them.
    func commandInfo(_ query: Element) -> Element? {
        guard let node = query["node"] else { return nil }
        let (type, name): (String, String)
        if node == Namespace.commands {
            (type, name) = ("command-list", "Commands")
        } else if let form = configuration.commands.first(where: { $0.command == node }) {
            (type, name) = ("command-node", form.title)
        } else {
            return nil
        }
        return Element(
            "query", Namespace.discoInfo, ["node": node],
            Element("identity", Namespace.discoInfo, ["category": "automation", "type": type, "name": name]),
            Element("feature", Namespace.discoInfo, ["var": Namespace.commands]),
            Element("feature", Namespace.discoInfo, ["var": Namespace.data]))
    }

    /// Answers the query for the list of commands, once the owner has told which of them the user may use.
    mutating func listCommands(_ iq: Element, from sender: JID?, at now: Duration) -> [Action] {
        guard let user = commandUser(iq, sender) else { return [Self.commandList([], of: address, to: iq)] }
        return request(.list, "", iq, by: user, at: now)
    }

    private static func commandList(_ forms: [CommandForm], of address: JID, to iq: Element) -> Action {
        var query = Element("query", Namespace.discoItems, ["node": Namespace.commands])
        for form in forms {
            let item: Attributes = ["jid": address.description, "node": form.command, "name": form.title]
            query.append(Element("item", Namespace.discoItems, item))
        }
        return result(query, to: iq)
    }

    // MARK: Commands

    /// Handles a request to open, submit or cancel a form.
    mutating func handleCommand(
        _ command: Element, in iq: Element, from sender: JID?, at now: Duration
    ) -> [Action] {
        guard let user = commandUser(iq, sender) else { return [Self.error(.forbidden, "auth", to: iq)] }
        guard let form = configuration.commands.first(where: { $0.command == command["node"] }) else {
            return [Self.error(.itemNotFound, to: iq)]
        }
        let action = command["action"] ?? "execute"
        guard let id = command["sessionid"] else {
            guard action == "execute" else { return [Self.refusal("bad-action", to: iq)] }
            return request(.open(form), "", iq, by: user, at: now)
        }
        guard adHocCommands.form(id, of: user) == form else { return [Self.refusal("bad-sessionid", to: iq)] }
        switch action {
        case "cancel":
            adHocCommands.close(id)
            return [Self.commandResult(form, id, "canceled", to: iq)]
        case "execute", "complete":
            var values: [String: String] = [:]
            if let submitted = command.first("x", Namespace.data) {
                guard let read = CommandForm.values(in: submitted) else { return [Self.refusal("bad-payload", to: iq)] }
                values = read
            }
            guard let text = form.text(values, rooms: joined) else { return [Self.refusal("bad-payload", to: iq)] }
            let actions = request(.run(form, openForm: id), text, iq, by: user, at: now)
            // It runs once.
            if case .serve = actions.first { adHocCommands.close(id) }
            return actions
        case "prev", "next": return [Self.refusal("bad-action", to: iq)]
        default: return [Self.refusal("malformed-action", to: iq)]
        }
    }

    /// Answers a request with the commands that its user may use.
    ///
    /// The commands themselves check that again when they run.
    ///
    /// - Parameter commands: The words of each command before its first placeholder.
    package mutating func allowCommands(_ commands: Set<String>, for id: String, at now: Duration) -> [Action] {
        guard isOnline, let request = adHocCommands.take(id, where: Self.needsPermission) else { return [] }
        switch request.purpose {
        case .list:
            let forms = configuration.commands.filter { commands.contains($0.command) }
            return [Self.commandList(forms, of: address, to: request.iq)]
        case .open(let form):
            guard commands.contains(form.command) else { return [Self.error(.forbidden, "auth", to: request.iq)] }
            if form.isImmediate {
                let run = AdHocCommands.Purpose.run(form, openForm: adHocCommands.nextID(idPrefix))
                return self.request(run, form.command, request.iq, by: request.user, at: now)
            }
            let open = adHocCommands.open(form, for: request.user, prefix: idPrefix, at: now)
            let actions = Element(
                "actions", Namespace.commands, ["execute": "complete"], Element("complete", Namespace.commands))
            return [
                Self.commandResult(form, open, "executing", actions, form.element(rooms: joined), to: request.iq)
            ]
        case .run: return []
        }
    }

    /// Answers a request with the result of its command.
    ///
    /// - Returns: Nil if nobody waits for the answer any more.
    package mutating func finishCommand(_ id: String, _ text: String) -> [Action]? {
        guard isOnline, let request = adHocCommands.take(id, where: { !Self.needsPermission($0) }),
            case .run(let form, let open) = request.purpose
        else { return nil }
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
        return [
            Self.commandResult(
                form, open, "completed", lines.count == 1 ? Self.note(text) : form.result(lines), to: request.iq)
        ]
    }

    /// Handles that a command takes too long, and closes forms that nobody has submitted.
    mutating func expireCommands(at now: Duration) -> [Action] {
        adHocCommands.expire(at: now).map { request in
            guard case .run(let form, let open) = request.purpose else {
                return Self.error(.resourceConstraint, "wait", to: request.iq)
            }
            return Self.commandResult(form, open, "completed", Self.note(Self.isStillRunning), to: request.iq)
        }
    }

    // MARK: Details

    /// Returns the full address of the user who sends a request; nil if the user may give no commands by forms.
    ///
    /// As with direct messages, users must be identified by their own addresses; occupants of rooms aren't.
    private func commandUser(_ iq: Element, _ sender: JID?) -> JID? {
        guard let sender, sender.local != nil, sender.bare != address.bare, rooms[sender.bare] == nil,
            sender.isIdentifying(iq["from"]), !services.hidesPeople(at: sender.domain),
            configuration.contacts.include(sender.bare)
        else { return nil }
        return sender
    }

    private mutating func request(
        _ purpose: AdHocCommands.Purpose, _ text: String, _ iq: Element, by user: JID, at now: Duration
    ) -> [Action] {
        guard let iqID = Self.bounded(iq["id"]) else { return [Self.error(.badRequest, "modify", to: iq)] }
        var head = Element("iq", Namespace.client, ["id": iqID])
        head["from"] = iq["from"]
        guard let id = adHocCommands.begin(head, of: user, purpose, prefix: idPrefix, at: now) else {
            return [Self.error(.resourceConstraint, "wait", to: iq)]
        }
        return [.serve(CommandRequest(id: id, by: user, text, isRun: !Self.needsPermission(purpose)))]
    }

    private static func commandResult(
        _ form: CommandForm, _ openForm: String, _ status: String, _ parts: Element..., to iq: Element
    ) -> Action {
        var command = Element(
            "command", Namespace.commands, ["node": form.command, "sessionid": openForm, "status": status])
        for part in parts { command.append(part) }
        return result(command, to: iq)
    }

    private static func note(_ text: String) -> Element {
        Element("note", Namespace.commands, ["type": "info"], text: text)
    }

    /// Returns the error for a request with this fault (XEP-0050 section 4.4).
    private static func refusal(_ fault: String, to iq: Element) -> Action {
        var error = StanzaError(type: "modify", condition: .badRequest).element
        error.append(Element(fault, Namespace.commands))
        var answer = reply("error", to: iq)
        answer.append(error)
        return .send(answer)
    }
}
