// Lets users give ad-hoc commands, by forms in their clients (XEP-0050).

extension Session {
    /// What users read if a command takes longer than clients wait.
    private static let isStillRunning = "I'm still working on that. I'll send you the answer as a message."

    /// Whether the owner has to say first which commands the user may use.
    private static func needsPermission(_ purpose: CommandSessions.Purpose) -> Bool {
        if case .run = purpose { false } else { true }
    }

    // MARK: Service discovery

    /// Returns the answer to a disco#info query about the commands; nil if its node is none of them.
    func commandInfo(_ query: Element) -> Element? {
        guard let node = query["node"] else { return nil }
        let (type, name): (String, String)
        if node == Namespace.commands {
            (type, name) = ("command-list", "Commands")
        } else if let command = configuration.commands.first(where: { $0.node == node }) {
            (type, name) = ("command-node", command.title)
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

    private static func commandList(_ commands: [AdHocCommand], of address: JID, to iq: Element) -> Action {
        var query = Element("query", Namespace.discoItems, ["node": Namespace.commands])
        for command in commands {
            let item: Attributes = ["jid": address.description, "node": command.node, "name": command.title]
            query.append(Element("item", Namespace.discoItems, item))
        }
        return result(query, to: iq)
    }

    // MARK: Commands

    /// Handles a request to open a command's session, to submit its form, or to cancel it.
    mutating func handleCommand(
        _ element: Element, in iq: Element, from sender: JID?, at now: Duration
    ) -> [Action] {
        guard let user = commandUser(iq, sender) else { return [Self.error(.forbidden, "auth", to: iq)] }
        guard let command = configuration.commands.first(where: { $0.node == element["node"] }) else {
            return [Self.error(.itemNotFound, to: iq)]
        }
        let action = element["action"] ?? "execute"
        guard let id = element["sessionid"] else {
            guard action == "execute" else { return [Self.refusal("bad-action", to: iq)] }
            return request(.open(command), "", iq, by: user, at: now)
        }
        guard commandSessions.command(id, of: user) == command else { return [Self.refusal("bad-sessionid", to: iq)] }
        switch action {
        case "cancel":
            commandSessions.close(id)
            return [Self.commandResult(command, id, "canceled", to: iq)]
        case "execute", "complete":
            var values: [String: String] = [:]
            if let submitted = element.first("x", Namespace.data) {
                guard let read = AdHocCommand.values(in: submitted) else {
                    return [Self.refusal("bad-payload", to: iq)]
                }
                values = read
            }
            if let problem = command.problem(with: values) {
                return [form(command, id, values, Self.note(problem, isError: true), to: iq)]
            }
            guard let text = command.text(values, rooms: joined) else { return [Self.refusal("bad-payload", to: iq)] }
            let actions = request(.run(command, session: id), text, iq, by: user, at: now)
            // It runs once.
            if case .serve = actions.first { commandSessions.close(id) }
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
        guard isOnline, let request = commandSessions.take(id, where: Self.needsPermission) else { return [] }
        switch request.purpose {
        case .list:
            let allowed = configuration.commands.filter { commands.contains($0.node) }
            return [Self.commandList(allowed, of: address, to: request.iq)]
        case .open(let command):
            guard commands.contains(command.node) else { return [Self.error(.forbidden, "auth", to: request.iq)] }
            if command.isImmediate {
                let run = CommandSessions.Purpose.run(command, session: commandSessions.nextID(idPrefix))
                return self.request(run, command.node, request.iq, by: request.user, at: now)
            }
            let session = commandSessions.open(command, for: request.user, prefix: idPrefix, at: now)
            return [form(command, session, to: request.iq)]
        case .run: return []
        }
    }

    /// Answers a request with the result of its command.
    ///
    /// - Returns: Nil if nobody waits for the answer any more.
    package mutating func finishCommand(_ id: String, _ text: String) -> [Action]? {
        guard isOnline, let request = commandSessions.take(id, where: { !Self.needsPermission($0) }),
            case .run(let command, let session) = request.purpose
        else { return nil }
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
        return [
            Self.commandResult(
                command, session, "completed", lines.count == 1 ? Self.note(text) : command.result(lines),
                to: request.iq)
        ]
    }

    /// Handles that a command takes too long, and closes sessions whose form nobody has submitted.
    mutating func expireCommands(at now: Duration) -> [Action] {
        commandSessions.expire(at: now).map { request in
            guard case .run(let command, let session) = request.purpose else {
                return Self.error(.resourceConstraint, "wait", to: request.iq)
            }
            return Self.commandResult(command, session, "completed", Self.note(Self.isStillRunning), to: request.iq)
        }
    }

    // MARK: Details

    /// Returns the full address of the user who sends a request; nil if the user may give no ad-hoc commands.
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
        _ purpose: CommandSessions.Purpose, _ text: String, _ iq: Element, by user: JID, at now: Duration
    ) -> [Action] {
        guard let iqID = Self.bounded(iq["id"]) else { return [Self.error(.badRequest, "modify", to: iq)] }
        var head = Element("iq", Namespace.client, ["id": iqID])
        head["from"] = iq["from"]
        guard let id = commandSessions.begin(head, of: user, purpose, prefix: idPrefix, at: now) else {
            return [Self.error(.resourceConstraint, "wait", to: iq)]
        }
        return [.serve(CommandRequest(id: id, by: user, text, isRun: !Self.needsPermission(purpose)))]
    }

    /// Shows a form to fill in.
    private func form(
        _ command: AdHocCommand, _ session: String, _ values: [String: String] = [:], _ notes: Element...,
        to iq: Element
    ) -> Action {
        let actions = Element(
            "actions", Namespace.commands, ["execute": "complete"], Element("complete", Namespace.commands))
        let parts = [actions] + notes + [command.element(rooms: joined, values: values)]
        return Self.commandResult(command, session, "executing", parts, to: iq)
    }

    private static func commandResult(
        _ command: AdHocCommand, _ session: String, _ status: String, _ parts: Element..., to iq: Element
    ) -> Action {
        commandResult(command, session, status, parts, to: iq)
    }

    private static func commandResult(
        _ command: AdHocCommand, _ session: String, _ status: String, _ parts: [Element], to iq: Element
    ) -> Action {
        var element = Element(
            "command", Namespace.commands, ["node": command.node, "sessionid": session, "status": status])
        for part in parts { element.append(part) }
        return result(element, to: iq)
    }

    private static func note(_ text: String, isError: Bool = false) -> Element {
        Element("note", Namespace.commands, ["type": isError ? "error" : "info"], text: text)
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
