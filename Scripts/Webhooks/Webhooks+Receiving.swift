import Heybot
import Logging

// Receives payloads, and posts them in the rooms of their webhooks.

extension Webhooks {
    /// Emitted when the summary of a webhook is due, with the webhook's name.
    private static let summaryDue = ScriptEvent<String>("webhooks.summaryDue")
    /// The maximum size of a payload in bytes, enough for about 10,000 alerts.
    private static let largestPayload = 4 << 20
    /// The maximum size of a payload from GitHub in bytes: its parser is slower, and needn't read long lists of alerts.
    private static let largestGitHubPayload = 1 << 20

    /// Registers the route of the webhooks.
    ///
    /// - Parameter startsServer: Whether the web server is started because of the route.
    func registerRoute(_ gates: StormGates, startsServer: Bool, on robot: inout RobotBuilder) {
        robot.post("/webhooks/:webhook/:secret", limit: Self.largestPayload, startsServer: startsServer) { request in
            try await Self.answer(request, gates)
        }

        robot.on(Self.summaryDue) { name, robot in
            guard let name = WebhookName(name) else { return }
            try await Self.postSummary(of: name, robot, gates)
        }

        let summaries = PendingSummaries(gates: gates)
        robot.accompany(
            with: RobotCompanion(
                start: { robot in
                    for name in await summaries.load(robot) { Self.setTimer(name, robot) }
                }, stop: { await summaries.store($0) }))
    }

    private static func answer(_ request: WebRequest, _ gates: StormGates) async throws -> WebResponse {
        let robot = request.robot
        let directory = WebhookDirectory(brain: request.brain)
        // Wrong names and wrong secrets get the same response.
        guard let name = WebhookName(request.parameters.webhook), let webhook = try await directory.webhook(name),
            webhook.accepts(request.parameters.secret)
        else { throw WebRefusal(404, "There is no such webhook: it was revoked, or the address is incomplete.") }
        let room = Room(id: webhook.room)
        guard robot.switches.isOn(request.route.script, in: room) else {
            throw WebRefusal(403, "The script \(request.route.script) is disabled in this webhook's room.")
        }
        guard await robot.isIn(room) != false else { throw WebRefusal(503, "I'm not in this webhook's room.") }
        let notice: Notice
        switch try read(request, gates.use(name) { $0.failingChecks }) {
        case .ignored(let reason): return .text("ignored: \(reason)\n", status: 202)
        case .notice(let read): notice = read
        }
        let (decision, changes) = gates.use(name) {
            $0.admit(notice, label: name.label(of: notice), at: robot.date)
        }
        switch decision {
        case .skip: break
        case .summarize(let isNew): if isNew { setTimer(name, robot) }
        case .post(let lines):
            do {
                try await robot.messageRoom(webhook.room, lines.joined(separator: "\n"))
            } catch {
                gates.use(name) { $0.revert(notice, changes) }
                request.logger.warning("couldn't post in a room: \(error)", metadata: ["room": "\(webhook.room)"])
                throw WebRefusal(503, "I can't post in this webhook's room right now.")
            }
        }
        guard let keys = notice.unknownKeys else { return .text("ok") }
        let list = keys.joined(separator: ", ")
        return .text("I don't know this format, so I posted only its keys: \(list)\n", status: 202)
    }

    /// Reads a request, also one from GitHub, whose events have a script of their own.
    private static func read(_ request: WebRequest, _ failing: GitHub.FailingChecks) throws(WebRefusal) -> Reading {
        let payload = try Payload(request)
        // Gitea names its events for GitHub's receivers too.
        guard Gitea.event(of: payload) == nil, let event = payload.header("X-GitHub-Event") else {
            return read(payload)
        }
        guard request.body.count <= largestGitHubPayload else {
            throw WebRefusal(413, "A payload from GitHub may have at most \(largestGitHubPayload >> 10) KiB here.")
        }
        // GitHub's script decodes the bytes. They must be the text that was checked.
        guard !request.body.contains(0), request.body.elementsEqual(request.text.utf8) else {
            throw WebRefusal(415, "Send the payload in UTF-8.")
        }
        guard let announcement = try GitHub.EventAnnouncement.read(event, request, failing) else {
            return .ignored("I don't post this \(Webhooks.safeLine(event, limit: 60)) event")
        }
        let label = announcement.repository?.label
        var notice = Notice(tool: "GitHub", subject: label.map { String($0.dropFirst().dropLast()) })
        notice.id = announcement.id
        notice.texts = announcement.text.split(separator: "\n").map { line in
            // The notice has the label too.
            let prefix = label.map { "\($0) " } ?? ""
            return String(line.hasPrefix(prefix) ? line.dropFirst(prefix.count) : line)
        }
        return .notice(notice)
    }

    private static func setTimer(_ name: WebhookName, _ robot: Robot) {
        robot.timers.after(StormGate.delay) { [weak robot] in
            guard let robot else { return }
            robot.inFlight.begin()
            Task {
                await robot.emit(Self.summaryDue, name.description)
                robot.inFlight.end()
            }
        }
    }

    private static func postSummary(of name: WebhookName, _ robot: Robot, _ gates: StormGates) async throws {
        guard let webhook = try await WebhookDirectory(brain: robot.brain).webhook(name) else {
            gates.remove(name)
            return
        }
        let taken = gates.use(name) { $0.takeSummary(label: name.label, at: robot.date) }
        guard let taken, robot.switches.isOn("Webhooks", in: Room(id: webhook.room)) else { return }
        do {
            try await robot.messageRoom(webhook.room, taken.lines.joined(separator: "\n"))
        } catch {
            if taken.summary.failures == 0 {
                robot.logger.warning("couldn't post in a room: \(error)", metadata: ["room": "\(webhook.room)"])
            }
            if gates.use(name, { $0.putBack(taken.summary, at: robot.date) }) { setTimer(name, robot) }
        }
    }
}
