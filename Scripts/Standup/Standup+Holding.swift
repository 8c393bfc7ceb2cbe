import FoundationEssentials
import Heybot
import Logging

// Asks people, takes their answers, and posts them.

extension Standup {
    /// How often the robot tries to post the answers: for some 17 hours.
    private static let attempts = 24

    /// Registers the handlers of the timers.
    func registerTimers(on robot: inout RobotBuilder) {
        let (script, length) = (name, Double(robot.value(of: Self.minutes)) * 60)

        robot.on(Self.begins, next: { opening, date in opening.times.next(after: date) }) { timer, robot in
            let place = timer.payload.place
            guard robot.switches.isOn(script, in: Room(id: place.room)) else { return }
            guard timer.lateness <= .seconds(length) else {
                let text = "I was away at the time of the standup. To hold it now, say: start standup"
                return try await robot.post(text, in: place.room, for: script)
            }
            guard let unreached = try await Self.hold(place, at: timer.date, length: length, robot) else { return }
            if let text = Self.advice(to: unreached) { try await robot.post(text, in: place.room, for: script) }
        }

        robot.on(
            Self.ends, attempts: Self.attempts,
            gaveUp: { timer, _, robot in
                try await Book(brain: robot.brain).finish(timer.payload.place, timer.payload.start)
            }
        ) { timer, robot in
            let closing = timer.payload
            let book = Book(brain: robot.brain)
            let round = try await book.changeIfKept(closing.place) { plan in plan.change(closing.start) { _ in } }
            guard let round else { return }
            try await robot.post(round.report, in: closing.place.room, for: script)
            try await book.finish(closing.place, closing.start)
        }
    }

    /// Asks the people of a standup whom the robot hasn't tried to ask yet.
    ///
    /// - Parameters:
    ///   - start: Identifies the standup.
    ///   - length: How long people can answer, in seconds.
    /// - Returns: The people who can't be reached in private; nil if another standup is going on, or this one is over.
    static func hold(_ place: Place, at start: Date, length: Double, _ robot: Robot) async throws -> [User]? {
        let book = Book(brain: robot.brain)
        let end = robot.date + length
        guard var round = try await book.changeIfKept(place, { plan in plan.begin(at: start, until: end) }) else {
            return nil
        }
        // Before the questions, so that what people answer is posted in any case.
        try await schedule(round, in: place, robot)
        let room = robot.displayName(of: place.room)
        let question = """
            Standup of \(room): what have you done, what will you do, and is anything in your way? Answer here; if your \
            answer looks like a command, begin it with "standup:".
            """
        for person in round.unasked {
            // It may have been ended meanwhile.
            guard round.isOpen(at: robot.date) else { break }
            let isReached = try await ask(person, question, robot)
            let changed = try await book.changeIfKept(place) { plan in
                plan.change(start) { $0.recordQuestion(to: person, isReached: isReached) }
            }
            guard let changed else { return nil }
            round = changed
        }
        return round.unreached
    }

    /// Asks a person in private.
    ///
    /// - Returns: Whether the question was sent.
    private static func ask(_ person: User, _ question: String, _ robot: Robot) async throws -> Bool {
        do {
            return try await robot.sendPrivately(question, to: person)
        } catch is CancellationError {
            throw CancellationError()
        } catch {
            robot.logger.warning("can't send a direct message to \(person.id): \(error)")
            return false
        }
    }

    /// Sets the timer that ends a standup.
    static func schedule(_ round: Round, in place: Place, _ robot: Robot) async throws {
        try await robot.schedule(
            ends, Closing(place: place, start: round.start), id: place.plan, needing: place.room.adapter,
            at: round.end)
    }

    /// What the room learns about people who can't be asked in private; nil if there are none.
    static func advice(to people: [User]) -> String? {
        guard !people.isEmpty else { return nil }
        let names = people.map(\.shortName).joined(separator: ", ")
        return "\(names): I can't reach you in private for the standup. Tell me here: standup: <what you do>"
    }

    /// Adds a message to its author's answer in the standup that waits for it, or takes their answer back.
    ///
    /// - Parameter isMarked: Whether the message begins with `standup:`; any other one can only be a first answer.
    /// - Returns: What to reply; nil if no standup waits for one.
    static func answer(
        _ text: some StringProtocol, from message: Message, isMarked: Bool, _ robot: Robot
    ) async throws -> String? {
        let answer = String(oneLine: text, limit: Round.longestAnswer)
        let now = robot.date
        let book = Book(brain: robot.brain)
        let accounts = try await PersonalAccounts(brain: robot.brain).all(of: message.user)
        let asking = try await book.plans(asking: accounts, at: now)
            .filter { isMarked || $0.participant.answer == nil }
        // The last one first.
        let answered = Array(asking.filter { $0.participant.posted != nil }.reversed())
        let isWithdrawal = answer.lowercased() == "nothing" && !answered.isEmpty
        let possible = isWithdrawal ? answered : asking
        let meant = possible.first { $0.plan.room == message.room.id } ?? possible.first
        guard !answer.isEmpty else { return nil }
        guard let meant else {
            return try await book.planMissed(by: accounts, at: now).map { lateness(for: $0, at: now, robot) }
        }
        let (plan, start) = (meant.plan, meant.start)
        let place = Place(room: plan.room, plan: plan.id)
        let changed = try await book.changeIfKept(place) { plan in
            try plan.change(start) { round in
                guard round.isOpen(at: now),
                    isWithdrawal ? round.withdraw(accounts) : round.add(answer, from: accounts, at: now)
                else { throw Refusal("The standup is over.") }
            }
        }
        guard let changed else { return nil }
        if changed.end != plan.round?.end { try await schedule(changed, in: place, robot) }
        let room = robot.displayName(of: plan.room)
        if isWithdrawal { return "OK, I won't post your answer in \(room)." }
        if meant.participant.posted != nil { return "Added." }
        return """
            Thanks, I'll post that in \(room). To add to it, say "standup: <more>"; to take it back, "standup: nothing".
            """
    }

    /// What a person learns who answers too late.
    private static func lateness(for plan: Plan, at date: Date, _ robot: Robot) -> String {
        let next = plan.isRemoved == true ? nil : plan.times.next(after: date)
        let time = next.map { " The next one is on \(RotaDescription.time($0, in: plan.times.timeZone))." } ?? ""
        return "The standup of \(robot.displayName(of: plan.room)) is over, so I haven't added that.\(time)"
    }

    /// Whether a private message that no command handles is the first answer in a standup.
    ///
    /// The scripts ``Facts`` and ``Help`` ask this, because their own answers would come first.
    ///
    /// - Parameter orLate: Whether it may also be one that comes too late.
    static func isAwaited(_ message: Message, orLate: Bool = true, _ robot: Robot) async -> Bool {
        let script = Standup().name
        guard message.room.isPrivate, robot.scripts.contains(script), robot.switches.isOn(script, in: message.room)
        else { return false }
        do {
            let accounts = try await PersonalAccounts(brain: robot.brain).all(of: message.user)
            let (book, now) = (Book(brain: robot.brain), robot.date)
            let asking = try await book.plans(asking: accounts, at: now)
            if asking.contains(where: { $0.participant.answer == nil }) { return true }
            guard orLate, asking.isEmpty else { return false }
            return try await book.planMissed(by: accounts, at: now) != nil
        } catch {
            return false
        }
    }
}
