import FoundationEssentials
import Heybot
import Logging

extension OnCall {
    /// How often the robot looks for steps that are due.
    private static let pollInterval: Duration = .seconds(15)
    private static let mostListed = 20

    func registerPages(_ pager: Pager, _ zones: UserAndRoomTimeZones, on robot: inout RobotBuilder) {
        robot.respond(
            /page (?<name>[\w-]{1,40})[:,]? (?<text>\S[\s\S]*)$/,
            help: "page <rota> <text> - Page the person on call again and again, then the next one, until someone acks",
            example: "page ops the database is down"
        ) { res in
            let (name, rota) = try await RotaBook(brain: res.brain).rota(named: res.match.name)
            let typed = res.match.text
            guard typed.utf8.count <= Page.longest * 4, typed.count <= Page.longest else {
                throw Refusal("That's too long for a page: use at most \(Page.longest) characters.")
            }
            let text = String(oneLine: typed, limit: Page.longest)
            guard !text.isEmpty else { throw Refusal("What should I say?") }
            let zone = try await zones.zone(ofRoom: rota.room, res.brain)
            let people = rota.escalation(at: res.robot.date, in: zone)
            if let report = try await pager.open(text, to: people, of: name, from: res.message, res.robot) {
                try await res.send(report)
            }
            try await pager.outbox.sendDue(res.robot)
        }

        robot.respond(
            /ack(?:nowledge)?(?: (?:(?:page )?#?(?<number>[0-9]{1,9})|(?<all>all)))?$/,
            help: """
                ack - Take the page that you got
                ack <number> - Take a page of a rota that you are in
                ack all - Take all of your pages
                """,
            example: "ack 3"
        ) { res in
            let chosen = try await Self.chosenPages(res.match.number, isAll: res.match.all != nil, pager, res)
            var taken: [Page] = []
            for page in chosen {
                let isTaken = try await pager.close(page, by: res.message.user, in: res.message.room, res.robot)
                if isTaken { taken.append(page) }
            }
            guard !taken.isEmpty else { throw Refusal("Someone else has just taken it.") }
            let list = taken.map { "\($0.number) (\($0.text))" }.joined(separator: ", ")
            try await res.reply("Thanks, you have page \(list).")
            try await pager.outbox.sendDue(res.robot)
        }

        robot.respond(
            /(?:show |list )?(?:the )?(?:open )?pages$/, help: "pages - List the open pages", example: "pages"
        ) { res in
            let visible = try await Self.visiblePages(pager, res)
            guard !visible.isEmpty else {
                try await res.send("There is no open page.")
                return
            }
            let zone = try await zones.zone(for: res.message, res.brain)
            let now = FormattedLocalTime(res.robot.date, in: zone)
            let lines = visible.prefix(Self.mostListed).map { page in
                page.line(at: FormattedLocalTime(page.date, in: zone).said(at: now), pager.plan)
            }
            try await res.send(lines.joined(separator: "\n"))
        }

        robot.every(Self.pollInterval) { robot in
            do {
                try await pager.takeDueSteps(robot)
            } catch let error as StoreError {
                // The store itself reports that it is unavailable.
                robot.logger.debug("can't look for open pages: \(error)")
            }
        }
    }

    /// Returns the open pages that a user may see: those of this room and their own; for admins, all.
    private static func visiblePages<Match>(_ pager: Pager, _ res: Response<Match>) async throws -> [Page] {
        let open = try await pager.open(res.brain)
        if res.robot.isAdmin(res.message.user) { return open }
        let accounts = try await PersonalAccounts(brain: res.brain).all(of: res.message.user)
        return open.filter { $0.room.id == res.message.room.id || $0.concerns(accounts) }
    }

    /// Returns the open pages that a command chooses, after a question if several are possible.
    ///
    /// - Throws: A ``Refusal`` if there is none, or if the user may not take it, and what `ask` throws.
    private static func chosenPages<Match>(
        _ typed: Substring?, isAll: Bool, _ pager: Pager, _ res: Response<Match>
    ) async throws -> [Page] {
        let open = try await pager.open(res.brain)
        let accounts = try await PersonalAccounts(brain: res.brain).all(of: res.message.user)
        let isAdmin = res.robot.isAdmin(res.message.user)
        let allowed = open.filter { isAdmin || $0.concerns(accounts) }
        if let typed {
            guard let page = open.first(where: { "\($0.number)" == typed }) else {
                throw Refusal("There is no open page \(typed).")
            }
            guard allowed.contains(page) else {
                throw Refusal(
                    "Only the people of \(page.rota), the page's author and my admins may take page \(typed).")
            }
            return [page]
        }
        let received = allowed.filter { page in
            page.paged(pager.plan).contains { user in accounts.contains { $0.proves(toBe: user) } }
        }
        let candidates = received.isEmpty ? allowed : received
        guard !candidates.isEmpty else { throw Refusal("There is no open page for you.") }
        guard !isAll, candidates.count > 1 else { return candidates }
        let list = candidates.map { "\($0.number) (\(String(oneLine: $0.text, limit: 60)))" }
        return try await res.ask(
            "Which one: \(list.joined(separator: ", "))? Say its number, or \"all\".", for: choice(of: candidates))
    }

    /// One of several pages, or all, perhaps in the words of the command: `3`, `ack 3` or `all`.
    private static func choice(of pages: [Page]) -> ExpectedAnswer<[Page]> {
        ExpectedAnswer("the number of a page, or \"all\"") { text in
            var words = text.lowercased().split { !$0.isLetter && !$0.isNumber }
            if words.first == "ack" { words.removeFirst() }
            guard let word = words.first, words.count == 1 else { return nil }
            if word == "all" { return pages }
            let chosen = pages.filter { "\($0.number)" == word }
            return chosen.isEmpty ? nil : chosen
        }
    }
}
