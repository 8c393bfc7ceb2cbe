import FoundationEssentials
import Heybot

extension Standup {
    /// The standups of rooms, in the brain.
    struct Book: Sendable {
        private static let plans = BrainCollection<Plan>("standup.plans")
        private static let most = 100

        let brain: Brain
        /// The room in which a command is given, for errors; nil if there is none.
        var here: Room.ID?

        /// Returns the plan of a room.
        ///
        /// - Throws: A ``Refusal`` if it has none.
        func plan(of room: Room.ID) async throws -> Plan {
            guard let plan = try await brain.recall(Self.plans, room.description), plan.isRemoved != true else {
                throw noPlan(of: room)
            }
            return plan
        }

        /// Sets the plan of a room.
        ///
        /// - Returns: The former plan; nil if the room had none.
        /// - Throws: A ``Refusal`` if there are too many plans, or the room's standup is going on.
        func set(_ plan: Plan) async throws -> Plan? {
            if try await brain.recall(Self.plans, plan.room.description) == nil {
                var count = 0
                for try await _ in brain.entries(Self.plans) { count += 1 }
                guard count < Self.most else { throw Refusal("I can hold the standups of \(Self.most) rooms at most.") }
            }
            return try await brain.update(Self.plans, plan.room.description) { (stored: inout Plan?) in
                guard stored?.isRemoved != true else {
                    throw Refusal("I haven't posted the answers of the last standup yet. Try again in a minute.")
                }
                guard stored?.round == nil else {
                    throw Refusal("The standup is going on. Say \"end standup\" first.")
                }
                let former = stored
                stored = plan
                return former
            }
        }

        /// Changes the plan of a room atomically.
        ///
        /// - Returns: The changed plan, and what the change returns.
        /// - Throws: A ``Refusal`` if it has none, and what the change throws.
        func change<Result>(
            _ room: Room.ID, _ change: @Sendable (inout Plan) throws -> Result
        ) async throws -> (plan: Plan, result: Result) {
            try await brain.update(Self.plans, room.description) { (stored: inout Plan?) in
                guard var plan = stored, plan.isRemoved != true else { throw noPlan(of: room) }
                let result = try change(&plan)
                stored = plan
                return (plan, result)
            }
        }

        /// Changes the plan with an id, if it is still the room's plan.
        func changeIfKept<Result>(
            _ place: Place, _ change: @Sendable (inout Plan) throws -> Result?
        ) async throws -> Result? {
            try await brain.update(Self.plans, place.room.description) { (stored: inout Plan?) -> Result? in
                guard var plan = stored, plan.id == place.plan else { return nil }
                let result = try change(&plan)
                stored = plan
                return result
            }
        }

        /// Removes the plan of a room: at once, or when the answers of its standup have been posted.
        ///
        /// - Returns: The plan; whether the answers have to be posted first; and whether the standup was open until now, so
        ///   that the timer that posts them isn't due yet.
        /// - Throws: A ``Refusal`` if it has none.
        func remove(
            _ room: Room.ID, at date: Date
        ) async throws -> (plan: Plan, isPosted: Bool, wasOpen: Bool) {
            try await brain.update(Self.plans, room.description) {
                (stored: inout Plan?) -> (plan: Plan, isPosted: Bool, wasOpen: Bool) in
                guard var plan = stored, plan.isRemoved != true else { throw noPlan(of: room) }
                let wasOpen = plan.round?.isOpen(at: date) == true
                guard let round = plan.round, round.hasAnswers || !wasOpen else {
                    stored = nil
                    return (plan: plan, isPosted: false, wasOpen: wasOpen)
                }
                plan.remove(at: date)
                stored = plan
                return (plan: plan, isPosted: true, wasOpen: wasOpen)
            }
        }

        /// Forgets the standup that began at a date, and the plan too if it was removed meanwhile.
        func finish(_ place: Place, _ start: Date) async throws {
            try await brain.update(Self.plans, place.room.description) { (stored: inout Plan?) -> Void in
                guard var plan = stored, plan.id == place.plan else { return }
                plan.finish(start)
                stored = plan.isRemoved == true && plan.round == nil ? nil : plan
            }
        }

        /// Returns a plan whose last standup a person has missed; nil if there is none.
        ///
        /// - Parameter accounts: The person's accounts.
        func planMissed(by accounts: [User], at date: Date) async throws -> Plan? {
            for try await (_, plan) in brain.entries(Self.plans) where plan.wasMissed(by: accounts, at: date) {
                return plan
            }
            return nil
        }

        /// Returns the plans whose open standup asks a person: those first that they haven't answered, oldest first.
        ///
        /// - Parameter accounts: The person's accounts.
        func plans(
            asking accounts: [User], at date: Date
        ) async throws -> [(plan: Plan, start: Date, participant: Round.Participant)] {
            var found: [(plan: Plan, start: Date, participant: Round.Participant)] = []
            for try await (_, plan) in brain.entries(Self.plans) {
                guard let round = plan.round, round.isOpen(at: date), let participant = round.participant(accounts)
                else { continue }
                found.append((plan: plan, start: round.start, participant: participant))
            }
            found.sort { one, other in
                let isLast = one.participant.answer != nil
                return isLast == (other.participant.answer != nil) ? one.start < other.start : !isLast
            }
            return found
        }

        private func noPlan(of room: Room.ID) -> Refusal {
            let elsewhere = here == nil || here == room ? nil : String(oneLine: room.description, limit: 100)
            let words = elsewhere.map { " in \($0)" } ?? ""
            return Refusal(
                "There is no standup in \(elsewhere ?? "this room"). "
                    + "An admin makes one by saying: standup every weekday at 9:30\(words): ada, grace")
        }
    }
}
