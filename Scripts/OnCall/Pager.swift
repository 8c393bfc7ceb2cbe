import FoundationEssentials
import Heybot

/// Sends pages, and keeps the open ones in the brain, so that they are continued after a restart.
struct Pager: Sendable {
    private static let pages = BrainCollection<Page>("oncall.pages")
    private static let lastNumber = BrainKey<Int>("oncall.lastPage")
    /// The maximum number of open pages of all rotas, and of one.
    private static let most = (inAll: 50, perRota: 10)

    let plan: Page.Plan
    let outbox: AlertOutbox

    // MARK: Open pages

    /// Returns the open pages, oldest first.
    func open(_ brain: Brain) async throws -> [Page] {
        var pages: [Page] = []
        for try await (_, page) in brain.entries(Self.pages) { pages.append(page) }
        return pages.sorted { $0.number < $1.number }
    }

    /// Opens a page, and makes the first attempt.
    ///
    /// - Returns: What to answer; nil if another robot with the same brain has been faster, and answers.
    /// - Throws: A ``Refusal`` if too many are open.
    func open(
        _ text: String, to people: [User], of rota: String, from message: Message, _ robot: Robot
    ) async throws -> String? {
        let known = try await open(robot.brain)
        guard known.count < Self.most.inAll, known.count(where: { $0.rota == rota }) < Self.most.perRota else {
            throw Refusal("Too many pages are open. Say \"pages\" to see them, and \"ack <number>\" to close one.")
        }
        let number = try await robot.brain.update(Self.lastNumber, default: 0) { last in
            last &+= 1
            return last
        }
        let page = Page(
            number: number, rota: rota, text: text, author: message.user, room: message.room, date: robot.date,
            people: people)
        try await robot.brain.remember(Self.pages, "\(number)", page)
        try await outbox.add(.trigger, of: page, robot)
        return try await takeStep(of: "\(number)", robot)?.report
    }

    /// Closes a page for a user who takes it, and notifies its room and the others who were paged.
    ///
    /// - Returns: False if it was closed already.
    func close(_ page: Page, by user: User, in room: Room, _ robot: Robot) async throws -> Bool {
        let closed: Page? = try await robot.brain.update(Self.pages, "\(page.number)") { stored in
            defer { stored = nil }
            return stored
        }
        guard let closed else { return false }
        try await outbox.add(.acknowledge(user.shortName), of: closed, robot)
        let delivery = PageDelivery(page: closed, robot: robot)
        let text = "\(user.shortName) has taken page \(page.number): \(page.text)"
        if closed.room.id != room.id { await delivery.send(text) }
        let accounts = try await PersonalAccounts(brain: robot.brain).all(of: user).map(\.id)
        for other in closed.paged(plan) where !accounts.contains(other.id) {
            _ = try await delivery.send(text, to: other)
        }
        return true
    }

    // MARK: Steps

    /// Takes the steps of all pages that are due.
    func takeDueSteps(_ robot: Robot) async throws {
        let now = robot.date
        for try await (key, page) in robot.brain.entries(Self.pages) where page.isDue(at: now, plan) {
            // A robot on another network, with the same brain, waits for the one that can speak in the page's room.
            let isHere = robot.adapters.contains { $0.name == page.room.id.adapter }
            let isOverdue = now.timeIntervalSince(page.nextAttempt) >= plan.interval
            guard isHere || isOverdue, let step = try await takeStep(of: key, robot) else { continue }
            await PageDelivery(page: step.page, robot: robot).send(step.report)
        }
        try await outbox.sendDue(robot)
    }

    /// Takes a page's next step, and returns what to say in its room.
    ///
    /// - Returns: Nil if the step isn't due, or another robot with the same brain has taken it.
    private func takeStep(of key: String, _ robot: Robot) async throws -> (page: Page, report: String)? {
        let (now, plan) = (robot.date, plan)
        let taken: (page: Page, step: Page.Step)? = try await robot.brain.update(Self.pages, key) { stored in
            guard var page = stored, let step = page.nextStep(at: now, plan) else { return nil }
            stored = step == .giveUp ? nil : page
            return (page, step)
        }
        guard let (page, step) = taken else { return nil }
        switch step {
        case .giveUp: return (page, page.giveUpReport)
        case .page(let user, let attempt, let previous):
            let message = page.message(attempt: attempt)
            if try await PageDelivery(page: page, robot: robot).send(message, to: user) {
                return (page, page.report(user, attempt: attempt, previous: previous, plan))
            }
            // Without a private message, the room has to do.
            let isPrivate = page.room.isPrivate
            return (page, isPrivate ? page.failureReport(user) : "\(user.shortName): \(message)")
        }
    }
}
